//! Identifiers of engines, pairs and games.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Index of an engine in the plan; the candidate is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineIndex(pub u16);

impl EngineIndex {
    /// The engine from whose point of view results are reported.
    pub const CANDIDATE: Self = Self(0);
    /// The opponent of the candidate in a match of two.
    pub const BASELINE: Self = Self(1);

    /// Returns the index into a slice.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for EngineIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Identifier of an attempt at a pair, or at one game of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PairId {
    /// Index of the pair in the schedule, from 0.
    pub index: u64,
    /// Number of earlier attempts, which were void.
    pub attempt: u32,
    /// The games that are played together.
    #[serde(default, skip_serializing_if = "PairPart::is_both")]
    pub part: PairPart,
}

impl PairId {
    /// Returns the attempt at both games of a pair.
    pub fn both(index: u64, attempt: u32) -> Self {
        Self { index, attempt, part: PairPart::Both }
    }
}

/// The games of a pair that one slot plays one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairPart {
    /// Both games.
    #[default]
    Both,
    /// The first game alone.
    First,
    /// The second game alone.
    Second,
}

impl PairPart {
    /// Returns the part that consists of one game.
    pub fn only(game: GameOfPair) -> Self {
        match game {
            GameOfPair::First => Self::First,
            GameOfPair::Second => Self::Second,
        }
    }

    /// Returns the games, in order.
    pub fn games(self) -> &'static [GameOfPair] {
        match self {
            Self::Both => &GameOfPair::BOTH,
            Self::First => &[GameOfPair::First],
            Self::Second => &[GameOfPair::Second],
        }
    }

    /// Returns whether these are both games of a pair.
    pub fn is_both(&self) -> bool {
        *self == Self::Both
    }
}

/// One of the two games of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameOfPair {
    /// The first engine of the pair plays White.
    First,
    /// The first engine of the pair plays Black.
    Second,
}

impl GameOfPair {
    /// Both games, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns 1 or 2, as in `Round "pair.game"`.
    pub fn number(self) -> u8 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }
}

/// A game of a run, displayed as `pair.game` counted from 1, like the `Round` tag of its PGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId {
    /// Index of its pair in the schedule, from 0.
    pub pair: u64,
    /// Game of the pair.
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
