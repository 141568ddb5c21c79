//! `playself book`, and the shipped books.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use playself::chess::{Color, Epd};
use playself::opening::{Book, BookFormat, BookOptions};
use tempfile::TempDir;

fn book(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_playself"))
        .arg("book")
        .args(arguments)
        .output()
        .expect("the program can be started")
}

/// Returns the text of a compressed book.
fn unpacked(name: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(name).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_generated_book_is_the_same_on_any_number_of_threads_and_passes_the_check() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("made.epd");
    let name = path.to_str().unwrap();
    let make = |name: &str, threads: &str| {
        let size = ["--count", "12", "--plies", "6", "--window", "20,90"];
        let search = ["--nodes", "400", "--seed", "5", "--threads", threads];
        let output = book(&[&["make", "--out", name], &size[..], &search[..]].concat());
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    };
    let made = ["1", "3"].map(|threads| {
        make(name, threads);
        fs::read_to_string(&path).unwrap()
    });
    make(&format!("{name}.gz"), "2");
    assert_eq!(unpacked(&format!("{name}.gz")), made[0]);
    assert_eq!(made[0], made[1]);
    assert_eq!(made[0].lines().count(), 12);
    let output = book(&["check", name, "--json"]);
    assert!(output.status.success(), "{output:?}");
    let described: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&described["openings"], &described["different"], &described["format"]),
        (&12.into(), &12.into(), &"epd".into())
    );
}

#[test]
fn an_invalid_book_or_call_is_reported_in_one_line_with_exit_status_2() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.epd");
    fs::write(&bad, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n8/8/8/8/8/8/8/K6k x - -\n")
        .unwrap();
    let bad = bad.to_str().unwrap();
    let nowhere = folder.path().join("none/out.epd");
    for (arguments, expected) in [
        (vec!["check", bad], "line 2: side to move `x` is neither `w` nor `b`"),
        (vec!["check", "no_such_book.epd"], "no_such_book.epd: cannot be read"),
        (vec!["make", "--out", nowhere.to_str().unwrap()], "cannot be written: the folder"),
    ] {
        let output = book(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.trim().lines().count() == 1, "{message}");
    }
    let output = book(&["make", "--out", "x.epd", "--window", "40,10"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_shipped_books_are_legal_unique_and_balanced_between_the_colours() {
    // A test of 0 against 5 normalized Elo takes 12,900 pairs on average.
    for (name, window, least) in
        [("openings/balanced.epd.gz", 0..=40, 20_000), ("openings/unbalanced.epd.gz", 90..=150, 20_000)]
    {
        let opened = Book::open(Path::new(name), BookFormat::Guess, BookOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(opened.len() >= least, "{name}: {}", opened.len());
        let text = unpacked(name);
        let mut keys = HashSet::new();
        let mut ahead = [0u64; 2];
        for line in text.lines() {
            let epd = Epd::parse(line).unwrap();
            let score: i32 = epd.operands("ce").expect("every line has a score")[0].parse().unwrap();
            assert!(window.contains(&score.unsigned_abs()), "{name}: {line}");
            assert!(keys.insert(epd.position.key()), "{name}: {line} comes twice");
            let whites = if epd.position.turn() == Color::White { score } else { -score };
            if whites != 0 {
                ahead[usize::from(whites < 0)] += 1;
            }
        }
        // Half of the positions favour each side; the few level ones favour neither.
        assert!(ahead.into_iter().all(|count| count <= opened.len() / 2), "{name}: {ahead:?}");
        assert!(ahead[0] + ahead[1] > opened.len() * 9 / 10, "{name}: {ahead:?}");
    }
}
