//! Accidents of unattended runs: hang-ups, refused resumes, damaged journals, special files.

use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::Pid;

use crate::run::{Bench, Match, PLAYSELF, finish, spawn, wait_for};

/// Contents of the files of a run that a refused resume must not change.
fn derived_files(bench: &Bench) -> Vec<Vec<u8>> {
    ["games.pgn", "pairs.csv", "summary.json"]
        .map(|name| fs::read(bench.path("run").join(name)).unwrap())
        .into()
}

#[test]
fn row_98_a_signal_ignored_at_the_start_does_not_stop_the_run() {
    let bench = Bench::new();
    let slow = ["--salt", "1", "--sleep-ms", "2"];
    let config = bench.config("nohup", &Match { pairs: 30, candidate: &slow, ..Match::default() });
    let start = bench.start(&config, "run");
    let arguments: Vec<_> =
        start.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
    // The shell ignores the signals and passes that on, as nohup does.
    let mut child = spawn(
        Command::new("sh")
            .args(["-c", "trap '' HUP INT; exec \"$@\"", "sh", PLAYSELF])
            .args(&arguments)
            .current_dir(bench.folder.path()),
    );
    wait_for("a counted pair", 60, || bench.path("run/pairs.csv").exists());
    let process = Pid::from_raw(child.id().cast_signed());
    for signal in [Signal::SIGHUP, Signal::SIGINT] {
        kill(process, signal).unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "all pairs were played");
}

#[test]
fn row_99_a_refused_resume_leaves_every_file_as_it_was() {
    let bench = Bench::new();
    let config = bench.config("refused", &Match { pairs: 12, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let (journal, plan) = (bench.path("run/journal.ndjson"), bench.path("run/plan.toml"));
    let (valid, plan_text) = (fs::read(&journal).unwrap(), fs::read_to_string(&plan).unwrap());
    let before = derived_files(&bench);
    let mut damaged = valid.clone();
    damaged[valid.len() / 2] ^= 1;
    fs::write(&journal, &damaged).unwrap();
    for _ in 0..3 {
        let (status, printed) = finish(&mut bench.resume("run"));
        assert_eq!(status, 4, "{printed}");
        assert_eq!(derived_files(&bench), before, "{printed}");
    }
    fs::write(&journal, &valid).unwrap();
    fs::write(&plan, plan_text.replace("seed = 5", "seed = 6")).unwrap();
    let (status, printed) = finish(&mut bench.resume("run"));
    assert_eq!((status, printed.contains("seed was 5 and is 6 now")), (4, true), "{printed}");
    assert_eq!(derived_files(&bench), before, "{printed}");
}

#[test]
fn row_100_zeros_in_durable_records_are_damage_and_not_a_torn_tail() {
    let bench = Bench::new();
    let config = bench.config("zeros", &Match { pairs: 6, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let journal = bench.path("run/journal.ndjson");
    let mut bytes = fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 2].fill(0);
    fs::write(&journal, &bytes).unwrap();
    for command in ["resume", "verify"] {
        let (status, printed) = finish(Command::new(PLAYSELF).arg(command).arg(bench.path("run")));
        assert_eq!((status, printed.contains("is damaged at byte")), (4, true), "{command}: {printed}");
        assert_eq!(fs::read(&journal).unwrap(), bytes, "{command}");
    }
}

#[test]
fn row_121_files_that_are_ahead_of_the_journal_are_kept_aside() {
    for missing in [4, 1] {
        let bench = Bench::new();
        let config = bench.config("ahead", &Match { pairs: 8, ..Match::default() });
        assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
        let journal = bench.path("run/journal.ndjson");
        let text = fs::read_to_string(&journal).unwrap();
        let game = format!("\"type\":\"game\",\"pair\":{},", 8 - missing);
        let left = text.split_inclusive('\n').take_while(|line| !line.contains(&game));
        fs::write(&journal, left.collect::<String>()).unwrap();
        let games = fs::read(bench.path("run/games.pgn")).unwrap();
        let (status, printed) = finish(&mut bench.resume("run"));
        assert_eq!(status, 0, "{missing}: {printed}");
        assert!(printed.contains("the old file is kept as games.pgn.before-resume"), "{missing}: {printed}");
        let kept = fs::read(bench.path("run/games.pgn.before-resume")).unwrap();
        assert!(kept == games, "{missing}: the whole file is kept");
        assert_eq!(fs::read(bench.path("run/games.pgn")).unwrap(), games, "the same games were played again");
    }
}

#[test]
fn row_122_a_plan_larger_than_64_kib_is_resumed_like_any_other() {
    let bench = Bench::new();
    let config = bench.config("large", &Match { pairs: 4, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap();
    let value = "x".repeat(80 << 10);
    fs::write(
        &config,
        text.replace("[baseline]", &format!("env = {{ PLAYSELF_TEST_FILLER = \"{value}\" }}\n[baseline]")),
    )
    .unwrap();
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    for command in ["resume", "verify"] {
        let (status, printed) = finish(Command::new(PLAYSELF).arg(command).arg(bench.path("run")));
        assert_eq!(status, 0, "{command}: {printed}");
    }
}

#[test]
fn row_123_devices_and_pipes_are_refused_where_a_file_is_expected() {
    let bench = Bench::new();
    let pipe = bench.path("pipe");
    nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    for path in [Path::new("/dev/zero"), &pipe, bench.folder.path()] {
        let name = path.display().to_string();
        for arguments in [
            vec!["match", &name],
            vec!["--white", "builtin", "--black", "builtin", "--nodes", "10", "--openings", &name],
            vec!["--white", "builtin", "--black", &format!("builtin:{name}"), "--nodes", "10"],
        ] {
            let (status, printed) =
                finish(Command::new(PLAYSELF).args(&arguments).current_dir(bench.folder.path()));
            assert_eq!(status, 2, "{arguments:?}: {printed}");
        }
    }
}
