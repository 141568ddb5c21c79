//! What a search says a position is worth, inside the tree and to the world.

/// A score inside the tree: centipawns for the side to move, or a mate counted in plies from the root.
pub(super) type Value = i32;

/// The longest line that a search follows, in plies.
pub(super) const MAX_PLY: usize = 128;

/// Mate at the root itself; a mate in n plies is worth n less.
pub(super) const MATE: Value = 32_000;
/// Above every score.
pub(super) const INFINITE: Value = 32_001;
/// From here up a score is a mate.
pub(super) const MATE_BAND: Value = MATE - 2 * MAX_PLY as Value;
/// The largest score that is not a mate.
pub(super) const MAX_EVAL: Value = MATE_BAND - 1;

/// The score of the side that is mated `ply` plies from the root.
#[inline(always)]
pub(super) const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The score of the side that mates `ply` plies from the root.
#[inline(always)]
pub(super) const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether a score is a mate for either side.
#[inline(always)]
pub(super) const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_BAND
}

/// A score for the table, which counts mates from the position it stores and not from the root.
#[inline(always)]
pub(super) const fn to_table(value: Value, ply: usize) -> Value {
    if value >= MATE_BAND {
        value + ply as Value
    } else if value <= -MATE_BAND {
        value - ply as Value
    } else {
        value
    }
}

/// A table's score, counted from the root again; the inverse of [`to_table`].
#[inline(always)]
pub(super) const fn from_table(value: Value, ply: usize) -> Value {
    if value >= MATE_BAND {
        value - ply as Value
    } else if value <= -MATE_BAND {
        value + ply as Value
    } else {
        value
    }
}

/// A score as the world reads it, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in so many moves; negative when the side to move is mated, 0 when it is mated already.
    Mate(i32),
}

impl Score {
    /// The score of a dead drawn position.
    pub const DRAW: Self = Self::Cp(0);

    pub(super) const fn from_value(value: Value) -> Self {
        if value >= MATE_BAND {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_BAND {
            Self::Mate(-(MATE + value) / 2)
        } else {
            Self::Cp(value)
        }
    }

    /// The same score seen from the other side.
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
    fn a_mate_is_told_in_moves_of_the_side_that_mates() {
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
    fn a_mate_stored_at_one_ply_is_as_far_away_when_met_at_another() {
        for (stored_at, met_at) in [(3, 3), (3, 9), (20, 1)] {
            let seven_plies_on = mate_in(stored_at + 7);
            let met = from_table(to_table(seven_plies_on, stored_at), met_at);
            assert_eq!(met, mate_in(met_at + 7));
            let lost = from_table(to_table(mated_in(stored_at + 6), stored_at), met_at);
            assert_eq!(lost, mated_in(met_at + 6));
        }
        assert_eq!(to_table(120, 9), 120);
    }

    #[test]
    fn every_mate_inside_the_deepest_line_stays_in_the_band_and_in_sixteen_bits() {
        assert!(is_mate(mate_in(MAX_PLY)) && is_mate(mated_in(MAX_PLY)) && !is_mate(MAX_EVAL));
        assert!(to_table(mate_in(MAX_PLY), MAX_PLY) <= MATE);
        assert!(i16::try_from(INFINITE).is_ok());
    }
}
