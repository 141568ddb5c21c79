//! `docs/configuration.md` lists exactly the keys that the readers of configuration files accept.
//!
//! The error for an unknown key lists the known keys; this list is compared with the tables of the document.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use playself::config::{EngineEntry, RunFile};

/// A key that no table has, and that is too different from every known one for a suggestion.
const UNKNOWN: &str = "zzzzzzzzzzzzzzzzzzzz";

type Keys = BTreeSet<String>;

/// The keys in the tables below these headings of the document, to the next heading of any level.
fn documented(headings: &[&str]) -> Keys {
    let text = fs::read_to_string("docs/configuration.md").unwrap();
    let mut keys = Keys::new();
    for heading in headings {
        let (_, section) =
            text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
        let end = section.find("\n#").unwrap_or(section.len());
        let rows = section[..end].lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
        for (key, rest) in rows {
            // A table of keys has three more columns: type, default and meaning.
            if rest.trim_end_matches('|').split('|').count() == 3 {
                assert!(keys.insert(key.to_owned()), "`{heading}` lists `{key}` twice");
            }
        }
    }
    keys
}

/// The keys that an error message lists after the unknown one.
fn known_in(message: &str) -> Keys {
    let line = message.lines().rfind(|line| line.contains(UNKNOWN) && line.contains("unknown"));
    let line = line.unwrap_or_else(|| panic!("the unknown key is accepted:\n{message}"));
    let list = ["expected one of ", "expected ", ": "].iter().find_map(|mark| line.rsplit_once(mark));
    let (_, list) = list.unwrap_or_else(|| panic!("no list of known keys in:\n{line}"));
    let words = list.split([',', ' ']).map(|word| word.trim_matches('`')).filter(|word| !word.is_empty());
    words.filter(|word| *word != "or").map(str::to_owned).collect()
}

#[test]
fn every_table_of_a_run_file_is_documented_key_by_key() {
    let engine = [
        "### `[candidate]`, `[baseline]`, `[[engines]]` and files of `configs/engines/`",
        "#### Thinking limits of an engine",
        "#### Limits and timeouts of an engine",
    ];
    let tables: [(&str, &[&str]); 14] = [
        ("", &["### Top level"]),
        ("[candidate]", &engine),
        ("[baseline]", &engine),
        ("[[engines]]", &engine),
        ("[games]", &["### `[games]`"]),
        ("[adjudicate]", &["### `[adjudicate]`"]),
        ("[adjudicate.draw]", &["### `adjudicate.draw`"]),
        ("[adjudicate.resign]", &["### `adjudicate.resign`"]),
        ("[adjudicate.tablebases]", &["### `adjudicate.tablebases`"]),
        ("[sprt]", &["### `[sprt]`"]),
        ("[pgn]", &["### `[pgn]`"]),
        ("[tune]", &["### `[tune]`"]),
        ("[tune.bounds.x]", &["### `[tune.bounds.NAME]`"]),
        ("[accept]", &["### `[accept]`"]),
    ];
    for (table, headings) in tables {
        let text = format!("{table}\n{UNKNOWN} = 1\n");
        let mistakes = RunFile::parse(Path::new("run.toml"), &text).unwrap_err().to_string();
        assert_eq!(known_in(&mistakes), documented(headings), "keys of {table}: known, then documented");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("engine.toml");
    fs::write(&file, format!("{UNKNOWN} = 1\n")).unwrap();
    let mistakes = EngineEntry::read(&file).unwrap_err().to_string();
    assert_eq!(
        known_in(&mistakes),
        documented(&engine),
        "keys of a file of configs/engines: known, then documented"
    );
}

#[test]
fn every_table_of_a_landscape_file_is_documented_key_by_key() {
    let parameter = "[[parameter]]\nname = \"a\"\nmin = 0\nmax = 1\nstart = 0\noptimum = 0\ncurvature = 1\n";
    for (heading, top, cliff, below, bond) in [
        ("### Landscape: top level", UNKNOWN, "", "", ""),
        ("### Landscape: `[cliff]`", "", UNKNOWN, "", ""),
        ("### Landscape: `[[parameter]]`", "", "", UNKNOWN, ""),
        ("### Landscape: `[[interaction]]`", "", "", "", UNKNOWN),
    ] {
        let set = |key: &str| if key.is_empty() { String::new() } else { format!("{key} = 1\n") };
        let text = format!(
            "draw_ratio = 0.5\n{}[cliff]\nat = 1\nelo = 1\n{}{parameter}{}\
             [[interaction]]\nbetween = [\"a\", \"a\"]\nelo = 0\n{}",
            set(top),
            set(cliff),
            set(below),
            set(bond)
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("landscape.toml");
        fs::write(&file, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_playself"));
        let output = command.args(["simulate", "tune", "--landscape"]).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{heading}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(known_in(&message), documented(&[heading]), "keys of {heading}: known, then documented");
    }
}

#[test]
fn the_examples_in_the_contracts_are_valid() {
    let text = fs::read_to_string("docs/contracts.md").unwrap();
    let (_, examples) = text.split_once("\n## Configuration files\n").unwrap();
    let blocks: Vec<&str> =
        examples.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2, "a test and a tuning run");
    for block in blocks {
        RunFile::parse(Path::new("docs/contracts.md"), block).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    }
}
