//! Pairs of games to play, and finished pairs.

use serde::{Deserialize, Serialize};

use crate::game::{EngineIndex, GameOfPair, GameRecord, PairId, TimeControl};
use crate::opening::Opening;
use crate::player::EngineOption;

/// One side of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Index of the engine in the fleet.
    pub engine: EngineIndex,
    /// Options for this pair, applied over those of the engine's specification. An option that an earlier pair
    /// changed and this one does not set is reset to the engine's own value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<EngineOption>,
    /// Time and search limits.
    pub limits: TimeControl,
}

/// A pair to play, or one game of it: the same opening twice, usually with colours swapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairJob {
    /// Identifier of the pair.
    pub id: PairId,
    /// Opening of both games.
    pub opening: Opening,
    /// The two sides.
    pub contestants: [Contestant; 2],
    /// Indices in `contestants` of White and Black, in the first game and in the second.
    pub seats: [[usize; 2]; 2],
    /// Seed of the choices from the books of the engines.
    #[serde(default)]
    pub book_seed: u64,
    /// The first game, if it has already been played; then only the second is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_game: Option<Box<GameRecord>>,
}

impl PairJob {
    /// The usual seats: the first side has White in the first game and Black in the second.
    pub const REVERSED: [[usize; 2]; 2] = [[0, 1], [1, 0]];

    /// Returns the indices in `contestants` of White and Black in this game.
    pub fn seats(&self, game: GameOfPair) -> [usize; 2] {
        let [first, second] = self.seats;
        match game {
            GameOfPair::First => first,
            GameOfPair::Second => second,
        }
    }
}

/// A finished pair that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairReport {
    /// Identifier of the pair.
    pub id: PairId,
    /// Its games: both, or the one that was played on its own.
    pub games: Vec<GameRecord>,
}

impl PairReport {
    /// Returns the score of this engine: 0 to 4 half points.
    pub fn half_points(&self, engine: EngineIndex) -> u8 {
        self.games.iter().filter_map(|game| game.half_points(engine)).sum()
    }
}
