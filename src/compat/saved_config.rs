//! `config.json`: where a run of fastchess can be continued.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::compat::arguments::group;
use crate::compat::invocation::Invocation;
use crate::compat::tally::ScoreTable;
use crate::game::EngineIndex;
use crate::run::Plan;
use crate::store::{read_text, write_output};

/// How far a saved run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    InPlay,
    /// Nothing is left to play, and its folder was removed.
    Complete,
}

/// A run as it is saved: the command that began it and the folder with its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedRun {
    pub(super) words: Vec<String>,
    pub(super) folder: PathBuf,
    /// Clock, threads, hash and book, for the head of a block.
    pub(super) setting: String,
    pub(super) stage: Stage,
}

impl SavedRun {
    /// Checks that the run of the file `path` can be continued.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        let path = path.display();
        let again = "Without -config, or with -config stats=false, it begins again";
        match self.stage {
            Stage::Complete => Err(format!("{path}: this run is complete. {again}.")),
            Stage::InPlay if !self.folder.is_dir() => {
                let folder = self.folder.display();
                Err(format!(
                    "{path}: the games of this run were in {folder}, which no longer exists. {again}."
                ))
            }
            Stage::InPlay => Ok(()),
        }
    }

    /// Reads a saved run.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = read_text(path).map_err(|error| format!("File not found: {}: {error}", path.display()))?;
        let saved: Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let words = saved["playself"]["arguments"].as_array();
        let words = words.map(|words| words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        match (words, saved["playself"]["run"].as_str()) {
            (Some(words), Some(folder)) => {
                let complete = saved["playself"]["complete"].as_bool() == Some(true);
                let stage = if complete { Stage::Complete } else { Stage::InPlay };
                let setting = saved["playself"]["setting"].as_str().unwrap_or_default().to_owned();
                Ok(Self { words, folder: PathBuf::from(folder), setting, stage })
            }
            _ => Err(format!(
                "{} was written by another program; only a run that playself began can be continued by it",
                path.display()
            )),
        }
    }

    /// Writes the run with its results so far.
    pub(super) fn write(
        &self,
        path: &Path,
        stage: Stage,
        command: &Invocation,
        plan: &Plan,
        table: &ScoreTable,
    ) -> io::Result<()> {
        let names = || plan.engines.iter().map(|engine| engine.spec.name.clone());
        let mut stats = serde_json::Map::new();
        for [one, other] in plan.schedule().matchups() {
            let name = format!("{} vs {}", plan.name_of(*one), plan.name_of(*other));
            stats.insert(name, stats_of(table, *one, *other));
        }
        let saved = json!({
            "playself": {
                "arguments": self.words, "run": self.folder, "setting": self.setting,
                "complete": stage == Stage::Complete,
            },
            "engines": names().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
            "rounds": command.rounds,
            "games": command.games,
            "seed": plan.seed,
            "stats": stats,
        });
        write_output(path, format!("{saved:#}\n").as_bytes())
    }
}

/// Flags that change the games of a run, so that a run that continues cannot have them.
const FIXED: [&str; 19] = [
    "-draw",
    "-each",
    "-engine",
    "-games",
    "-maxmoves",
    "-noswap",
    "-openings",
    "-quick",
    "-repeat",
    "-resign",
    "-reverse",
    "-seeds",
    "-sprt",
    "-srand",
    "-tb",
    "-tbadjudicate",
    "-tbignore50",
    "-tbpieces",
    "-tournament",
];

/// Returns the words after `-config`, which change the command that was saved. If its games are kept, they must not change
/// what was played.
pub(super) fn later_words(words: &[String], keep_games: bool) -> Result<Vec<String>, String> {
    let flags = group(words);
    let at = flags.iter().rposition(|flag| flag.name == "-config").map_or(0, |at| at + 1);
    let later = &flags[at..];
    match later.iter().find(|flag| FIXED.contains(&flag.name.as_str())) {
        Some(flag) if keep_games => Err(format!(
            "{} changes games that were already played; write -config stats=false to begin again with it",
            flag.name
        )),
        _ => Ok(later
            .iter()
            .flat_map(|flag| [vec![flag.name.clone()], flag.values.clone()].concat())
            .collect()),
    }
}

fn stats_of(table: &ScoreTable, one: EngineIndex, other: EngineIndex) -> Value {
    let results = table.of(one, other);
    let [ll, ld, wl, dd, wd, ww] = results.pairs;
    json!({
        "wins": results.wins, "losses": results.losses, "draws": results.draws,
        "penta_LL": ll, "penta_LD": ld, "penta_WL": wl, "penta_DD": dd, "penta_WD": wd, "penta_WW": ww,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_the_saved_run_change_it_unless_they_change_its_games() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let later = |text: &str, keep| later_words(&words(text), keep).map(|words| words.join(" "));
        assert_eq!(
            later("-rounds 5 -config file=c.json -concurrency 2 -recover", true),
            Ok("-concurrency 2 -recover".to_owned())
        );
        assert_eq!(later("-config file=c.json", true), Ok(String::new()));
        assert!(later("-config file=c.json -each tc=5", true).unwrap_err().starts_with("-each changes"));
        assert_eq!(later("-config file=c.json stats=false -each tc=5", false), Ok("-each tc=5".to_owned()));
    }
}
