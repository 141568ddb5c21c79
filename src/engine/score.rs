//! Scores, as used inside the search tree and as reported.

/// A score inside the tree: centipawns from the side to move, or a mate counted in plies from the root.
pub(super) type Value = i32;

/// Maximum length of a line, in plies.
pub(super) const MAX_PLY: usize = 128;

/// Mate at the root; a mate in `n` plies scores `n` less.
pub(super) const MATE: Value = 32_000;
/// Greater than every score.
pub(super) const INFINITE: Value = 32_001;
/// The smallest score that is a mate.
pub(super) const MATE_THRESHOLD: Value = MATE - 2 * MAX_PLY as Value;
/// The largest score that is not a mate.
pub(super) const MAX_EVAL: Value = MATE_THRESHOLD - 1;

/// The score of a win that endgame tables know: better than every evaluation that occurs, and not a mate.
pub(super) const TABLE_WIN: Value = 20_000;

/// Returns the score of being mated `ply` plies from the root.
#[inline(always)]
pub(super) const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Returns the score of giving mate `ply` plies from the root.
#[inline(always)]
pub(super) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether a score is a mate for either side.
#[inline(always)]
pub(super) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_THRESHOLD
}

/// Converts a score for the transposition table, which counts mates from the stored position and not from the root.
#[inline(always)]
pub(super) const fn to_table(value: Value, ply: usize) -> Value {
    if value >= MATE_THRESHOLD {
        value + ply as Value
    } else if value <= -MATE_THRESHOLD {
        value - ply as Value
    } else {
        value
    }
}

/// Converts a score from the transposition table; the inverse of [`to_table`].
#[inline(always)]
pub(super) const fn from_table(value: Value, ply: usize) -> Value {
    if value >= MATE_THRESHOLD {
        value - ply as Value
    } else if value <= -MATE_THRESHOLD {
        value + ply as Value
    } else {
        value
    }
}

/// A score as reported, from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this many moves; negative if the side to move is mated, 0 if it is already mated.
    Mate(i32),
}

impl Score {
    /// The score of a draw.
    pub const DRAW: Self = Self::Cp(0);

    pub(super) const fn from_value(value: Value) -> Self {
        if value >= MATE_THRESHOLD {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_THRESHOLD {
            Self::Mate(-(MATE + value) / 2)
        } else {
            Self::Cp(value)
        }
    }

    /// Returns the same score from the point of view of the other side.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(-cp),
            Self::Mate(moves) => Self::Mate(-moves),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_is_counted_in_moves_of_the_mating_side() {
        let cases = [
            (mate_in(1), Score::Mate(1)),
            (mate_in(3), Score::Mate(2)),
            (mate_in(5), Score::Mate(3)),
            (mated_in(0), Score::Mate(0)),
            (mated_in(2), Score::Mate(-1)),
            (mated_in(4), Score::Mate(-2)),
            (MAX_EVAL, Score::Cp(MAX_EVAL)),
            (-17, Score::Cp(-17)),
        ];
        for (value, score) in cases {
            assert_eq!(Score::from_value(value), score, "{value}");
        }
    }

    #[test]
    fn a_mate_stored_at_one_ply_keeps_its_distance_when_probed_at_another() {
        for (stored_at, probed_at) in [(3, 3), (3, 9), (20, 1)] {
            let mate_in_seven = mate_in(stored_at + 7);
            let probed = from_table(to_table(mate_in_seven, stored_at), probed_at);
            assert_eq!(probed, mate_in(probed_at + 7));
            let lost = from_table(to_table(mated_in(stored_at + 6), stored_at), probed_at);
            assert_eq!(lost, mated_in(probed_at + 6));
        }
        assert_eq!(to_table(120, 9), 120);
    }

    #[test]
    fn every_mate_within_max_ply_is_recognised_and_fits_sixteen_bits() {
        assert!(is_mate(mate_in(MAX_PLY)) && is_mate(mated_in(MAX_PLY)) && !is_mate(MAX_EVAL));
        assert!(to_table(mate_in(MAX_PLY), MAX_PLY) <= MATE);
        assert!(i16::try_from(INFINITE).is_ok());
    }
}
