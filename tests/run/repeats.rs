//! Openings that are used up, and pairs that repeat earlier ones.

use std::collections::HashSet;

use crate::run::{Bench, Match, finish};

/// The book of these runs has eight openings.
const OPENINGS: u64 = 8;
const PAIRS: u64 = 20;

/// Plays more pairs than the book has openings. Returns exit status, output, and the distinct starts in the PGN.
fn play(bench: &Bench, name: &str, games: &str, rest: &str) -> (i32, String, HashSet<String>) {
    let config = bench.config(name, &Match { pairs: PAIRS, games, rest, ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, name));
    let pgn = bench.read(name, "games.pgn");
    let first_games = pgn.split("[Event ").filter(|game| game.contains(".1\"]"));
    let starts = first_games.map(|game| {
        let fen = game.split("[FEN \"").nth(1).unwrap().split('"').next().unwrap();
        // The opening and the first move of the engine, which follows from it.
        let moves = game.split("\n\n").nth(1).unwrap().split('{').next().unwrap();
        format!("{fen} {moves}")
    });
    (status, printed, starts.collect())
}

fn summary(bench: &Bench, run: &str) -> serde_json::Value {
    serde_json::from_str(&bench.read(run, "summary.json")).unwrap()
}

#[test]
fn used_up_openings_are_extended_and_every_pair_is_new() {
    let bench = Bench::new();
    let (status, printed, starts) = play(&bench, "extend", "", "");
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("8 openings for 20 rounds: then each is extended"), "{printed}");
    assert_eq!(starts.len() as u64, PAIRS, "no two pairs start alike");
    let summary = summary(&bench, "extend");
    assert_eq!((summary["pairs"].as_u64(), summary["repeated_pairs"].as_u64()), (Some(PAIRS), Some(0)));
    let (_, _, again) = play(&bench, "again", "", "");
    assert_eq!(starts, again, "fresh openings follow from the seed");
}

#[test]
fn repeated_pairs_do_not_count() {
    let bench = Bench::new();
    let (status, printed, starts) = play(&bench, "repeat", "after_book = \"repeat\"", "");
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("pairs that repeat earlier ones are not counted"), "{printed}");
    assert!(printed.contains("move for move; such pairs are not counted"), "{printed}");
    assert_eq!(starts.len() as u64, OPENINGS);
    let summary = summary(&bench, "repeat");
    assert_eq!(
        (summary["pairs"].as_u64(), summary["repeated_pairs"].as_u64()),
        (Some(OPENINGS), Some(PAIRS - OPENINGS))
    );
    assert_eq!(bench.read("repeat", "pairs.csv").lines().count() as u64, 1 + OPENINGS);
    assert!(bench.verify("repeat").status.success(), "the files follow from the journal");
}

#[test]
fn a_test_whose_openings_are_used_up_ends_undecided() {
    let bench = Bench::new();
    let (status, printed, _) = play(
        &bench,
        "stop",
        "after_book = \"stop\"",
        "[sprt]\nelo = [-300, 300]\nalpha = 0.000001\nbeta = 0.000001\n",
    );
    assert_eq!(status, 3, "{printed}");
    assert!(printed.contains("all openings were used"), "{printed}");
    assert_eq!(summary(&bench, "stop")["pairs"].as_u64(), Some(OPENINGS));
    assert_eq!(finish(&mut bench.resume("stop")).0, 3, "a resumed run has the same end");
}
