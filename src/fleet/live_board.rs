//! What is on the boards right now, for whoever wants to look.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::chess::{ByColor, Position};
use crate::fleet::PairId;
use crate::game::{GameOfPair, LivePly, MoveText, Spectator};
use crate::player::{EngineIndex, Score};

/// A game in progress, as it stood when looked at.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// The slot.
    pub slot: usize,
    /// The pair.
    pub id: PairId,
    /// Which of its games.
    pub game: GameOfPair,
    /// Who has White.
    pub white: EngineIndex,
    /// Who has Black.
    pub black: EngineIndex,
    /// The position.
    pub position: Position,
    /// The last move.
    pub last_move: Option<MoveText>,
    /// Half-moves so far.
    pub plies: usize,
    /// What the clocks showed after the last move.
    pub clocks: ByColor<Option<Duration>>,
    /// The last score, from the side that gave it.
    pub score: Option<Score>,
    /// When the last move was made.
    pub moved_at: Instant,
}

/// The board of one slot: written at every move, read when somebody looks.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveBoard(Arc<Mutex<Option<LiveGame>>>);

impl LiveBoard {
    pub(super) fn set(&self, game: Option<LiveGame>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    pub(super) fn look(&self) -> Option<LiveGame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Spectator for LiveBoard {
    fn ply(&mut self, ply: &LivePly<'_>) {
        // Whoever looks must never make a game wait; a missed frame is made up by the next move.
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
