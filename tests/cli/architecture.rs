//! The plan of the house, checked: who may name whom inside the crate.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module, the modules it may name, and the outside crates it may use (std aside).
const ROOMS: &[(&str, &[&str], &[&str])] = &[
    ("chess", &[], &[]),
    ("stats", &[], &["statrs", "serde"]),
    ("store", &["failpoint"], &["serde", "sha2"]),
    ("engine", &["chess", "spelling"], &[]),
    ("protocol", &["chess"], &[]),
    ("frontend", &["chess", "engine", "protocol"], &[]),
    (
        "player",
        &["chess", "protocol", "spelling"],
        &["tokio", "tokio_util", "serde", "thiserror", "tracing", "nix"],
    ),
    ("opening", &["chess"], &["serde", "thiserror", "flate2", "ruzstd", "zip", "sha2"]),
    ("game", &["chess", "opening", "player", "stats"], &["tokio", "serde", "thiserror"]),
    ("tuning", &["stats"], &["serde", "thiserror"]),
    (
        "journal",
        &["failpoint", "game", "opening", "player", "stats", "store", "tuning"],
        &["serde", "serde_json", "crc32fast", "thiserror", "nix"],
    ),
    (
        "fleet",
        &["chess", "failpoint", "opening", "player", "game", "stats"],
        &["tokio", "tokio_util", "serde", "serde_json", "thiserror", "tracing", "nix"],
    ),
    (
        "run",
        &["chess", "failpoint", "opening", "player", "game", "stats", "tuning", "journal", "fleet", "store"],
        &["tokio", "tokio_util", "serde", "serde_json", "thiserror", "toml", "tracing", "nix"],
    ),
    ("doctor", &["chess", "fleet", "game", "opening", "player"], &["tokio", "serde", "nix"]),
    (
        "report",
        &["chess", "failpoint", "opening", "player", "game", "stats", "store", "tuning", "journal", "run"],
        &["askama", "csv", "serde", "serde_json", "sha2", "thiserror"],
    ),
    (
        "dashboard",
        &["report", "journal", "run", "store"],
        &["askama", "axum", "tokio", "tokio_stream", "serde", "serde_json", "thiserror"],
    ),
    (
        "config",
        &["fleet", "game", "opening", "player", "run", "spelling", "stats", "store", "tuning"],
        &["toml", "serde", "thiserror"],
    ),
    ("texel", &["chess", "engine", "game", "tuning"], &["serde", "thiserror"]),
];

const OUTSIDE: &[&str] = &[
    "anyhow",
    "askama",
    "axum",
    "clap",
    "clap_complete",
    "crc32fast",
    "csv",
    "flate2",
    "nix",
    "ruzstd",
    "serde",
    "serde_json",
    "sha2",
    "statrs",
    "strsim",
    "thiserror",
    "tokio",
    "tokio_stream",
    "tokio_util",
    "toml",
    "tracing",
    "tracing_subscriber",
    "zip",
];

#[test]
fn every_module_names_only_the_modules_and_crates_of_its_row() {
    let mut broken = Vec::new();
    for (room, modules, crates) in ROOMS {
        for file in rust_files(&Path::new("src").join(room)) {
            let code = code_of(&file);
            for named in modules_named_in(&code) {
                // An exported macro lives at the crate's root, wherever it is written.
                let own_macro = code.contains(&format!("macro_rules! {named} "));
                if named != *room && !modules.contains(&named) && !own_macro {
                    broken.push(format!("{} names crate::{named}", file.display()));
                }
            }
            for outside in OUTSIDE {
                let used = code.match_indices(&format!("{outside}::")).any(|(at, _)| {
                    !code[..at]
                        .ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
                });
                if used && !crates.contains(outside) {
                    broken.push(format!("{} uses the crate {outside}", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_folder_of_the_crate_has_a_row_in_the_table() {
    for entry in fs::read_dir("src").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            !path.is_dir() || name == "bin" || ROOMS.iter().any(|(room, ..)| *room == name),
            "src/{name} is not in the plan"
        );
    }
}

/// The file without comment lines and without its unit tests, which may use anything.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a listed file can be read");
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The word after each `crate::`; what a macro spells `$crate::` is its own business.
fn modules_named_in(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("crate::").filter(|(at, _)| !code[..*at].ends_with('$')).map(|(at, prefix)| {
        let rest = &code[at + prefix.len()..];
        rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or_default()
    })
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("a folder entry can be read").path())
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
