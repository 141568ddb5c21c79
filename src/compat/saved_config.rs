//! `config.json`: where a run of fastchess can be continued.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::compat::command::MatchCommand;
use crate::compat::tally::Table;
use crate::game::EngineIndex;
use crate::run::Plan;
use crate::store::{read_text, write_whole};

/// A run as it is saved: the command that began it and the folder with its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedRun {
    pub(super) words: Vec<String>,
    pub(super) folder: PathBuf,
}

impl SavedRun {
    /// Reads a saved run.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = read_text(path).map_err(|error| format!("File not found: {}: {error}", path.display()))?;
        let saved: Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let words = saved["playself"]["arguments"].as_array();
        let words = words.map(|words| words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        match (words, saved["playself"]["run"].as_str()) {
            (Some(words), Some(folder)) => Ok(Self { words, folder: PathBuf::from(folder) }),
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
        command: &MatchCommand,
        plan: &Plan,
        table: &Table,
    ) -> io::Result<()> {
        let names = || plan.engines.iter().map(|engine| engine.spec.name.clone());
        let mut stats = serde_json::Map::new();
        for [one, other] in plan.schedule().matchups() {
            let name = format!("{} vs {}", plan.name_of(*one), plan.name_of(*other));
            stats.insert(name, stats_of(table, *one, *other));
        }
        let saved = json!({
            "playself": { "arguments": self.words, "run": self.folder },
            "engines": names().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
            "rounds": command.rounds,
            "games": command.games,
            "seed": plan.seed,
            "stats": stats,
        });
        write_whole(path, format!("{saved:#}\n").as_bytes())
    }
}

fn stats_of(table: &Table, one: EngineIndex, other: EngineIndex) -> Value {
    let results = table.of(one, other);
    let [ll, ld, wl, dd, wd, ww] = results.pairs;
    json!({
        "wins": results.wins, "losses": results.losses, "draws": results.draws,
        "penta_LL": ll, "penta_LD": ld, "penta_WL": wl, "penta_DD": dd, "penta_WD": wd, "penta_WW": ww,
    })
}
