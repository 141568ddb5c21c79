//! The lists of games of runs, kept in memory between requests.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::dashboard::catalogue::plan_of;
use crate::report::page::{GameIndex, GameQuery};
use crate::store::RunFolder;

/// Largest number of runs whose lists are kept. The list of a million games takes about 24 megabytes.
const MAX_KEPT: usize = 4;

/// Lists with the time of their last use.
type Kept = HashMap<String, (Instant, Arc<Mutex<GameIndex>>)>;

/// The lists that were asked for last, by the names of their runs.
#[derive(Default)]
pub(super) struct GameLists {
    kept: Mutex<Kept>,
}

impl GameLists {
    /// Answers a query about the games of the run `id`, as JSON.
    pub(super) fn answer(&self, id: &str, folder: &RunFolder, query: &GameQuery) -> io::Result<String> {
        let (plan, _) = plan_of(folder).map_err(io::Error::other)?;
        let engines: Vec<String> = plan.engines.iter().map(|engine| engine.spec.name.clone()).collect();
        let list = self.list(id);
        let mut index = list.lock().unwrap_or_else(PoisonError::into_inner);
        index.update(&folder.pairs(), &engines)?;
        Ok(index.answer(query).to_string())
    }

    fn list(&self, id: &str) -> Arc<Mutex<GameIndex>> {
        let mut kept = self.lock();
        if !kept.contains_key(id) && kept.len() >= MAX_KEPT {
            let oldest = kept.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            oldest.and_then(|id| kept.remove(&id));
        }
        let entry = kept.entry(id.to_owned()).or_insert_with(|| (Instant::now(), Arc::default()));
        entry.0 = Instant::now();
        Arc::clone(&entry.1)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a query from the parameters of a URL. Unknown parameters and numbers that cannot be read are ignored.
pub(super) fn parse_query(parameters: &HashMap<String, String>) -> GameQuery {
    let text = |name: &str| parameters.get(name).cloned().unwrap_or_default();
    let number = |name: &str| text(name).replace(',', "").parse::<u64>().ok();
    GameQuery {
        engine: text("engine"),
        colour: text("colour"),
        result: text("result"),
        reason: text("reason"),
        opening: number("opening").map(|opening| u32::try_from(opening).unwrap_or(u32::MAX)),
        least: number("least").map(|least| u16::try_from(least).unwrap_or(u16::MAX)),
        most: number("most").map(|most| u16::try_from(most).unwrap_or(u16::MAX)),
        faults_only: text("faults") == "yes",
        sort: text("sort"),
        descending: text("descending") == "yes",
        from: number("from").map_or(0, |from| usize::try_from(from).unwrap_or(usize::MAX)),
        count: number("count").map_or(50, |count| usize::try_from(count).unwrap_or(usize::MAX)),
    }
}
