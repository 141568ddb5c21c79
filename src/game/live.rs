//! A snapshot of a game in progress.

use std::time::{Duration, Instant};

use crate::chess::{ByColor, Color, Move, MoveStyle, Position};
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
    /// Position before the first of `moves`.
    pub start: Position,
    /// Notation of `moves`.
    pub style: MoveStyle,
    /// All moves so far, the opening included.
    pub moves: Vec<MoveText>,
    /// Current position.
    pub position: Position,
    /// Last move.
    pub last_move: Option<MoveText>,
    /// Half-moves so far, the opening included.
    pub plies: usize,
    /// Clocks after the last move.
    pub clocks: ByColor<Option<Duration>>,
    /// Search of each of `moves`; empty for those of the opening.
    pub line_searches: Vec<LiveSearch>,
    /// Last search of each side.
    pub searches: ByColor<Option<LiveSearch>>,
    /// Last score, from the point of view of the engine that reported it.
    pub score: Option<Score>,
    /// When the last move was made.
    pub moved_at: Instant,
    /// The last lines to and from the engine of each side; empty unless they were asked for.
    pub dialogue: ByColor<Vec<String>>,
}

/// What an engine reported with a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSearch {
    /// Score from its own point of view.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u16>,
    /// Number of nodes.
    pub nodes: Option<u64>,
}

impl LiveGame {
    /// Returns the moves so far with the positions before them.
    pub fn line(&self) -> Vec<(Position, Move)> {
        let mut position = self.start;
        let mut line = Vec::with_capacity(self.moves.len());
        for text in &self.moves {
            let Ok(mv) = position.parse_coordinate(text.as_str(), self.style) else { break };
            line.push((position, mv));
            position = position.play(mv);
        }
        line
    }

    /// Returns the time left on a clock at `now`: that of the side to move is running.
    pub fn clock_at(&self, color: Color, now: Instant) -> Option<Duration> {
        let left = self.clocks[color]?;
        let running =
            if self.position.turn() == color { now.duration_since(self.moved_at) } else { Duration::ZERO };
        Some(left.saturating_sub(running))
    }

    /// Returns the identifier of the game, which displays as its round.
    pub fn game_id(&self) -> GameId {
        GameId { pair: self.id.index, game: self.game }
    }
}
