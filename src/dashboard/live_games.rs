//! The games in progress of the watched runs with all their moves, for clients that look at one of them closely.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::report::page::LiveLine;
use crate::run::control::BoardStatus;

/// The games by the run and the slot, as JSON.
type Texts = HashMap<(String, usize), Arc<str>>;

/// The games of all watched runs. The reader of a run writes them; any number of clients reads them.
#[derive(Debug, Default)]
pub(super) struct LiveGames {
    texts: Mutex<Texts>,
}

impl LiveGames {
    /// Returns the game in a slot of a run, if that is being watched.
    pub(super) fn get(&self, run: &str, slot: usize) -> Option<Arc<str>> {
        self.lock().get(&(run.to_owned(), slot)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer of the games of one run; they are removed when it is dropped.
#[derive(Debug)]
pub(super) struct LiveGameWriter {
    run: String,
    games: Arc<LiveGames>,
    lines: HashMap<usize, LiveLine>,
}

impl LiveGameWriter {
    pub(super) fn new(run: &str, games: Arc<LiveGames>) -> Self {
        Self { run: run.to_owned(), games, lines: HashMap::new() }
    }

    /// Replaces the games of the run by those of a snapshot.
    pub(super) fn update(&mut self, boards: &[BoardStatus]) {
        self.lines.retain(|slot, _| boards.iter().any(|board| board.slot == *slot));
        let mut fresh = Vec::with_capacity(boards.len());
        for board in boards {
            let line = self.lines.entry(board.slot).or_default();
            line.update(board);
            fresh.push(((self.run.clone(), board.slot), Arc::from(line.json(board))));
        }
        let mut texts = self.games.lock();
        texts.retain(|(run, _), _| *run != self.run);
        texts.extend(fresh);
    }
}

impl Drop for LiveGameWriter {
    fn drop(&mut self) {
        self.games.lock().retain(|(run, _), _| *run != self.run);
    }
}
