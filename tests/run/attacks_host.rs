//! Attacks on what surrounds a run: terminals, pipes, numbers, files.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{FlowArg, tcflow};
use nix::unistd::{Pid, ttyname};
use serde_json::Value;

use crate::run::{Bench, Match, PLAYSELF, finish, wait_for};
use crate::signals::with_default_signals;

/// A match whose games last a while.
fn slow_match(bench: &Bench, name: &str) -> std::path::PathBuf {
    let slow = ["--salt", "1", "--sleep-ms", "2"];
    bench.config(name, &Match { pairs: 10_000, candidate: &slow, ..Match::default() })
}

/// Starts a command whose output and errors go to `terminal`.
fn spawn_on(command: &mut Command, terminal: &OwnedFd) -> Child {
    let stream = || Stdio::from(terminal.try_clone().unwrap());
    with_default_signals(command).stdin(Stdio::null()).stdout(stream()).stderr(stream()).spawn().unwrap()
}

/// Writes to a terminal until it accepts nothing more.
fn fill(terminal: &OwnedFd) {
    let flags = (OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits();
    let mut file =
        OpenOptions::new().write(true).custom_flags(flags).open(ttyname(terminal).unwrap()).unwrap();
    loop {
        match file.write(&[b'x'; 512]) {
            Ok(_) => {}
            Err(why) if why.kind() == ErrorKind::WouldBlock => return,
            Err(why) => panic!("{why}"),
        }
    }
}

fn counted_pairs(bench: &Bench, run: &str) -> usize {
    fs::read_to_string(bench.path(run).join("pairs.csv"))
        .map_or(0, |text| text.lines().count().saturating_sub(1))
}

#[test]
fn row_130_a_terminal_that_accepts_nothing_delays_neither_games_nor_status_nor_signals() {
    let bench = Bench::new();
    let config = slow_match(&bench, "unread");
    let stop = |terminal: &OwnedFd| tcflow(terminal, FlowArg::TCOOFF).unwrap();
    let cases: [(_, _, fn(&OwnedFd)); 3] =
        [("stopped", None, stop), ("full", None, fill), ("stopped-events", Some("--json"), stop)];
    thread::scope(|scope| {
        for (case, flags, block) in cases {
            let mut command = bench.start(&config, case);
            command.args(flags);
            let bench = &bench;
            scope.spawn(move || end_a_run_on_a_blocked_terminal(bench, case, command, block));
        }
    });
}

/// Plays a run on a terminal that `block` has made accept nothing, and ends it by SIGTERM.
fn end_a_run_on_a_blocked_terminal(bench: &Bench, case: &str, mut command: Command, block: fn(&OwnedFd)) {
    let terminal = openpty(None, None).unwrap();
    block(&terminal.slave);
    let mut child = spawn_on(&mut command, &terminal.slave);
    wait_for("counted pairs", 60, || counted_pairs(bench, case) >= 5);
    let (status, answer) = finish(Command::new(PLAYSELF).arg("status").arg(bench.path(case)));
    assert_eq!((status, answer.contains("\"playing\"")), (0, true), "{case}: {answer}");
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    wait_for("the end", 25, || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130), "{case}");
}

#[test]
fn row_130_a_terminal_that_is_read_again_shows_the_newest_panel() {
    let bench = Bench::new();
    let config = slow_match(&bench, "read-again");
    let terminal = openpty(None, None).unwrap();
    tcflow(&terminal.slave, FlowArg::TCOOFF).unwrap();
    let mut child = spawn_on(&mut bench.start(&config, "run"), &terminal.slave);
    wait_for("counted pairs", 60, || counted_pairs(&bench, "run") >= 15);
    let mut screen = File::from(terminal.master);
    let reading = thread::spawn(move || {
        let (mut seen, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = screen.read(&mut bytes) {
            seen.extend_from_slice(&bytes[..read]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    tcflow(&terminal.slave, FlowArg::TCOON).unwrap();
    thread::sleep(Duration::from_millis(500));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(terminal.slave);
    let seen = reading.join().unwrap();
    assert!(seen.contains("The run was interrupted."), "{seen}");
    assert!(seen.contains("Finished game 1 ("), "{seen}");
}

#[test]
fn row_63_a_slow_reader_of_a_finished_run_gets_every_event() {
    let bench = Bench::new();
    let config = bench.config("slow", &Match { pairs: 60, ..Match::default() });
    let mut command = bench.start(&config, "run");
    let mut child = command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    fcntl(output.as_fd(), FcntlArg::F_SETPIPE_SZ(4096)).unwrap();
    let mut events = Vec::new();
    for line in BufReader::with_capacity(64, output).lines() {
        events.push(serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        thread::sleep(Duration::from_millis(4));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("game"), count("pair"), count("warning")), (120, 60, 0));
    assert_eq!(events.last().unwrap()["event"], "verdict");
}

#[test]
fn row_131_numbers_beyond_any_use_are_refused_with_their_range() {
    let bench = Bench::new();
    let config = bench.config("numbers", &Match { pairs: 1, ..Match::default() });
    let most = u64::MAX.to_string();
    let wraps = (u64::MAX / 12 + 1).to_string();
    for (flag, value) in [
        ("--concurrency", most.as_str()),
        ("--concurrency", &wraps),
        ("--concurrency", "4097"),
        ("--concurrency", "0"),
        ("--concurrency", "18446744073709551616"),
        ("--games", &most),
        ("--games", "9223372036854775807"),
        ("--nodes", &most),
        ("--depth", "4294967295"),
        ("--movetime", &most),
        ("--margin", &most),
        ("--tc", "1:18446744073709551000"),
        ("--tc", "1e400"),
        ("--max-moves", "4294967295"),
        ("--draw", "4294967295,4294967295,4294967295"),
        ("--resign", "4294967295,4294967295"),
        ("--seed", &most),
    ] {
        let (status, printed) = finish(bench.start(&config, "run").arg(flag).arg(value));
        assert_eq!(status, 2, "{flag} {value}: {printed}");
        assert!(!bench.path("run").exists(), "{flag} {value}: {printed}");
    }
    for line in [
        "concurrency = 9223372036854775807",
        "concurrency = 4097",
        "max_pairs = 9223372036854775807",
        "nodes = 9223372036854775807",
        "movetime_ms = 9223372036854775807",
        "margin_ms = 9223372036854775807",
        "start = 9223372036854775807",
        "plies = 4294967295",
        "tc = \"1:18446744073709551000\"",
    ] {
        let key = line.split(' ').next().unwrap();
        let text = fs::read_to_string(&config).unwrap();
        let kept: Vec<&str> = text.lines().filter(|old| !old.starts_with(key)).collect();
        let path = bench.path("absurd.toml");
        fs::write(&path, kept.join("\n").replace("[games]", &format!("[games]\n{line}"))).unwrap();
        let (status, printed) = finish(&mut bench.start(&path, "run"));
        assert_eq!(status, 2, "{line}: {printed}");
        assert!(printed.contains(key) && !bench.path("run").exists(), "{line}: {printed}");
    }
}

#[test]
fn row_131_an_edited_plan_and_the_control_socket_refuse_absurd_numbers() {
    let bench = Bench::new();
    let config = slow_match(&bench, "control");
    let mut child = crate::run::spawn(&mut bench.start(&config, "run"));
    // The file is there a moment before connections are accepted.
    wait_for("the control socket", 60, || UnixStream::connect(bench.path("run/control.sock")).is_ok());
    for absurd in ["18446744073709551615", "1537228672809129302", "4097", "-1", "1e3"] {
        let mut socket = UnixStream::connect(bench.path("run/control.sock")).unwrap();
        writeln!(socket, "concurrency {absurd}").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("from 1 to 4096"), "{absurd}: {answer}");
    }
    let (status, printed) = finish(Command::new(PLAYSELF).arg("stop").arg(bench.path("run")));
    assert_eq!(status, 0, "{printed}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let plan = bench.read("run", "plan.toml");
    for (from, to) in [
        ("concurrency = 2", "concurrency = 9223372036854775807"),
        ("max_pairs = 10000", "max_pairs = 9223372036854775807"),
        ("depth = 1", "depth = 4294967295"),
        ("max_moves = 40", "max_moves = 4294967295"),
        ("secs = 10", "secs = 9223372036854775807"),
        ("line_bytes = 65536", "line_bytes = 9223372036854775807"),
    ] {
        let key = from.split(' ').next().unwrap();
        let edited: Vec<String> = plan
            .lines()
            .map(|line| if line.starts_with(&format!("{key} = ")) { to.to_owned() } else { line.to_owned() })
            .collect();
        let path = bench.path("edited.toml");
        fs::write(&path, edited.join("\n")).unwrap();
        let (status, printed) = finish(&mut bench.start(&path, "again"));
        assert_eq!((status, printed.contains("must be from")), (2, true), "{to}: {printed}");
    }
}

/// Waits for the end of a process that is no child of this one.
fn wait_for_end(process: i32) {
    let gone = || kill(Pid::from_raw(process), None).is_err() || is_zombie(process);
    wait_for("the end of the detached run", 60, gone);
}

/// A process whose parent has ended may still be a zombie.
fn is_zombie(process: i32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

fn list(bench: &Bench, folder: &str) -> Vec<Value> {
    let output = Command::new(PLAYSELF).args(["list", "--json"]).arg(bench.path(folder)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["runs"].as_array().unwrap().clone()
}

#[test]
fn row_143_a_detached_run_outlives_its_terminal_and_is_listed_watched_and_stopped() {
    let bench = Bench::new();
    let config = slow_match(&bench, "detached");
    let terminal = openpty(None, None).unwrap();
    let mut start = Command::new(PLAYSELF);
    start.arg("match").arg(&config).args(["--detach", "--results"]).arg(bench.path("results"));
    start.current_dir(bench.folder.path());
    let mut child = spawn_on(&mut start, &terminal.slave);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut printed = vec![0; 4096];
    let read = File::from(terminal.master).read(&mut printed).unwrap();
    let printed = String::from_utf8_lossy(&printed[..read]).into_owned();
    drop(terminal.slave);
    let process: i32 = printed.split("process ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let folder =
        printed.split("playself stop ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    assert_eq!(
        (fields[3], fields[4]),
        (process.to_string().as_str(), "0"),
        "a session of its own without a terminal"
    );
    wait_for("counted pairs", 60, || {
        fs::read_to_string(format!("{folder}/pairs.csv")).is_ok_and(|text| text.lines().count() > 3)
    });
    let runs = list(&bench, "results");
    assert_eq!((runs.len(), &runs[0]["state"]), (1, &Value::from("running")), "{runs:?}");
    assert!(fs::read_to_string(format!("{folder}/run.log")).unwrap().contains("Finished game 1 ("));
    let (status, answer) = finish(Command::new(PLAYSELF).args(["pause", &folder]));
    assert_eq!(status, 0, "{answer}");
    assert_eq!(list(&bench, "results")[0]["state"], "paused");
    let (status, answer) = finish(Command::new(PLAYSELF).args(["stop", &folder]));
    assert_eq!(status, 0, "{answer}");
    wait_for_end(process);
    let runs = list(&bench, "results");
    assert_eq!(runs[0]["state"], "interrupted");
    assert!(runs[0]["result"].is_string() && runs[0]["pairs"].as_u64() >= Some(3), "{runs:?}");
    // Resumed in the background, then killed.
    let output = Command::new(PLAYSELF).args(["resume", &folder, "--detach", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let detached: Value = serde_json::from_slice(&output.stdout).unwrap();
    let process = i32::try_from(detached["process"].as_i64().unwrap()).unwrap();
    let events = detached["events"].as_str().unwrap().to_owned();
    wait_for("events", 60, || {
        fs::read_to_string(&events).is_ok_and(|text| text.contains("\"event\":\"game\""))
    });
    kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
    wait_for_end(process);
    assert_eq!(list(&bench, "results")[0]["state"], "crashed");
}

#[test]
fn row_143_a_detached_run_holds_no_lock_and_no_pipe_of_the_shell_that_started_it() {
    let bench = Bench::new();
    let config = slow_match(&bench, "detached");
    let script = "exec 9>lock; flock 9; \"$@\" --detach";
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).arg(PLAYSELF).args(bench.start(&config, "run").get_args());
    // The end of its output is seen although the run goes on.
    let (status, printed) = finish(command.current_dir(bench.folder.path()));
    assert_eq!(status, 0, "{printed}");
    let free = Command::new("flock").arg("-n").arg(bench.path("lock")).arg("true").status().unwrap();
    assert!(free.success(), "the run holds the lock");
    wait_for("the control socket", 60, || bench.path("run/control.sock").exists());
    let (status, answer) = finish(Command::new(PLAYSELF).arg("stop").arg(bench.path("run")));
    assert_eq!(status, 0, "{answer}");
    wait_for("the end", 30, || !bench.path("run/control.sock").exists());
}

#[test]
fn row_242_a_limit_on_file_sizes_or_processor_time_ends_a_run_in_order() {
    let bench = Bench::new();
    let config = bench.config("files", &Match { pairs: 300, ..Match::default() });
    let mut command = Command::new("prlimit");
    command.arg("--fsize=60000").arg(PLAYSELF).args(bench.start(&config, "files").get_args());
    let (status, printed) = finish(with_default_signals(&mut command).current_dir(bench.folder.path()));
    assert_eq!((status, printed.contains("the journal could not be written")), (4, true), "{printed}");
    for (run, limit) in [("nothing", "--fsize=0"), ("files", "--fsize=10")] {
        let mut command = Command::new("prlimit");
        command.arg(limit).arg(PLAYSELF);
        match run {
            "files" => command.arg("verify").arg(bench.path(run)),
            _ => command.args(bench.start(&config, run).get_args()),
        };
        let (status, printed) = finish(with_default_signals(&mut command).current_dir(bench.folder.path()));
        assert_eq!((status, printed.contains("File too large")), (4, true), "{limit}: {printed}");
    }
    let config = slow_match(&bench, "time");
    let mut child = crate::run::spawn(&mut bench.start(&config, "time"));
    wait_for("counted pairs", 60, || counted_pairs(&bench, "time") >= 2);
    // What the system sends when the time is used up.
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGXCPU).unwrap();
    wait_for("the end", 25, || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    for run in ["files", "time"] {
        let (status, printed) = finish(Command::new(PLAYSELF).arg("verify").arg(bench.path(run)));
        assert_eq!(status, 0, "{run}: {printed}");
    }
}

#[test]
fn row_143_what_is_refused_is_refused_on_the_terminal_before_anything_is_detached() {
    let bench = Bench::new();
    let config = bench.config("refused", &Match::default());
    let absent = ["--detach", "--openings", "missing.epd"];
    let (status, printed) = finish(bench.start(&config, "run").args(absent));
    assert_eq!((status, printed.contains("missing.epd")), (2, true), "{printed}");
    assert!(!bench.path("run").exists());
    let (status, printed) = finish(bench.start(&bench.path("missing.toml"), "run").arg("--detach"));
    assert_eq!((status, printed.contains("missing.toml")), (2, true), "{printed}");
    let short = bench.config("short", &Match { pairs: 1, ..Match::default() });
    let (status, printed) = finish(bench.start(&short, "by-hand").arg("--detached").stdin(Stdio::null()));
    assert_eq!((status, printed.contains("use that")), (2, true), "{printed}");
}

#[test]
fn the_list_of_runs_is_in_the_order_of_their_starts_with_results() {
    let bench = Bench::new();
    for name in ["b-first", "a-second"] {
        let config = bench.config(name, &Match { pairs: 2, ..Match::default() });
        assert_eq!(finish(&mut bench.start(&config, &format!("results/{name}"))).0, 0);
        thread::sleep(Duration::from_millis(20));
    }
    fs::create_dir(bench.path("results/no-run")).unwrap();
    let (status, text) = finish(Command::new(PLAYSELF).arg("list").arg(bench.path("results")));
    assert_eq!(status, 0, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("finished") && lines[0].contains("results/b-first"), "{text}");
    assert!(lines[1].contains("finished") && lines[1].contains("results/a-second"), "{text}");
    let (status, text) = finish(Command::new(PLAYSELF).arg("list").arg(bench.path("nowhere")));
    assert_eq!((status, text.contains("nowhere")), (2, true), "{text}");
}

#[test]
fn row_142_silent_clients_of_the_control_socket_do_not_keep_others_out() {
    let bench = Bench::new();
    let config = slow_match(&bench, "silent");
    let mut child = crate::run::spawn(&mut bench.start(&config, "run"));
    let socket = bench.path("run/control.sock");
    wait_for("the control socket", 60, || socket.exists());
    let silent: Vec<UnixStream> = (0..200).filter_map(|_| UnixStream::connect(&socket).ok()).collect();
    let half: Vec<UnixStream> = (0..20)
        .filter_map(|_| {
            let mut stream = UnixStream::connect(&socket).ok()?;
            stream.write_all(b"stat").ok()?;
            Some(stream)
        })
        .collect();
    wait_for("an answer", 20, || finish(Command::new(PLAYSELF).arg("status").arg(bench.path("run"))).0 == 0);
    drop((silent, half));
    assert_eq!(finish(Command::new(PLAYSELF).arg("stop").arg(bench.path("run"))).0, 0);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn row_138_megabytes_of_choices_are_not_kept() {
    let bench = Bench::new();
    let choices = " var choice".repeat(2_000);
    let option = format!("option name Combo type combo default choice{choices}\\n").repeat(20);
    let rule = format!("on uci: write {option}uciok\\n");
    let script = bench.path("script");
    fs::write(&script, format!("{rule}\n")).unwrap();
    let name = script.display().to_string();
    let config =
        bench.config("combos", &Match { pairs: 2, candidate: &["--script", &name], ..Match::default() });
    let mut child = crate::run::spawn(&mut bench.start(&config, "run"));
    let mut most = 0;
    wait_for("the end", 60, || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0) >> 10);
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(most < 96, "{most} MB");
}

#[test]
fn row_141_prepared_names_of_temporary_files_are_not_written_to() {
    let bench = Bench::new();
    let config = bench.config("prepared", &Match { pairs: 2, ..Match::default() });
    let victim = bench.path("victim");
    fs::write(&victim, "mine").unwrap();
    fs::create_dir(bench.path("run")).unwrap();
    for name in ["plan.draft", "summary.draft", "report.draft", "plan.toml.draft", ".plan.toml.draft"] {
        std::os::unix::fs::symlink(&victim, bench.path("run").join(name)).unwrap();
    }
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert_eq!(status, 0, "{printed}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}
