//! Identifiers that everything above a single game refers to: engines, pairs, games.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An engine's place in the plan's list; the candidate is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineIndex(pub u16);

impl EngineIndex {
    /// The engine every result is told from.
    pub const CANDIDATE: Self = Self(0);
    /// The engine the candidate is measured against, in a match of two.
    pub const BASELINE: Self = Self(1);

    /// The index for a slice.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for EngineIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A pair's key: its place in the schedule, and the try at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PairId {
    /// Place in the schedule, from 0.
    pub index: u64,
    /// 0, and one more each time the pair was void.
    pub attempt: u32,
}

/// Which of a pair's two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameOfPair {
    /// The first engine named plays White.
    First,
    /// The first engine named plays Black.
    Second,
}

impl GameOfPair {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 1 or 2, as `Round "pair.game"` counts.
    pub fn number(self) -> u8 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }

    /// The game's number among all of a run, from 1, as people count them.
    pub fn number_in_run(self, pair: u64) -> u64 {
        2 * pair + u64::from(self.number())
    }
}

/// A game of a run, displayed as `pair.game` counted from 1: the `Round` tag of its PGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId {
    /// Index of its pair in the schedule, from 0.
    pub pair: u64,
    /// Which game of the pair.
    pub game: GameOfPair,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pair + 1, self.game.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_displayed_as_pair_and_game_from_one() {
        assert_eq!(GameId { pair: 11, game: GameOfPair::First }.to_string(), "12.1");
        assert_eq!(GameId { pair: 0, game: GameOfPair::Second }.to_string(), "1.2");
    }
}
