//! Scores that engines report.

use serde::{Deserialize, Serialize};

use crate::protocol::uci::InfoScore;

/// A score from the point of view of the engine that reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate; negative if the engine itself is mated.
    Mate(i32),
}

impl Score {
    /// Beyond every centipawn score that an engine reports; base value of mate scores on the centipawn scale.
    const MATE_CP: i32 = 1_000_000;
    /// Longer than any game; a mate beyond it is a corrupt number, which would otherwise lead to an adjudication.
    const FARTHEST_MATE: u32 = 10_000;

    /// Returns the score that an engine reported, unless it cannot be meant.
    pub(super) fn reported(score: InfoScore) -> Option<Self> {
        match score {
            InfoScore::Cp(cp) => Some(Self::Cp(cp)),
            InfoScore::Mate(moves) if moves.unsigned_abs() > Self::FARTHEST_MATE => None,
            InfoScore::Mate(moves) => Some(Self::Mate(moves)),
        }
    }

    /// Returns the same score from the other side.
    #[must_use]
    pub(super) fn reversed(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(cp.saturating_neg()),
            Self::Mate(moves) => Self::Mate(-moves),
        }
    }

    /// Returns the score on the centipawn scale, where every mate lies beyond all centipawn scores and nearer mates
    /// lie further out.
    pub fn as_centipawns(self) -> i32 {
        match self {
            Self::Cp(cp) => cp.clamp(-Self::MATE_CP / 2, Self::MATE_CP / 2),
            Self::Mate(moves) if moves > 0 => Self::MATE_CP - moves.min(10_000),
            Self::Mate(moves) => -Self::MATE_CP - moves.max(-10_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearer_mate_outweighs_a_farther_one_and_any_score() {
        let order = [
            Score::Mate(0),
            Score::Mate(-1),
            Score::Mate(-7),
            Score::Cp(i32::MIN),
            Score::Cp(0),
            Score::Cp(i32::MAX),
            Score::Mate(9),
            Score::Mate(1),
        ];
        assert!(order.windows(2).all(|two| two[0].as_centipawns() < two[1].as_centipawns()));
    }
}
