//! Signals, slow and absent readers and many games at once, with the command lines of fastchess and cutechess-cli.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::compat_lines::{BOOK, command, finish, finished_games, stdout};
use crate::run::{Bench, PLAYSELF, wait_for};

const SURFACES: [&str; 2] = ["fastchess", "cutechess-cli"];

/// A long match, whose engines differ from those of other tests by their environment.
fn long_match(bench: &Bench, surface: &str) -> Command {
    let (rounds, pgn) = if surface == "fastchess" { ("40", "file=g.pgn") } else { ("100000", "g.pgn") };
    let flags = ["-rounds", rounds, "-maxmoves", "30", "-concurrency", "2", "-pgnout", pgn];
    let mut command = command(bench, surface, &flags);
    command.args(BOOK).args((surface == "fastchess").then_some("-force-concurrency"));
    command.stdout(Stdio::piped()).env("TMPDIR", bench.folder.path());
    command
}

/// Starts a match, and returns it after its tenth game with the lines so far.
fn ten_games(
    command: &mut Command,
) -> (Child, String, impl Iterator<Item = std::io::Result<String>> + use<>) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    while finished_games(&text).len() < 10 {
        text.push_str(&lines.next().unwrap().unwrap());
        text.push('\n');
    }
    (child, text, lines)
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
}

/// Processes of engines whose temporary folder is that of the bench.
fn engines_of(bench: &Bench) -> usize {
    let marked = format!("TMPDIR={}", bench.folder.path().display());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let here = |entry: &fs::DirEntry| {
        let fake =
            fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == Path::new(crate::run::FAKE));
        fake && fs::read(entry.path().join("environ")).is_ok_and(|environment| {
            environment.split(|byte| *byte == 0).any(|variable| variable == marked.as_bytes())
        })
    };
    processes.filter(here).count()
}

fn assert_no_engine(bench: &Bench) {
    wait_for("the end of all engines", 5, || engines_of(bench) == 0);
}

fn games_in(bench: &Bench) -> usize {
    let pgn = fs::read_to_string(bench.path("g.pgn")).unwrap();
    let games: HashSet<&str> = pgn.split_inclusive("\n\n[Event").collect();
    assert_eq!(games.len(), pgn.matches("[Result ").count(), "no game stands there twice");
    games.len()
}

/// Row 176.
#[test]
fn a_signal_stops_at_once_and_the_run_continues_without_losing_or_repeating_a_game() {
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let bench = Bench::new();
        let (mut child, mut first, lines) =
            ten_games(long_match(&bench, "fastchess").args(["-each", "args=--sleep-ms=2"]));
        assert!(engines_of(&bench) > 0, "engines are recognised");
        let asked = Instant::now();
        send(&child, signal);
        lines.for_each(|line| first.push_str(&(line.unwrap() + "\n")));
        let status = child.wait().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(5), "it stops at once");
        assert!(!first.contains(": *"), "{first}");
        if signal == Signal::SIGINT {
            assert_eq!(status.code(), Some(1));
            assert!(first.contains("Tournament was interrupted. To resume the tournament, run: "), "{first}");
        }
        assert_no_engine(&bench);
        let mut again = Command::new(PLAYSELF);
        again.args(["fastchess", "-config", "file=config.json"]).current_dir(bench.folder.path());
        let output = finish(again.env("TMPDIR", bench.folder.path()));
        let second = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{second}");
        let both = finished_games(&first).len() + finished_games(&second).len();
        match signal {
            Signal::SIGINT => assert_eq!(both, 80, "every game has its line"),
            // A game may be on record whose line was not printed any more.
            _ => assert!((76..=80).contains(&both), "{both}"),
        }
        assert_eq!(games_in(&bench), 80, "every game is in the file");
        assert!(second.contains("Games: 80, Wins: "), "{second}");
        let left = fs::read_dir(bench.folder.path()).unwrap();
        let left =
            left.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("playself"));
        assert_eq!(left.count(), 0, "no temporary folder is left");
    }
}

#[test]
fn cutechess_ends_with_status_0_at_a_signal_and_leaves_no_engine_when_killed() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let bench = Bench::new();
        let (mut child, mut text, lines) = ten_games(&mut long_match(&bench, "cutechess-cli"));
        let asked = Instant::now();
        send(&child, signal);
        lines.for_each(|line| text.push_str(&(line.unwrap() + "\n")));
        let status = child.wait().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(5), "it stops at once");
        assert!(!text.contains(": *"), "{text}");
        assert_no_engine(&bench);
        if signal != Signal::SIGKILL {
            assert_eq!(status.code(), Some(0), "{text}");
            assert!(text.ends_with("Finished match\n"), "{text}");
            assert_eq!(
                games_in(&bench),
                finished_games(&text).len(),
                "every game with a line is in the file"
            );
        }
    }
}

#[test]
fn a_second_signal_changes_nothing() {
    let bench = Bench::new();
    let (mut child, mut text, lines) =
        ten_games(long_match(&bench, "fastchess").args(["-each", "args=--sleep-ms=2"]));
    send(&child, Signal::SIGINT);
    send(&child, Signal::SIGINT);
    lines.for_each(|line| text.push_str(&(line.unwrap() + "\n")));
    assert_eq!(child.wait().unwrap().code(), Some(1), "{text}");
    assert!(text.contains("Tournament was interrupted.") && text.contains("Finished match\n"), "{text}");
    assert_no_engine(&bench);
}

/// Row 177.
#[test]
fn a_slow_reader_receives_every_line() {
    for surface in SURFACES {
        let bench = Bench::new();
        let flags = ["-rounds", "300", "-maxmoves", "2", "-ratinginterval", "1"];
        let mut child = command(&bench, surface, &flags).args(BOOK).stdout(Stdio::piped()).spawn().unwrap();
        // More text than a pipe holds waits meanwhile.
        std::thread::sleep(Duration::from_millis(1200));
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let (block, games) =
            if surface == "fastchess" { ("Ptnml(0-2): ", 600) } else { ("Elo difference: ", 300) };
        assert_eq!(text.matches(block).count(), 300);
        assert_eq!(finished_games(&text), (1..=games).collect::<Vec<u64>>());
        assert!(text.len() > 70_000 && text.contains("Finished match\n"));
    }
}

/// Row 177.
#[test]
fn a_closed_pipe_stops_the_run() {
    for surface in SURFACES {
        let bench = Bench::new();
        let flags = ["-rounds", "100000", "-maxmoves", "2"];
        let mut command = command(&bench, surface, &flags);
        command.args(BOOK).env("TMPDIR", bench.folder.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("Started game 1"));
        drop(lines);
        wait_for("the end of the run", 20, || child.try_wait().unwrap().is_some());
        assert_no_engine(&bench);
    }
}

#[test]
fn three_hundred_games_at_once_end_and_none_is_missing() {
    for surface in SURFACES {
        let bench = Bench::new();
        let rounds = if surface == "fastchess" { "150" } else { "300" };
        let flags = ["-rounds", rounds, "-maxmoves", "3", "-concurrency", "300", "-recover"];
        let mut command = command(&bench, surface, &flags);
        command.args(BOOK).args((surface == "fastchess").then_some("-force-concurrency"));
        let output = finish(&mut command);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert_eq!(finished_games(&text), (1..=300).collect::<Vec<u64>>());
        let faults = ["disconnects", "stalls", "loses on time", "illegal move"];
        assert!(!faults.iter().any(|fault| text.contains(fault)), "no engine fails: {text}");
        let end = if surface == "fastchess" { "Games: 300, Wins: " } else { "] 300\n" };
        assert!(text.contains(end), "{text}");
    }
}
