//! Files of a run folder that the page links to.

use std::io;
use std::path::Path;

use crate::dashboard::catalogue::plan_of;
use crate::report::RunPage;
use crate::report::page::{parse_round, shelved_game};
use crate::run::shown_plan;
use crate::store::{RunFolder, read_own};

/// Larger files are not sent.
const MAX_BYTES: u64 = 32 << 20;

/// Reason why a file is not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoFile {
    #[error("this file does not exist")]
    Unknown,
    #[error("this game is not on record; a game is on record a few seconds after its pair is complete")]
    NoGame,
    #[error("the file is too large to be sent; it is in the run folder")]
    TooLarge,
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Returns the text of a public file of the run.
pub(super) fn text_of(folder: &RunFolder, name: &str) -> Result<String, NoFile> {
    let path = match name {
        "plan.toml" => folder.plan(),
        "summary.json" => folder.summary(),
        "pairs.csv" => folder.pairs(),
        "games.pgn" => folder.games(),
        "trials.csv" => folder.trials(),
        "weights.toml" => folder.weights(),
        "accepted.toml" => folder.accepted(),
        _ => return Err(NoFile::Unknown),
    };
    let text = read(&path)?;
    Ok(if name == "plan.toml" { shown_plan(&text) } else { text })
}

/// Returns a fault bundle. Only names of the form of a bundle are accepted, so the path cannot leave the folder.
pub(super) fn bundle(folder: &RunFolder, name: &str) -> Result<String, NoFile> {
    if !is_bundle_name(name) {
        return Err(NoFile::Unknown);
    }
    let is_own = std::fs::symlink_metadata(folder.faults()).is_ok_and(|about| about.is_dir());
    if !is_own {
        return Err(NoFile::Unknown);
    }
    read(&folder.faults().join(name))
}

/// Returns the game `pair.game` in the format of the viewer.
pub(super) fn game(folder: &RunFolder, round: &str) -> Result<String, NoFile> {
    let (pair, game) = parse_round(round).ok_or(NoFile::NoGame)?;
    regular_length(&folder.games()).map_err(|_| NoFile::NoGame)?;
    match shelved_game(&folder.games(), pair, game) {
        Ok(game) => game.ok_or(NoFile::NoGame),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Err(NoFile::NoGame),
        Err(why) => Err(why.into()),
    }
}

pub(super) fn is_bundle_name(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        let (pair, rest) = name.strip_prefix("pair")?.split_once("-game")?;
        let (game, attempt) = rest.strip_suffix(".json")?.split_once("-try")?;
        Some(number(pair) && number(game) && number(attempt))
    };
    read() == Some(true)
}

fn read(path: &Path) -> Result<String, NoFile> {
    if regular_length(path)? > MAX_BYTES {
        return Err(NoFile::TooLarge);
    }
    Ok(read_own(path, MAX_BYTES)?)
}

/// Returns the length of a regular file. Symbolic links are refused because they may lead anywhere.
fn regular_length(path: &Path) -> Result<u64, NoFile> {
    let about = std::fs::symlink_metadata(path).map_err(|_| NoFile::Unknown)?;
    if about.is_file() { Ok(about.len()) } else { Err(NoFile::Unknown) }
}

/// Returns the page of the run: the file if it is newer than the journal, otherwise a new page.
pub(super) fn report(folder: &RunFolder) -> Result<String, NoFile> {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified());
    if let (Ok(page), Ok(journal)) = (changed(&folder.page()), changed(&folder.journal()))
        && page >= journal
    {
        return read(&folder.page());
    }
    let (plan, text) = plan_of(folder).map_err(io::Error::other)?;
    Ok(RunPage::read_whole(folder.clone(), plan, &text)?.html())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 94 of `docs/faults.md`.
    #[test]
    fn only_names_of_bundles_and_known_files_are_served() {
        assert!(is_bundle_name("pair12-game1-try1.json"));
        for foreign in [
            "",
            "..",
            "../plan.toml",
            "pair1-game1-try1.json/..",
            "pair1-game1-try1.json\0",
            "pair-game1-try1.json",
            "/etc/passwd",
            "pair1-game1-try../1.json",
            "..\\pair1-game1-try1.json",
        ] {
            assert!(!is_bundle_name(foreign), "{foreign}");
        }
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("plan.toml"), "x").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.path().join("games.pgn")).unwrap();
        let folder = RunFolder::open(root.path()).unwrap();
        assert!(
            !text_of(&folder, "plan.toml").unwrap().contains('x'),
            "a file that is not a plan is not shown"
        );
        assert!(matches!(game(&folder, "1.1"), Err(NoFile::NoGame)), "a link is not followed");
        for absent in ["games.pgn", "journal.ndjson", "control.sock", "../plan.toml", "summary.json"] {
            assert!(matches!(text_of(&folder, absent), Err(NoFile::Unknown)), "{absent}");
        }
    }
}
