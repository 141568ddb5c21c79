//! A snapshot of a game in progress.

use std::time::{Duration, Instant};

use crate::chess::{ByColor, Position};
use crate::game::{EngineIndex, GameId, GameOfPair, MoveText, PairId};
use crate::player::Score;

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

impl LiveGame {
    /// Identifier of the game, which displays as its round.
    pub fn game_id(&self) -> GameId {
        GameId { pair: self.id.index, game: self.game }
    }
}
