//! Published perft counts with every slider technique; the deep ones run with `just perft-deep`.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::process::{Command, Output};

use playself::chess::{Perft, Position, SliderTechnique};

const STANDARD: &str = include_str!("data/standard.epd");
const CHESS960: &str = include_str!("data/chess960.epd");

/// Rows with more nodes than this are deep.
const SHALLOW: u64 = 20_000_000;

struct Row {
    fen: &'static str,
    depth: u32,
    nodes: u64,
}

fn rows(data: &'static str) -> impl Iterator<Item = Row> {
    data.lines().filter(|line| !line.starts_with('#')).flat_map(|line| {
        let (fen, counts) = line.split_once(';').expect("a row has counts");
        counts.split(';').map(move |count| {
            let (depth, nodes) = count.trim().split_once(' ').expect("a count has a depth and a number");
            Row {
                fen: fen.trim(),
                depth: depth.trim_start_matches('D').parse().expect("a depth is a number"),
                nodes: nodes.parse().expect("a count is a number"),
            }
        })
    })
}

/// Checks the rows of these sizes and depths, and returns their number.
fn check(
    data: &'static str,
    sizes: RangeInclusive<u64>,
    depths: RangeInclusive<u32>,
    technique: SliderTechnique,
) -> usize {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut checked = 0;
    for row in rows(data).filter(|row| sizes.contains(&row.nodes) && depths.contains(&row.depth)) {
        let position = Position::from_fen(row.fen).unwrap_or_else(|error| panic!("{}: {error}", row.fen));
        // Threads are worth their start on large trees only.
        let threads = if row.nodes < 100_000 { NonZeroUsize::MIN } else { threads };
        let perft = Perft { technique, threads, table: None };
        assert_eq!(
            perft.count(&position, row.depth),
            row.nodes,
            "{} at depth {} ({technique})",
            row.fen,
            row.depth
        );
        checked += 1;
    }
    checked
}

#[test]
fn standard_counts_match_with_above_below_rays() {
    assert_eq!(check(STANDARD, 0..=SHALLOW, 0..=99, SliderTechnique::AboveBelow), 226);
}

#[test]
fn standard_counts_match_with_magic_multiplication() {
    assert_eq!(check(STANDARD, 0..=SHALLOW, 0..=99, SliderTechnique::Magic), 226);
}

#[test]
fn standard_counts_match_with_bit_extraction_tables() {
    assert_eq!(check(STANDARD, 0..=SHALLOW, 0..=99, SliderTechnique::Pext), 226);
}

#[test]
fn chess960_counts_match_with_every_technique() {
    for technique in SliderTechnique::ALL {
        assert_eq!(check(CHESS960, 0..=SHALLOW, 1..=3, technique), 3 * 960);
    }
}

#[test]
fn chess960_counts_match_at_depth_four() {
    assert_eq!(check(CHESS960, 0..=SHALLOW, 4..=4, SliderTechnique::fastest()), 960);
}

#[test]
#[ignore = "a hundred thousand million nodes; `just perft-deep` counts them"]
fn deep_standard_counts_match_with_every_technique() {
    for technique in SliderTechnique::ALL {
        assert_eq!(check(STANDARD, SHALLOW + 1..=u64::MAX, 0..=99, technique), 20);
    }
}

#[test]
#[ignore = "fifty thousand million nodes; `just perft-deep` counts them"]
fn deep_chess960_counts_match_with_every_technique() {
    for technique in SliderTechnique::ALL {
        assert_eq!(check(CHESS960, 0..=u64::MAX, 4..=5, technique), 2 * 960);
    }
}

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_perft")).args(arguments).output().expect("the program can be started")
}

#[test]
fn the_program_prints_the_count_its_division_and_the_kinds_of_last_moves() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let output = program(&["--depth", "2", "--fen", kiwipete, "--divide", "--stats", "--sliders", "magic"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(output.status.success() && lines.len() == 50, "{text}");
    let divided: u64 =
        lines[..48].iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(divided, 2039);
    assert!(lines.contains(&"e1g1: 43"), "castling is written as in UCI\n{text}");
    assert_eq!(lines[48], "351 captures, 1 en passants, 91 castles, 0 promotions, 3 checks");
    assert!(lines[49].starts_with("2039 nodes in ") && lines[49].ends_with(" Mnps)"), "{}", lines[49]);
}

#[test]
fn the_program_prints_json_with_threads_and_a_hash_table() {
    let output = program(&["--depth", "4", "--threads", "2", "--hash", "1", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["nodes"], &answer["depth"]), (&197_281.into(), &4.into()));
}

#[test]
fn the_program_refuses_bad_input_in_one_line() {
    for (name, arguments) in [
        ("no depth", &[][..]),
        ("no number", &["--depth", "x"]),
        ("no position", &["--depth", "2", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]),
        ("no technique", &["--depth", "2", "--sliders", "rotated"]),
        ("no thread", &["--depth", "2", "--threads", "0"]),
        ("two jobs", &["--suite", "--depth", "2"]),
        ("unknown", &["--colour"]),
    ] {
        let output = program(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(message.lines().count() == 1 && message.starts_with("error: "), "{name}: {message}");
        assert!(output.stdout.is_empty(), "{name}");
    }
}
