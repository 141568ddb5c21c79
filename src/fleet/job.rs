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

/// A pair to play: the same opening twice, with colours swapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairJob {
    /// Identifier of the pair.
    pub id: PairId,
    /// Opening of both games.
    pub opening: Opening,
    /// The two sides; the first plays White in the first game.
    pub contestants: [Contestant; 2],
    /// The first game, if it has already been played; then only the second is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_game: Option<Box<GameRecord>>,
}

impl PairJob {
    /// Returns the indices in `contestants` of White and Black in this game.
    pub fn seats(game: GameOfPair) -> [usize; 2] {
        match game {
            GameOfPair::First => [0, 1],
            GameOfPair::Second => [1, 0],
        }
    }
}

/// A finished pair that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairReport {
    /// Identifier of the pair.
    pub id: PairId,
    /// Both games.
    pub games: [GameRecord; 2],
}

impl PairReport {
    /// Returns the score of this engine: 0 to 4 half points.
    pub fn half_points(&self, engine: EngineIndex) -> u8 {
        self.games.iter().filter_map(|game| game.half_points(engine)).sum()
    }
}
