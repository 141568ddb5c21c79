//! Faults of the host and the disk, row by row of the fault table: no result changes, and nothing is lost.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::machine;
use crate::records::{acknowledged, limited, on_record, processes_with};
use crate::run::{Bench, Match, PLAYSELF, finish, spawn, wait_for};
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use playself::failpoint::VARIABLE;

/// Writes the config of a match and plays it without interruption in the folder `whole`.
fn reference(bench: &Bench, pairs: u64, games: &str) -> PathBuf {
    played_whole(bench, &Match { pairs, games, ..Match::default() })
}

fn played_whole(bench: &Bench, wanted: &Match<'_>) -> PathBuf {
    let config = bench.config("reference", wanted);
    let (status, printed) = finish(&mut bench.start(&config, "whole"));
    assert_eq!(status, 0, "{printed}");
    config
}

fn summary(bench: &Bench, run: &str) -> serde_json::Value {
    serde_json::from_str(&bench.read(run, "summary.json")).unwrap()
}

fn assert_valid(bench: &Bench, run: &str) {
    let verified = bench.verify(run);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

#[test]
fn row_53_more_games_than_descriptors_are_refused_with_the_number_that_fits() {
    let bench = Bench::new();
    let config = bench.config("files", &Match::default());
    let mut command = bench.start(&config, "run");
    command.args(["--concurrency", "64"]);
    let (status, printed) = finish(&mut limited("ulimit -n 100", &command));
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains("more open files than the system allows; at most 3 fit"), "{printed}");
    assert!(!bench.path("run").exists(), "a refusal leaves no folder");
    let (status, printed) = finish(&mut limited("ulimit -n 40", &bench.start(&config, "run")));
    assert_eq!((status, printed.contains("not even one game fits: raise the limit")), (2, true), "{printed}");
}

#[test]
fn a_run_that_is_refused_leaves_no_folder_behind() {
    let bench = Bench::new();
    let config = bench.config("refused", &Match::default());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let cases: [(&str, &[&str], &str); 3] = [
        ("disk", &["--concurrency", "1"], "MB left"),
        ("page", &["--serve", &address], "already in use"),
        ("files", &["--concurrency", "64"], "more open files"),
    ];
    for (case, flags, expected) in cases {
        for place in [&["--run-dir", "deep/in/run"], &["--results", "results"]] {
            let mut command = Command::new(PLAYSELF);
            command.arg("match").arg(&config).args(flags).args(place).current_dir(bench.folder.path());
            if case == "disk" {
                command.env(VARIABLE, "disk-low");
            }
            if case == "files" {
                command = limited("ulimit -n 100", &command);
            }
            let (status, printed) = finish(&mut command);
            assert_eq!(status, 2, "{case}: {printed}");
            assert!(printed.contains(expected), "{case}: {printed}");
            assert!(!bench.path("deep/in/run").exists(), "{case}");
            let left = fs::read_dir(bench.path("results")).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{case}");
        }
    }
}

/// Plays a match with a fail point and compares its results with those of `whole`. Returns the number of void pairs, and
/// the journal.
fn played_with(bench: &Bench, config: &Path, armed: &str) -> (u64, String) {
    let run = armed.replace([':', '+'], "-");
    let (status, printed) = finish(bench.start(config, &run).env(VARIABLE, armed));
    assert_eq!(status, 0, "{armed}: {printed}");
    assert_eq!(bench.results(&run), bench.results("whole"), "{armed}");
    assert_valid(bench, &run);
    (summary(bench, &run)["voids"].as_u64().unwrap(), bench.read(&run, "journal.ndjson"))
}

/// Plays a match slow enough that games are in progress when a fault occurs.
fn played_slowly(bench: &Bench) -> PathBuf {
    let (candidate, baseline) = (&["--salt", "1", "--sleep-ms", "1"], &["--salt", "2", "--sleep-ms", "1"]);
    let games = "concurrency = 2";
    played_whole(bench, &Match { pairs: 6, games, candidate, baseline, ..Match::default() })
}

#[test]
fn rows_54_60_and_62_a_fault_of_the_host_voids_the_pair_and_changes_no_result() {
    let bench = Bench::new();
    let config = played_slowly(&bench);
    for (row, armed, voids, reason) in [
        ("row 54, no process", "spawn-fails:1", 0, ""),
        ("row 60, the wall clock jumps", "wall-clock-jumps:9+", 0, ""),
        ("row 62, a panic of the harness", "game-panics:4", 1, "harness_error"),
    ] {
        let (found, journal) = played_with(&bench, &config, armed);
        assert_eq!(found, voids, "{row}");
        assert!(journal.contains(reason), "{row}: no {reason} in\n{journal}");
    }
}

#[test]
fn row_59_a_suspension_voids_the_pairs_in_progress_and_changes_no_result() {
    let bench = Bench::new();
    let config = played_slowly(&bench);
    // The clocks are read at intervals, and some of these readings fall between two games.
    let voided = (8..).step_by(4).take(10).any(|reading| {
        let (found, journal) = played_with(&bench, &config, &format!("host-sleeps:{reading}"));
        assert!(found <= 2, "{found} void with two games in progress");
        assert_eq!(journal.contains("suspended"), found > 0, "{journal}");
        found > 0
    });
    assert!(voided, "no suspension met a game");
}

#[test]
fn row_62_three_panics_of_the_harness_stop_the_run_and_score_nothing() {
    let bench = Bench::new();
    let config = reference(&bench, 6, "");
    let (status, printed) = finish(bench.start(&config, "run").env(VARIABLE, "game-panics:1+"));
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("a panic requested by a fail point"), "{printed}");
    assert_eq!(summary(&bench, "run")["games"], 0);
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
    assert_eq!(bench.results("run"), bench.results("whole"));
}

/// Whether the journal of the run has a record of this type.
fn recorded(bench: &Bench, kind: &str) -> bool {
    let text = fs::read_to_string(bench.path("run/journal.ndjson")).unwrap_or_default();
    text.contains(&format!("\"type\":\"{kind}\""))
}

#[test]
fn row_55_a_run_interrupted_once_or_twice_resumes_to_the_same_results() {
    for (times, drained) in [(1, true), (2, false)] {
        let bench = Bench::new();
        let slow = ["--salt", "7", "--sleep-ms", "3"];
        let wanted = Match { pairs: 6, candidate: &slow, games: "concurrency = 2", ..Match::default() };
        let config = bench.config("asked", &wanted);
        assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
        let mut child = spawn(&mut bench.start(&config, "run"));
        wait_for("a first pair", 30, || recorded(&bench, "pair_started"));
        for _ in 0..times {
            kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
            std::thread::sleep(Duration::from_millis(60));
        }
        assert_eq!(child.wait().unwrap().code(), Some(130), "{times}");
        assert_eq!(
            recorded(&bench, "abandoned"),
            !drained,
            "{times}: {}",
            bench.read("run", "journal.ndjson")
        );
        assert_valid(&bench, "run");
        assert_eq!(finish(&mut bench.resume("run")).0, 0, "{times}");
        assert_eq!(bench.results("run"), bench.results("whole"), "{times}");
    }
}

#[test]
fn sigcont_does_not_disturb_a_run_that_was_not_stopped() {
    let bench = Bench::new();
    let (candidate, baseline) = (&["--salt", "1", "--sleep-ms", "2"], &["--salt", "2", "--sleep-ms", "2"]);
    let wanted = Match { pairs: 4, games: "concurrency = 2", candidate, baseline, ..Match::default() };
    let mut child = spawn(&mut bench.start(&bench.config("signals", &wanted), "run"));
    wait_for("a first pair", 30, || recorded(&bench, "pair_started"));
    while child.try_wait().unwrap().is_none() {
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGCONT).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let journal = bench.read("run", "journal.ndjson");
    let records = journal.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    for void in records.filter(|record| record["type"] == "void") {
        // A busy machine may delay the run long enough for a void pair; SIGCONT alone may not.
        assert!(void["reason"]["gap_ms"].as_u64().is_none_or(|gap| gap >= 50), "{void}");
    }
}

#[test]
fn row_57_no_engine_is_alive_a_second_after_the_run_was_killed() {
    let _machine = machine::share();
    let bench = Bench::new();
    let mark = format!("row57-{}", std::process::id());
    let stubborn = [
        "--name",
        &mark,
        "--on",
        "on eof: hang",
        "--on",
        "on start: block-term; fork 1; fork-session",
        "--sleep-ms",
        "20",
    ];
    let wanted =
        Match { candidate: &stubborn, baseline: &stubborn, games: "concurrency = 2", ..Match::default() };
    let mut child = spawn(&mut bench.start(&bench.config("stubborn", &wanted), "run"));
    // Four engines with two children each.
    wait_for("all engines", 30, || processes_with(&mark).len() >= 12);
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn row_56_sigterm_and_sighup_end_a_run_within_ten_seconds() {
    let _machine = machine::share();
    // A game takes half a minute, so only the time limit can end it.
    let slow = ["--sleep-ms", "400"];
    let started = |signal: Signal| {
        let bench = Bench::new();
        let config = bench.config("long", &Match { candidate: &slow, baseline: &slow, ..Match::default() });
        let child = spawn(&mut bench.start(&config, "run"));
        wait_for("a first pair", 30, || {
            fs::read_to_string(bench.path("run/journal.ndjson"))
                .is_ok_and(|text| text.contains("pair_started"))
        });
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        (bench, child, signal, Instant::now())
    };
    for (bench, mut child, signal, begun) in [Signal::SIGTERM, Signal::SIGHUP].map(started) {
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let took = begun.elapsed().as_secs_f64();
        assert!((9.0..14.0).contains(&took), "{signal}: {took} s");
        assert!(bench.read("run", "journal.ndjson").contains("\"abandoned\""), "{signal}");
        assert_valid(&bench, "run");
    }
}

#[test]
fn row_63_a_closed_output_pipe_does_not_stop_a_run() {
    let bench = Bench::new();
    let config = reference(&bench, 12, "concurrency = 2");
    let mut child = bench.start(&config, "run").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(bench.results("run"), bench.results("whole"));
}

#[test]
fn row_63_a_full_output_pipe_does_not_delay_a_run() {
    let bench = Bench::new();
    let config = reference(&bench, 40, "concurrency = 2");
    for (case, flags) in [("lines", None), ("events", Some("--json"))] {
        let mut command = bench.start(&config, case);
        command.args(flags).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let reader = child.stdout.take().unwrap();
        // The smallest possible pipe, one page, is full after a few games.
        fcntl(&reader, FcntlArg::F_SETPIPE_SZ(4096)).unwrap();
        wait_for("the end", 60, || child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{case}");
        assert_eq!(bench.results(case), bench.results("whole"), "{case}");
        drop(reader);
    }
}

#[test]
fn rows_65_and_68_a_failing_disk_ends_the_run_and_loses_no_acknowledged_game() {
    let bench = Bench::new();
    let config = reference(&bench, 30, "concurrency = 2");
    for (row, armed, expected) in [
        ("row 65, no space", "write-fails:40", "is the disk full?"),
        ("row 68, no confirmation", "sync-fails:3", "could not be made durable"),
    ] {
        let run = armed.replace(':', "-");
        let (status, reported, text) = acknowledged(bench.start(&config, &run).env(VARIABLE, armed));
        assert_eq!(status, 4, "{row}: {text}");
        assert!(text.contains(expected), "{row}: {text}");
        let kept = on_record(&bench.path(&run).join("journal.ndjson"));
        assert!(
            reported.iter().all(|game| kept.contains(game)),
            "{row}: reported {reported:?}, kept {kept:?}"
        );
        assert_eq!(finish(&mut bench.resume(&run)).0, 0, "{row}");
        assert_eq!(bench.results(&run), bench.results("whole"), "{row}");
        assert_valid(&bench, &run);
    }
}

#[test]
fn row_65_a_file_size_limit_ends_the_run_which_resumes_without_it() {
    let bench = Bench::new();
    let config = reference(&bench, 150, "concurrency = 2");
    let mut command = limited("trap '' XFSZ; ulimit -f 120", &bench.start(&config, "run"));
    let (status, reported, text) = acknowledged(&mut command);
    assert_eq!(status, 4, "{text}");
    assert!(!reported.is_empty() && text.contains("is the disk full?"), "{text}");
    let kept = on_record(&bench.path("run/journal.ndjson"));
    assert!(reported.iter().all(|game| kept.contains(game)), "reported {reported:?}, kept {kept:?}");
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
    assert_eq!(bench.results("run"), bench.results("whole"));
}

/// A slow match of 40 pairs.
fn slow_match(bench: &Bench) -> PathBuf {
    let slow = ["--salt", "1", "--sleep-ms", "2"];
    bench.config("slow", &Match { pairs: 40, candidate: &slow, baseline: &slow, ..Match::default() })
}

#[test]
fn a_run_whose_journal_is_deleted_stops_and_reports_the_loss() {
    for (what, expected) in
        [("run", "was deleted, and the run with it"), ("run/journal.ndjson", "Run folder: ")]
    {
        let bench = Bench::new();
        let mut command = bench.start(&slow_match(&bench), "run");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for("a first game", 30, || recorded(&bench, "game"));
        let path = bench.path(what);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(4), "{what}: {printed}");
        assert!(printed.contains("its file was deleted during the run"), "{what}: {printed}");
        assert!(printed.contains(expected), "{what}: {printed}");
        let games = printed.matches("Finished game").count();
        assert!(games < 80, "{what}: {games} games were reported as if they were kept");
    }
}

#[test]
fn a_run_that_cannot_write_its_files_reports_it_and_verify_writes_them() {
    let bench = Bench::new();
    let config = reference(&bench, 6, "");
    // A folder in the place of summary.json prevents writing, even for root.
    fs::create_dir_all(bench.path("run/summary.json/x")).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("summary.json") && printed.contains("`playself verify`"), "{printed}");
    fs::remove_dir_all(bench.path("run/summary.json")).unwrap();
    assert_valid(&bench, "run");
    assert_eq!(bench.results("run"), bench.results("whole"));
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
}

#[test]
fn row_65_low_disk_space_is_refused_at_the_start_and_waited_for_during_the_run() {
    let bench = Bench::new();
    let config = reference(&bench, 30, "concurrency = 2");
    let (status, printed) = finish(bench.start(&config, "refused").env(VARIABLE, "disk-low"));
    assert_eq!(status, 2, "{printed}");
    assert!(printed.contains("1 MB left") && !bench.path("refused").exists(), "{printed}");
    // Little room for one look at the disk: the run waits and goes on by itself.
    let (status, printed) = finish(bench.start(&config, "run").env(VARIABLE, "disk-low:2"));
    assert_eq!(status, 0, "{printed}");
    assert_eq!(printed.matches("1 MB left").count(), 1, "row 190: {printed}");
    assert!(printed.contains("the run waits until there is room"), "{printed}");
    assert_eq!(bench.results("run"), bench.results("whole"));
    assert_eq!(finish(bench.resume("run").env(VARIABLE, "disk-low")).0, 4);
}

#[test]
fn row_73_an_invalid_book_is_refused_with_its_line_before_the_first_game() {
    let bench = Bench::new();
    let good = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    let config = bench.config("book", &Match { pairs: 1, ..Match::default() });
    for (case, book, expected) in [
        ("empty", String::new(), "contains no opening"),
        ("a position that cannot be", format!("{good}\n\n8/8/8/8/8/8/8/8 w - -\n"), "line 3"),
        (
            "a game that is over",
            format!("{good}\n8/8/4k3/8/8/4K3/8/8 w - -\n"),
            "line 2: the opening ends in a draw",
        ),
    ] {
        let mut file = fs::File::create(bench.path("book.epd")).unwrap();
        file.write_all(book.as_bytes()).unwrap();
        let (status, printed) = finish(&mut bench.start(&config, "run"));
        assert_eq!(status, 2, "{case}: {printed}");
        assert!(printed.contains(expected), "{case}: {printed}");
        assert!(!bench.path("run").exists(), "{case}");
    }
    fs::write(bench.path("book.epd"), format!("\u{feff}{good}\r\n")).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "a mark at the start and Windows line ends: {printed}");
    let mut resume = Command::new(PLAYSELF);
    assert_eq!(finish(resume.arg("resume").arg(bench.path("run"))).0, 0);
}
