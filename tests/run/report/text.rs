//! Snapshots of the score block, the panel and the tables on the terminal.

use std::process::Command;

use insta::assert_snapshot;

use crate::run::{Bench, Match, PLAYSELF, finish};

/// Writes `TIME` for every `h:mm:ss`, `N games/s` for every speed, and `FOLDER` for the folder of the bench.
fn stable(bench: &Bench, text: &str) -> String {
    let text = text.replace(&bench.folder.path().display().to_string(), "FOLDER");
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let stable = words.iter().enumerate().map(|(at, word)| match *word {
            time if is_time(time) => "TIME",
            _ if words.get(at + 1) == Some(&"games/s") => "N",
            other => other,
        });
        stable.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_time(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    parts.len() == 3 && parts.iter().all(|part| part.len() <= 2 && part.parse::<u8>().is_ok())
}

fn playself(bench: &Bench, arguments: &[&str]) -> String {
    let (status, text) = finish(Command::new(PLAYSELF).args(arguments).current_dir(bench.folder.path()));
    assert_eq!(status, 0, "{arguments:?}: {text}");
    stable(bench, &text)
}

/// Plays four pairs in the folder `run`; the baseline loses some of its games by an illegal move.
fn played(rest: &str) -> Bench {
    let bench = Bench::new();
    let wanted = Match {
        pairs: 4,
        baseline: &["--salt", "2", "--on", "on go#100: reply bestmove a1a1"],
        games: "concurrency = 1",
        rest,
        ..Match::default()
    };
    let (status, text) = finish(&mut bench.start(&bench.config("patch", &wanted), "run"));
    assert!([0, 3].contains(&status), "{text}");
    bench
}

#[test]
fn a_match_is_reported_in_the_reviewed_texts() {
    let bench = played("");
    assert_snapshot!("match-score-block", playself(&bench, &["report", "run"]));
    assert_snapshot!("match-panel", playself(&bench, &["watch", "run"]));
}

#[test]
fn a_test_is_reported_in_the_reviewed_texts() {
    let bench = played("[sprt]\nelo = [0.0, 5.0]");
    assert_snapshot!("test-score-block", playself(&bench, &["report", "run"]));
    assert_snapshot!("test-panel", playself(&bench, &["watch", "run"]));
    assert_snapshot!("test-forum", playself(&bench, &["report", "run", "--forum"]));
    assert_snapshot!("test-comparison", playself(&bench, &["report", "run", "run"]));
}

#[test]
fn a_tournament_is_reported_in_the_reviewed_table() {
    let bench = Bench::new();
    let engine = env!("CARGO_BIN_EXE_fake-engine");
    let mut call = vec!["match", "--games", "12", "--depth", "1", "--max-moves", "20", "--run-dir", "run"];
    call.extend(["--engine", engine, "--engine", engine, "--engine", engine, "--concurrency", "1"]);
    playself(&bench, &call);
    assert_snapshot!("tournament-score-block", playself(&bench, &["report", "run"]));
}
