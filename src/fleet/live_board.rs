//! Snapshots of games in progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::game::{LiveGame, LivePly, LiveSearch, PlyRecord, Spectator};

/// The game of one slot: updated after every move, read on request.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveBoard {
    game: Arc<Mutex<Option<LiveGame>>>,
    /// Whether a client looks at the dialogue with the engines.
    dialogue_wanted: Arc<AtomicBool>,
}

impl LiveBoard {
    pub(super) fn set(&self, game: Option<LiveGame>) {
        *self.game.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    pub(super) fn snapshot(&self) -> Option<LiveGame> {
        self.game.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks for the dialogue with the engines after the next move.
    pub(super) fn want_dialogue(&self) {
        self.dialogue_wanted.store(true, Ordering::Relaxed);
    }
}

fn search_of(ply: &PlyRecord) -> LiveSearch {
    LiveSearch { score: ply.score, depth: ply.depth, nodes: ply.nodes }
}

impl Spectator for LiveBoard {
    fn ply(&mut self, ply: &LivePly<'_>) {
        // A reader must never delay a game; the next move makes up for a skipped update.
        let Ok(mut board) = self.game.try_lock() else { return };
        if let Some(game) = board.as_mut() {
            game.position = *ply.position;
            game.plies = ply.plies.len();
            // Those of a skipped update, too.
            let unseen = ply.plies.get(game.moves.len()..).unwrap_or_default();
            game.moves.extend(unseen.iter().map(|ply| ply.mv));
            game.line_searches.extend(unseen.iter().map(search_of));
            game.clocks = ply.clocks;
            if let Some(last) = ply.plies.last() {
                game.last_move = Some(last.mv);
                game.score = last.score;
                game.searches[!ply.position.turn()] = Some(search_of(last));
            }
            game.moved_at = ply.at.into_std();
            if let Some(dialogue) = ply.dialogue {
                game.dialogue.clone_from(dialogue);
            }
        }
    }

    fn wants_dialogue(&self) -> bool {
        self.dialogue_wanted.swap(false, Ordering::Relaxed)
    }
}
