//! `docs/faults.md` and the tests agree: every row and every invariant has a test that names it, and tests name only rows
//! and invariants that the document lists.
//!
//! A test names a row in its own name (`row_29_…`, `rows_54_59_and_62_…`), in a message or doc comment (`row 7`,
//! `rows 53 and 54`), or, in a table of `tests/player/faults_*.rs`, as a case `"7 hang at go"`. It names an invariant in
//! its own name (`i4_…`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = "docs/faults.md";

/// The words that the last column of a row may contain.
const JUDGEMENTS: [&str; 6] = ["engine loss", "void", "warning", "refusal", "stop", "none"];

#[test]
fn every_row_has_a_test_and_every_row_that_a_test_names_is_listed() {
    let listed: BTreeSet<u32> = rows_of_the_document().iter().map(|row| row.number).collect();
    let named: BTreeSet<u32> = tests_of_the_crate().iter().flat_map(TestFile::rows).collect();
    assert_same("row", &listed, &named);
}

#[test]
fn every_invariant_has_a_test_and_every_invariant_that_a_test_names_is_listed() {
    let text = fs::read_to_string(DOCUMENT).unwrap();
    let listed: BTreeSet<u32> = cells_of(&text).filter_map(|cells| number_after(cells[0], "I")).collect();
    let named: BTreeSet<u32> =
        tests_of_the_crate().iter().flat_map(|file| invariants_in(&file.text)).collect();
    assert_same("invariant", &listed, &named);
}

#[test]
fn every_row_states_its_fault_its_consequence_and_a_known_judgement_once() {
    let rows = rows_of_the_document();
    assert!(rows.windows(2).all(|two| two[0].number < two[1].number), "rows are in order, none twice");
    for Row { number, fault, consequence, judgement } in &rows {
        assert!(!fault.is_empty() && !consequence.is_empty(), "row {number} has an empty cell");
        for word in judgement.split(", ") {
            assert!(JUDGEMENTS.contains(&word), "row {number}: `{word}` is not one of {JUDGEMENTS:?}");
        }
    }
}

fn assert_same(what: &str, listed: &BTreeSet<u32>, named: &BTreeSet<u32>) {
    assert!(!listed.is_empty(), "{DOCUMENT} lists no {what}");
    let untested: Vec<&u32> = listed.difference(named).collect();
    let unknown: Vec<&u32> = named.difference(listed).collect();
    assert!(untested.is_empty(), "no test names these {what}s of {DOCUMENT}: {untested:?}");
    assert!(unknown.is_empty(), "tests name these {what}s, which {DOCUMENT} lacks: {unknown:?}");
}

/// A row of the document.
struct Row {
    number: u32,
    fault: String,
    consequence: String,
    judgement: String,
}

fn rows_of_the_document() -> Vec<Row> {
    let text = fs::read_to_string(DOCUMENT).unwrap();
    let numbered = cells_of(&text).filter_map(|cells| Some((cells[0].parse().ok()?, cells)));
    let row = |(number, cells): (u32, Vec<&str>)| {
        let [_, fault, consequence, judgement] = cells[..] else {
            panic!("row {number} has {} cells", cells.len())
        };
        let [fault, consequence, judgement] = [fault, consequence, judgement].map(str::to_owned);
        Row { number, fault, consequence, judgement }
    };
    numbered.map(row).collect()
}

/// The cells of every line of every table in a document.
fn cells_of(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").map(str::trim).collect())
}

/// The tests in one file.
struct TestFile {
    name: String,
    text: String,
}

impl TestFile {
    fn rows(&self) -> Vec<u32> {
        let mut rows = rows_named_in(&self.text);
        if self.name.starts_with("faults_") {
            rows.extend(rows_of_cases_in(&self.text));
        }
        rows
    }
}

/// Every file of `tests/` but this one, and the tests inside `src/`.
fn tests_of_the_crate() -> Vec<TestFile> {
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let is_all_tests = path.starts_with("tests") || name.ends_with("tests.rs");
        let start = if is_all_tests { Some(0) } else { text.find("#[cfg(test)]") };
        let text = start.map_or(String::new(), |start| text[start..].to_owned());
        TestFile { name, text }
    };
    let files = [Path::new("tests"), Path::new("src")].into_iter().flat_map(rust_files);
    files.filter(|path| !path.ends_with("faults_coverage.rs")).map(read).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Rows named as `row 7`, `row_7_` or `rows 7, 8 and 9`.
fn rows_named_in(text: &str) -> Vec<u32> {
    let text = text.to_lowercase();
    let mut found = Vec::new();
    for (at, word) in text.match_indices("row") {
        if text[..at].ends_with(|before: char| before.is_alphanumeric()) {
            continue;
        }
        let rest = &text[at + word.len()..];
        let (rest, is_list) = rest.strip_prefix('s').map_or((rest, false), |rest| (rest, true));
        let Some(mut rest) = rest.strip_prefix([' ', '_']) else { continue };
        while let Some((number, after)) = leading_number(rest) {
            found.push(number);
            let joints = ["_and_", " and ", ", and ", ", ", "_"];
            let next = joints.iter().find_map(|joint| after.strip_prefix(joint)).filter(|_| is_list);
            let Some(next) = next else { break };
            rest = next;
        }
    }
    found
}

/// Rows named as the start of a case, `"7 hang at go"`.
fn rows_of_cases_in(text: &str) -> Vec<u32> {
    let case = |piece: &str| {
        let (row, name) = piece.split_once(' ')?;
        name.starts_with(|letter: char| letter.is_lowercase()).then(|| row.parse().ok())?
    };
    text.split('"').filter_map(case).collect()
}

/// Invariants in the names of tests, `fn i4_…`.
fn invariants_in(text: &str) -> Vec<u32> {
    text.split("fn ").filter_map(|name| number_after(name.split_once('_')?.0, "i")).collect()
}

fn number_after(text: &str, prefix: &str) -> Option<u32> {
    text.strip_prefix(prefix)?.parse().ok()
}

fn leading_number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[test]
fn rows_and_invariants_are_found_in_every_form() {
    let text = "fn row_29_x() {} \"rows 53 and 54: it\" \"row 12, 13\" fn rows_5_6_and_7_fail() {} /// Row 9. overthrow 3";
    assert_eq!(BTreeSet::from_iter(rows_named_in(text)), BTreeSet::from([5, 6, 7, 9, 12, 29, 53, 54]));
    assert_eq!(rows_of_cases_in("(\"7 hang at go\", \"on go\", \"2 May\", \"1-0 crash\")"), [7]);
    assert_eq!(invariants_in("fn i4_x() {} fn i10_y() {} fn if_z() {}"), [4, 10]);
}
