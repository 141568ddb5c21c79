//! A snapshot of a game in progress.

use std::time::{Duration, Instant};

use crate::chess::{ByColor, Position};
use crate::game::{EngineIndex, GameId, GameOfPair, MoveText, PairId};
use crate::player::Score;

/// A game in progress at the time of the snapshot.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// Slot in which it is played.
    pub slot: usize,
    /// Its pair.
    pub id: PairId,
    /// Game of the pair.
    pub game: GameOfPair,
    /// Engine that plays White.
    pub white: EngineIndex,
    /// Engine that plays Black.
    pub black: EngineIndex,
    /// Current position.
    pub position: Position,
    /// Last move.
    pub last_move: Option<MoveText>,
    /// Half-moves so far.
    pub plies: usize,
    /// Clocks after the last move.
    pub clocks: ByColor<Option<Duration>>,
    /// Last score, from the point of view of the engine that reported it.
    pub score: Option<Score>,
    /// When the last move was made.
    pub moved_at: Instant,
}

impl LiveGame {
    /// Returns the identifier of the game, which displays as its round.
    pub fn game_id(&self) -> GameId {
        GameId { pair: self.id.index, game: self.game }
    }
}
