//! `docs/licences.md` lists exactly the crates that the programs and the tests are built with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

const DOCUMENT: &str = "docs/licences.md";

/// Variable with which the tables of the document are written again.
const UPDATE: &str = "PLAYSELF_UPDATE_LICENCES";

/// Licences under which a crate of the programs may be used in a program under MIT; one of the alternatives is enough.
const ACCEPTED: [&str; 7] = ["MIT", "Apache-2.0", "BSD-3-Clause", "ISC", "Zlib", "Unicode-3.0", "Unlicense"];

/// Name and version of every crate that these kinds of dependencies bring in, with its licence.
fn crates(edges: &str) -> BTreeMap<String, String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", edges, "--prefix", "none", "--format", "{p}|{l}"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let crates = text.lines().filter_map(|line| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let (name, rest) = package.split_once(" v")?;
        let version = rest.split(' ').next()?;
        // Older crates separate alternatives by a slash.
        let licence = licence.trim_end_matches(" (*)").replace('/', " OR ").replace("  OR  ", " OR ");
        Some((format!("{name} {version}"), licence))
    });
    crates.filter(|(name, _)| !name.starts_with("playself ")).collect()
}

fn table(crates: &BTreeMap<String, String>) -> String {
    let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, licence) in crates {
        rows.entry(licence).or_default().push(name);
    }
    let rows = rows.iter().map(|(licence, names)| format!("| {licence} | {} |\n", names.join(", ")));
    format!("| licence | crates |\n|---|---|\n{}", rows.collect::<String>())
}

/// The document with its two tables replaced.
fn with_tables(text: &str, tables: [String; 2]) -> String {
    let mut lines = text.lines().peekable();
    let (mut written, mut tables) = (String::new(), tables.into_iter());
    while let Some(line) = lines.next() {
        if line == "| licence | crates |" {
            written.push_str(&tables.next().expect("the document has two tables"));
            while lines.next_if(|line| line.starts_with('|')).is_some() {}
        } else {
            written.push_str(line);
            written.push('\n');
        }
    }
    assert!(tables.next().is_none(), "the document has two tables");
    written
}

#[test]
fn every_crate_is_listed_with_its_licence() {
    let programs = crates("normal,build");
    let names: BTreeSet<&String> = programs.keys().collect();
    let mut others = crates("normal,build,dev");
    others.retain(|name, _| !names.contains(name));
    let text = fs::read_to_string(DOCUMENT).unwrap();
    let current = with_tables(&text, [table(&programs), table(&others)]);
    if std::env::var_os(UPDATE).is_some() {
        fs::write(DOCUMENT, &current).unwrap();
    } else if let Some((found, expected)) =
        text.lines().zip(current.lines()).find(|(found, now)| found != now)
    {
        panic!("{DOCUMENT} has\n{found}\nand should have\n{expected}\n`just licences` writes it");
    }
}

#[test]
fn every_crate_of_the_programs_may_be_used_under_mit() {
    for (name, licence) in crates("normal,build") {
        // Every part of a conjunction must have an alternative that is accepted.
        let parts = licence.replace(['(', ')'], "");
        let accepted = parts.split(" AND ").all(|part| part.split(" OR ").any(|one| ACCEPTED.contains(&one)));
        assert!(accepted, "{name} is under {licence}");
    }
}
