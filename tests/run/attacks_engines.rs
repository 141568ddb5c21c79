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
fn row_186_a_program_replaced_or_deleted_during_a_run_is_reported_and_its_copy_plays_on() {
    for case in ["replaced", "deleted"] {
        let bench = Bench::new();
        let (config, engine) = restarting_match(&bench, 12, "", &[]);
        assert_eq!(finish(&mut bench.start(&config, "whole")).0, 0);
        let child = start(&mut bench.start(&config, "run"));
        wait_for("some games", 30, || played_games(&bench, "run") >= 4);
        match case {
            "replaced" => install(Path::new("/bin/false"), &engine),
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
    install(Path::new(PLAYSELF), &program);
    let config = bench.path("tune.toml");
    let text = "name = \"t\"\nseed = 3\nengine = \"builtin\"\n\
        [games]\nnodes = 200\nconcurrency = 1\n[adjudicate]\nmax_moves = 10\n\
        [tune]\nmethod = \"spsa\"\ngames = 60\nparameters = [\"knight_value\", \"bishop_value\"]\n\
        [accept]\nnodes = 200\nmax_pairs = 2\nelo = [0, 5]\n";
    fs::write(&config, text).unwrap();
    let tune = |run: &str| {
        let mut command = Command::new(&program);
        command
            .arg("tune")
            .arg(&config)
            .arg("--run-dir")
            .arg(bench.path(run))
            .current_dir(bench.folder.path());
        command
    };
    let child = start(&mut tune("run"));
    wait_for("some games", 60, || played_games(&bench, "run") >= 4);
    // The new program is another file that still runs.
    let draft = bench.path("rebuilt");
    fs::copy(PLAYSELF, &draft).unwrap();
    let mut bytes = fs::read(&draft).unwrap();
    bytes.extend_from_slice(b"rebuilt");
    fs::write(&draft, bytes).unwrap();
    fs::rename(&draft, &program).unwrap();
    interrupt(&child);
    let (status, printed) = end(child);
    assert_eq!(status, 130, "{printed}");
    let (status, printed) =
        finish(Command::new(&program).arg("resume").arg(bench.path("run")).current_dir(bench.folder.path()));
    assert!([0, 1, 3].contains(&status), "{status}: {printed}");
    assert!(
        bench.path("run/accept/summary.json").exists() || printed.contains("nothing to test"),
        "{printed}"
    );
    assert!(!bench.path("run/programs").exists());
}

#[test]
fn row_189_a_shortage_of_descriptors_pauses_a_run_which_goes_on_by_itself() {
    let _machine = machine::reserve();
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

#[test]
fn row_192_an_engine_whose_folder_is_gone_loses_and_does_not_end_the_run() {
    let bench = Bench::new();
    let (config, engine) = restarting_match(&bench, 1, "wait_ms = 300\nbreaker = \"off\"", &[]);
    let folder = bench.path("folder");
    fs::create_dir(&folder).unwrap();
    let text = fs::read_to_string(&config).unwrap();
    let own = format!("engine = \"{}\"", engine.display());
    fs::write(&config, text.replacen(&own, &format!("{own}\ndir = \"{}\"", folder.display()), 1)).unwrap();
    let child = start(&mut bench.start(&config, "run"));
    wait_for("a game", 30, || journal(&bench, "run").contains("\"type\":\"game\""));
    fs::remove_dir(&folder).unwrap();
    let (status, printed) = end(child);
    assert_eq!(status, 0, "{printed}");
    assert_eq!(bench.read("run", "pairs.csv").matches("crash(startup)").count(), 1, "{printed}");
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
    let _machine = machine::reserve();
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
    let limited = |limit: &str, command: &Command| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limit}; exec \"$@\""), "sh"]).arg(command.get_program());
        shell.args(command.get_args()).current_dir(bench.folder.path());
        shell
    };
    let (status, printed) = finish(&mut limited("ulimit -s 128", &bench.start(&config, "stack")));
    assert_eq!(status, 0, "{printed}");
    // Limits on processes do not apply to root.
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    fs::set_permissions(bench.folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    for number in 1..14 {
        let run = format!("few-{number}");
        let mut command = limited(&format!("ulimit -u {number}"), &bench.start(&config, &run));
        // A user without other processes.
        std::os::unix::process::CommandExt::uid(&mut command, 54_321);
        let Ok(output) = command.output() else { return };
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("Permission denied") {
            return;
        }
        let status = output.status.code();
        assert!(matches!(status, Some(0 | 2 | 4)), "{number}: {status:?} {text}");
        assert!(!text.contains("panicked"), "{number}: {text}");
    }
}

#[test]
fn row_198_a_run_file_with_300_000_engines_is_refused_in_linear_time() {
    let bench = Bench::new();
    let config = bench.path("many.toml");
    let mut text = "[games]\nnodes = 10\nmax_pairs = 1\n".to_owned();
    text.push_str(&"[[engines]]\nengine = \"builtin\"\n".repeat(300_000));
    fs::write(&config, text).unwrap();
    let begun = std::time::Instant::now();
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!((status, printed.contains("300000 engines are too many")), (2, true), "{printed}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
