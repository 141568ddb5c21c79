//! Snapshots of games in progress.

use std::sync::{Arc, Mutex, PoisonError};

use crate::game::{LiveGame, LivePly, Spectator};

/// The game of one slot: updated after every move, read on request.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveBoard(Arc<Mutex<Option<LiveGame>>>);

impl LiveBoard {
    pub(super) fn set(&self, game: Option<LiveGame>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    pub(super) fn snapshot(&self) -> Option<LiveGame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Spectator for LiveBoard {
    fn ply(&mut self, ply: &LivePly<'_>) {
        // A reader must never delay a game; the next move makes up for a skipped update.
        let Ok(mut board) = self.0.try_lock() else { return };
        if let Some(game) = board.as_mut() {
            game.position = *ply.position;
            game.last_move = Some(ply.mv);
            game.plies = ply.plies;
            game.clocks = ply.clocks;
            game.score = ply.score;
            game.moved_at = ply.at.into_std();
        }
    }
}
