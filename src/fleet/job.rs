//! A pair of games to play, and what came of it.

use serde::{Deserialize, Serialize};

use crate::game::{EngineIndex, GameOfPair, GameRecord, PairId, TimeControl};
use crate::opening::Opening;
use crate::player::EngineOption;

/// One side of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Which engine of the fleet.
    pub engine: EngineIndex,
    /// Options for this pair, over those of the engine's spec. A pair that does not name an option that an earlier
    /// pair changed gets the engine's own value back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<EngineOption>,
    /// Its time and search limits.
    pub limits: TimeControl,
}

/// A pair to play: the same opening twice, colours swapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairJob {
    /// Its key.
    pub id: PairId,
    /// Where both games start.
    pub opening: Opening,
    /// The first has White in game one.
    pub contestants: [Contestant; 2],
    /// The first game, where it was finished before: then only the second is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_game: Option<Box<GameRecord>>,
}

impl PairJob {
    /// The places in `contestants` of White and Black in this game.
    pub fn seats(game: GameOfPair) -> [usize; 2] {
        match game {
            GameOfPair::First => [0, 1],
            GameOfPair::Second => [1, 0],
        }
    }
}

/// A pair that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairReport {
    /// Its key.
    pub id: PairId,
    /// Both games.
    pub games: [GameRecord; 2],
}

impl PairReport {
    /// What the pair was worth to this engine: 0 to 4 half points.
    pub fn half_points(&self, engine: EngineIndex) -> u8 {
        self.games.iter().filter_map(|game| game.half_points(engine)).sum()
    }
}
