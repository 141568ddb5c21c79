//! Accidents of a night that concern engines and the host: rebuilt programs, shortages, standstills, engines that change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::machine;
use crate::run::{Bench, FAKE, Match, PLAYSELF, finish, wait_for};
use crate::signals::with_default_signals;

/// Writes a match in which the candidate is started for every game from a copy of the fake engine in the folder.
fn restarting_match(bench: &Bench, pairs: u64, games: &str, rules: &[&str]) -> (PathBuf, PathBuf) {
    let engine = bench.path("engine");
    install(Path::new(FAKE), &engine);
    let mut candidate = vec!["--salt", "1", "--sleep-ms", "1"];
    rules.iter().for_each(|rule| candidate.extend(["--on", rule]));
    let wanted = Match { pairs, candidate: &candidate, games, ..Match::default() };
    let config = bench.config("restarting", &wanted);
    let text = fs::read_to_string(&config).unwrap();
    let own = format!("engine = \"{}\"\nrestart = \"on\"", engine.display());
    fs::write(&config, text.replacen(&format!("engine = \"{FAKE}\""), &own, 1)).unwrap();
    (config, engine)
}

/// Puts a program into the place of another one, as a build does: a new file under the old name.
fn install(program: &Path, place: &Path) {
    let draft = place.with_extension("draft");
    fs::copy(program, &draft).unwrap();
    fs::rename(&draft, place).unwrap();
}

fn start(command: &mut Command) -> Child {
    with_default_signals(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end of a run and returns its exit status and its output.
fn end(child: Child) -> (i32, String) {
    let output = child.wait_with_output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap_or(-1), text)
}

/// The journal of a run; nothing before it exists.
fn journal(bench: &Bench, run: &str) -> String {
    fs::read_to_string(bench.path(run).join("journal.ndjson")).unwrap_or_default()
}

/// Games on record so far.
fn played_games(bench: &Bench, run: &str) -> usize {
    journal(bench, run).matches("\"type\":\"game\"").count()
}

fn counted_pairs(bench: &Bench, run: &str) -> usize {
    bench.read(run, "pairs.csv").lines().count().saturating_sub(1)
}

fn interrupt(child: &Child) {
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
}

#[test]
fn row_186_a_program_replaced_written_to_or_deleted_during_a_run_is_reported_and_its_copy_plays_on() {
    for case in ["replaced", "deleted", "written to"] {
        let bench = Bench::new();
        let (config, engine) = restarting_match(&bench, 12, "", &[]);
        assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
        let child = start(&mut bench.start(&config, "run"));
        wait_for("some games", 30, || played_games(&bench, "run") >= 4);
        match case {
            "replaced" => install(Path::new("/bin/false"), &engine),
            // The system refuses this while the program runs.
            "written to" => {
                wait_for("a moment without the engine", 30, || fs::copy("/bin/false", &engine).is_ok());
            }
            _ => fs::remove_file(&engine).unwrap(),
        }
        let (status, printed) = end(child);
        assert_eq!(status, 0, "{case}: {printed}");
        let reports = printed.matches("the run goes on with a copy of the file that it began with").count();
        assert_eq!(reports, 1, "{case}: {printed}");
        assert_eq!(bench.read("run", "pairs.csv"), bench.read("whole", "pairs.csv"), "{case}");
        assert!(!bench.path("run/programs").exists(), "{case}: a finished run needs no copies");
    }
}

#[test]
fn row_199_a_script_that_an_argument_names_is_part_of_the_engine() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 12, "", &[]);
    let script = bench.path("engine.sh");
    let text = format!("exec {} \"$@\"\n", engine.display());
    fs::write(&script, &text).unwrap();
    let run_file = fs::read_to_string(&config).unwrap();
    let own = format!("engine = \"{}\"", engine.display());
    let named = run_file.replacen(&own, "engine = \"/bin/sh\"", 1);
    fs::write(&config, named.replacen("args = [", "args = [\"engine.sh\", ", 1)).unwrap();
    assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
    let child = start(&mut bench.start(&config, "run"));
    wait_for("some games", 30, || played_games(&bench, "run") >= 4);
    fs::write(&script, "exit 1\n").unwrap();
    let (status, printed) = end(child);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("engine.sh has changed since the run began"), "{printed}");
    assert_eq!(bench.read("run", "pairs.csv"), bench.read("whole", "pairs.csv"));
}

#[test]
fn row_187_a_changed_program_stops_the_run_if_the_plan_asks_for_it() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 12, "program_changed = \"stop\"", &[]);
    assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
    let child = start(&mut bench.start(&config, "run"));
    wait_for("some games", 30, || played_games(&bench, "run") >= 4);
    install(Path::new("/bin/false"), &engine);
    let (status, printed) = end(child);
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("has changed since the run began; the plan has program_changed"), "{printed}");
    let (status, printed) = finish(&mut bench.resume("run"));
    assert_eq!((status, printed.contains("has changed since the run began")), (4, true), "{printed}");
    install(Path::new(FAKE), &engine);
    assert_eq!(finish(&mut bench.resume("run")).0, 0);
    assert_eq!(bench.read("run", "pairs.csv"), bench.read("whole", "pairs.csv"));
}

#[test]
fn row_71_a_run_resumes_with_the_copy_of_a_program_that_was_rebuilt_meanwhile() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 12, "", &[]);
    assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
    let child = start(&mut bench.start(&config, "run"));
    wait_for("some games", 30, || played_games(&bench, "run") >= 4);
    interrupt(&child);
    assert_eq!(end(child).0, 130);
    install(Path::new("/bin/false"), &engine);
    let (status, printed) = finish(&mut bench.resume("run"));
    assert_eq!((status, printed.contains("goes on with a copy")), (0, true), "{printed}");
    assert_eq!(bench.read("run", "pairs.csv"), bench.read("whole", "pairs.csv"));
}

#[test]
fn row_188_tuning_and_its_test_go_on_when_playself_itself_is_rebuilt() {
    let bench = Bench::new();
    let program = bench.path("playself");
    let config = bench.path("tune.toml");
    // With this seed the tuner finds other values than those of the start, so that there is something to test.
    let text = "name = \"t\"\nseed = 3\nengine = \"builtin\"\n\
        [games]\nnodes = 200\nconcurrency = 1\n[adjudicate]\nmax_moves = 60\n\
        [tune]\nmethod = \"spsa\"\ngames = 40\nparameters = [\"knight_value\", \"queen_value\"]\n\
        [accept]\nnodes = 200\nmax_pairs = 2\nelo = [0, 5]\n";
    fs::write(&config, text).unwrap();
    for case in ["played to its end", "interrupted and resumed by the new program"] {
        install(Path::new(PLAYSELF), &program);
        let run = case.replace(' ', "-");
        let mut tune = Command::new(&program);
        tune.arg("tune").arg(&config).arg("--run-dir").arg(bench.path(&run)).current_dir(bench.folder.path());
        let child = start(&mut tune);
        wait_for("some games", 60, || played_games(&bench, &run) >= 4);
        let (status, printed) = if case.starts_with("played") {
            // What has been built does not even run.
            install(Path::new("/bin/false"), &program);
            end(child)
        } else {
            let mut bytes = fs::read(PLAYSELF).unwrap();
            bytes.extend_from_slice(b"rebuilt");
            let draft = bench.path("rebuilt");
            fs::write(&draft, bytes).unwrap();
            fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
            fs::rename(&draft, &program).unwrap();
            interrupt(&child);
            let (status, printed) = end(child);
            assert_eq!(status, 130, "{printed}");
            let mut resume = Command::new(&program);
            finish(resume.arg("resume").arg(bench.path(&run)).current_dir(bench.folder.path()))
        };
        assert_eq!(status, 3, "{case}: the test is undecided after two pairs: {printed}");
        assert_eq!(played_games(&bench, &format!("{run}/accept")), 4, "{case}: {printed}");
        assert!(!bench.path(&run).join("programs").exists(), "{case}");
    }
}

#[test]
fn row_189_a_shortage_of_descriptors_pauses_a_run_which_goes_on_by_itself() {
    let _machine = machine::share();
    let bench = Bench::new();
    let (config, _) = restarting_match(&bench, 16, "concurrency = 2", &[]);
    assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
    let child = start(&mut bench.start(&config, "run"));
    wait_for("some games", 30, || played_games(&bench, "run") >= 4);
    let limit = |number: &str| {
        let pid = child.id().to_string();
        let set = Command::new("prlimit").args(["--pid", &pid, &format!("--nofile={number}:")]).status();
        assert!(set.unwrap().success());
    };
    limit("3");
    std::thread::sleep(Duration::from_millis(3500));
    let before = played_games(&bench, "run");
    limit("1024");
    let (status, printed) = end(child);
    assert_eq!(status, 0, "{printed}");
    assert!(before < 32, "the shortage came too late");
    assert_eq!(printed.matches("the run waits until it can go on").count(), 1, "{printed}");
    assert_eq!(bench.read("run", "pairs.csv"), bench.read("whole", "pairs.csv"), "{printed}");
}

#[test]
fn row_191_an_engine_that_no_longer_declares_an_option_loses_and_does_not_end_the_run() {
    let bench = Bench::new();
    let state = bench.path("starts");
    let silent =
        "on uci#1: reply id name x; reply option name Trick type spin default 1 min 1 max 9; reply uciok";
    let (config, _) = restarting_match(&bench, 3, "breaker = \"off\"\nconcurrency = 1", &[silent]);
    let text = fs::read_to_string(&config).unwrap();
    // The handshake before the run is the first start, the first game the second.
    let forgetful = bench.path("forgetful");
    fs::write(
        &forgetful,
        format!(
            "#!/bin/sh\necho x >> {0}\nif [ $(wc -l < {0}) -gt 2 ]; then exec {FAKE}; fi\nexec {FAKE} --on '{silent}'\n",
            state.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&forgetful, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = format!("engine = \"{}\"", bench.path("engine").display());
    let own = format!("engine = \"{}\"\noptions = {{ Trick = 2 }}", forgetful.display());
    let args = text.lines().find(|line| line.starts_with("args")).unwrap();
    fs::write(&config, text.replacen(&engine, &own, 1).replacen(args, "", 1)).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "{printed}");
    let rows = bench.read("run", "pairs.csv");
    assert_eq!(rows.matches("protocol(changed)").count(), 5, "{rows}\n{printed}");
}

/// Plays a match whose candidate loses its folder, and so cannot be started any more, after the first game.
fn match_without_the_folder(bench: &Bench, config: &Path, engine: &Path) {
    let folder = bench.path("folder");
    fs::create_dir(&folder).unwrap();
    let text = fs::read_to_string(config).unwrap();
    let own = format!("engine = \"{}\"", engine.display());
    fs::write(config, text.replacen(&own, &format!("{own}\ndir = \"{}\"", folder.display()), 1)).unwrap();
    let child = start(&mut bench.start(config, "run"));
    wait_for("a game", 30, || journal(bench, "run").contains("\"type\":\"game\""));
    fs::remove_dir(&folder).unwrap();
    let (status, printed) = end(child);
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn row_192_an_engine_whose_folder_is_gone_loses_and_does_not_end_the_run() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 1, "wait_ms = 300\nbreaker = \"off\"", &[]);
    match_without_the_folder(&bench, &config, &engine);
    assert_eq!(bench.read("run", "pairs.csv").matches("crash(startup)").count(), 1);
}

#[test]
fn row_192_a_game_that_is_lost_at_its_start_begins_with_the_moves_of_its_opening() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 2, "wait_ms = 300\nbreaker = \"off\"", &[]);
    let book = "[Event \"one\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"two\"]\n\n1. d4 d5 2. c4 *\n";
    fs::write(bench.path("book.pgn"), book).unwrap();
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("book.epd", "book.pgn")).unwrap();
    match_without_the_folder(&bench, &config, &engine);
    let games = journal(&bench, "run");
    let lost = games
        .lines()
        .find(|line| line.contains("\"during\":\"startup\""))
        .expect("a game is lost at its start");
    let lost: serde_json::Value = serde_json::from_str(lost).unwrap();
    assert_eq!((&lost["book"], lost["moves"].as_str().map(str::len)), (&3.into(), Some(12)), "{lost}");
    assert!(bench.verify("run").status.success());
}

#[test]
fn row_193_two_engines_of_a_tournament_that_fail_at_the_same_start_are_put_away() {
    let bench = Bench::new();
    let entry = |name: &str, args: &str| {
        format!("[[engines]]\nengine = \"{FAKE}\"\nname = \"{name}\"\nrestart = \"on\"\nargs = {args}\n")
    };
    let bad = |name: &str| {
        let state = bench.path(&format!("{name}.starts")).display().to_string();
        // The handshake before the run and two games work.
        let args = ["--state", &state, "--on", "on start#4+: exit 7"];
        entry(name, &format!("{args:?}"))
    };
    let config = bench.path("cup.toml");
    let text = format!(
        "name = \"cup\"\nseed = 5\n{}{}{}{}[games]\ndepth = 1\nopenings = \"{}\"\nmax_pairs = 36\n[adjudicate]\nmax_moves = 20\n",
        bad("bad1"),
        bad("bad2"),
        entry("good1", "[\"--salt\", \"1\"]"),
        entry("good2", "[\"--salt\", \"2\"]"),
        bench.path("book.epd").display(),
    );
    fs::write(&config, text).unwrap();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    let rows = bench.read("run", "pairs.csv");
    assert_eq!(status, 4, "engines are in quarantine: {printed}");
    for name in ["bad1", "bad2"] {
        assert!(printed.contains(&format!("{name} is quarantined, the others play on")), "{printed}");
    }
    let sound = rows.lines().filter(|row| row.contains("good1") && row.contains("good2")).count();
    assert_eq!(sound, 6, "{rows}\n{printed}");
}

#[test]
fn row_194_a_standstill_during_the_first_start_of_an_engine_is_no_fault_of_it() {
    let _machine = machine::share();
    let bench = Bench::new();
    let slow = ["--salt", "1", "--on", "on uci: delay 600; play"];
    let config = bench.config("asleep", &Match { pairs: 2, candidate: &slow, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replacen("args =", "start_s = 1.2\nargs =", 1)).unwrap();
    // Once in the handshake before the run, once at the first start in the run.
    for delay in [300, 1100] {
        let run = format!("run-{delay}");
        let mut command = bench.start(&config, &run);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = start(&mut command);
        std::thread::sleep(Duration::from_millis(delay));
        let everything = family(child.id().cast_signed());
        send(&everything, Signal::SIGSTOP);
        std::thread::sleep(Duration::from_millis(2500));
        send(&everything, Signal::SIGCONT);
        let (status, printed) = end(child);
        assert_eq!(status, 0, "{delay}: {printed}");
        assert_eq!(counted_pairs(&bench, &run), 2, "{delay}: {printed}");
        assert!(!bench.read(&run, "pairs.csv").contains("stall"), "{delay}");
    }
}

/// Sends a signal to processes, some of which may have ended.
fn send(processes: &[i32], signal: Signal) {
    for &pid in processes {
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// A process and all its descendants.
fn family(root: i32) -> Vec<i32> {
    let mut found = vec![root];
    let parents: Vec<(i32, i32)> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?))
        })
        .collect();
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(parents.iter().filter(|known| known.1 == parent).map(|known| known.0));
        at += 1;
    }
    found
}

#[test]
fn row_195_small_stacks_and_few_processes_end_in_a_sentence_and_never_in_a_panic() {
    let bench = Bench::new();
    let config = bench.config("small", &Match { pairs: 2, ..Match::default() });
    // Another user can read what is in this folder.
    let [program, engine] = ["playself", "engine"].map(|name| bench.path(name));
    install(Path::new(PLAYSELF), &program);
    install(Path::new(FAKE), &engine);
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace(FAKE, engine.to_str().unwrap())).unwrap();
    fs::set_permissions(bench.folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let limited = |limit: &str, run: &str| {
        let mut command = Command::new("prlimit");
        command.arg(limit).arg(&program).arg("match").arg(&config);
        command.arg("--run-dir").arg(bench.path(run)).current_dir(bench.folder.path());
        command
    };
    let (status, printed) = finish(&mut limited("--stack=131072", "stack"));
    assert_eq!(status, 0, "{printed}");
    let mut seen = Vec::new();
    for number in (1..14).chain([100]) {
        let mut command = limited(&format!("--nproc={number}"), &format!("few-{number}"));
        // The limit does not apply to root, and counts all processes of a user.
        if nix::unistd::geteuid().is_root() {
            std::os::unix::process::CommandExt::uid(&mut command, 54_321);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains("panicked"), "{number}: {text}");
        assert!(!text.contains("Permission denied"), "{number}: {text}");
        seen.push(output.status.code());
    }
    assert!(seen.iter().all(|status| matches!(status, Some(0 | 4))), "{seen:?}");
    assert_eq!(seen[0], Some(4), "one process is not enough: {seen:?}");
    if nix::unistd::geteuid().is_root() {
        assert_eq!(seen.last(), Some(&Some(0)), "a hundred processes are enough: {seen:?}");
    }
}

#[test]
fn row_195_few_descriptors_and_small_stacks_of_threads_end_in_a_sentence_and_never_in_a_panic() {
    let bench = Bench::new();
    let config = bench.config("small", &Match { pairs: 2, ..Match::default() });
    let mut seen = Vec::new();
    for number in (4..24).chain([200]) {
        let script = format!("ulimit -n {number}; exec \"$0\" match \"$1\" --run-dir few-{number}");
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(PLAYSELF).arg(&config);
        let (status, printed) = finish(command.current_dir(bench.folder.path()));
        assert!(!printed.contains("panicked"), "{number}: {printed}");
        // With three descriptors the loader cannot open a library.
        let is_explained = [0, 127].contains(&status) || printed.contains("open files");
        assert!(is_explained && [0, 2, 4, 127].contains(&status), "{number}: {status}: {printed}");
        seen.push(status);
    }
    assert_eq!(seen.last(), Some(&0), "two hundred are enough: {seen:?}");
    let mut command = Command::new(PLAYSELF);
    command.arg("match").arg(&config).args(["--run-dir", "stacks"]).current_dir(bench.folder.path());
    let (status, printed) = finish(command.env("RUST_MIN_STACK", "1"));
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn row_198_a_run_file_with_300_000_engines_is_refused_in_linear_time() {
    let bench = Bench::new();
    let config = bench.path("many.toml");
    let mut text = "[games]\nnodes = 10\nmax_pairs = 1\n".to_owned();
    text.push_str(&"[[engines]]\nengine = \"builtin\"\n".repeat(300_000));
    fs::write(&config, text).unwrap();
    // Twenty seconds of processor time, however busy the machine is.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -t 20; exec \"$0\" match many.toml --run-dir run", PLAYSELF]);
    let (status, printed) = finish(limited.current_dir(bench.folder.path()));
    assert_eq!((status, printed.contains("300000 engines are too many")), (2, true), "{printed}");
}
