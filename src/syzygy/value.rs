//! Values of positions.

use std::ops::Neg;

/// The value of a position for the side to move, right after a capture or a pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but drawn by the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but drawn by the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl Wdl {
    /// Every value, from the worst to the best, as tables number them.
    const ALL: [Self; 5] = [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];

    /// Returns the value that a table stores as this number.
    pub(super) fn from_stored(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns 1 for a win, -1 for a loss, cursed or not, and 0 for a draw.
    pub(super) fn sign(self) -> i32 {
        match self {
            Self::Loss | Self::BlessedLoss => -1,
            Self::Draw => 0,
            Self::CursedWin | Self::Win => 1,
        }
    }

    /// Returns the distance if the next move is the capture or pawn move that keeps the value.
    pub(super) fn before_zeroing(self) -> Dtz {
        Dtz(match self {
            Self::Win => 1,
            Self::CursedWin => 101,
            Self::Draw => 0,
            Self::BlessedLoss => -101,
            Self::Loss => -1,
        })
    }
}

impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }
}

/// The distance in plies to the next capture or pawn move with best play, positive if the side to move wins, negative
/// if it loses, 0 for a draw.
///
/// Up to 100 the game is won or lost whatever happened before the last capture or pawn move, provided that the
/// halfmove clock is 0; from 101 on it is drawn by the fifty-move rule. Tables may store moves instead of plies: the
/// true distance is then one more than this, never where that would change the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dtz(pub i32);

impl Dtz {
    /// Returns the value for the side to move when `clock` half-moves have been played since the last capture or pawn
    /// move. A win that the rounding of the tables leaves in doubt is a [`Wdl::CursedWin`], and a loss likewise.
    pub fn with_clock(self, clock: u16) -> Wdl {
        // At a clock of 0 the tables are exact; later the true distance may be one more.
        let plies = self.0.abs() + if clock == 0 { 0 } else { i32::from(clock) + 1 };
        match (self.0.signum(), plies <= 100) {
            (1, true) => Wdl::Win,
            (1, false) => Wdl::CursedWin,
            (-1, true) => Wdl::Loss,
            (-1, false) => Wdl::BlessedLoss,
            _ => Wdl::Draw,
        }
    }
}

impl Neg for Dtz {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}
