//! Pairs of a middlegame and an endgame value, packed into one word.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::engine::Cells;

/// A middlegame value and an endgame value, with arithmetic on both at once.
///
/// The endgame value is in the upper 16 bits, and the middlegame value is added below it, so that one addition adds both.
/// A negative lower half borrows from the upper half, which [`Tapered::endgame`] corrects. Each half must fit an `i16`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Tapered(i32);

impl Tapered {
    /// Zero in both phases.
    pub const ZERO: Self = Self(0);

    /// Creates a pair of values.
    #[inline(always)]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16).wrapping_add(middlegame))
    }

    /// Returns the middlegame value.
    #[inline(always)]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Returns the endgame value.
    #[inline(always)]
    pub const fn endgame(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

impl Add for Tapered {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Tapered {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Tapered {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    #[inline(always)]
    fn mul(self, count: i32) -> Self {
        Self(self.0.wrapping_mul(count))
    }
}

impl AddAssign for Tapered {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Tapered {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

impl Cells for Tapered {
    const COUNT: usize = 2;

    fn suffix(index: usize) -> String {
        ["_mg", "_eg"][index].to_owned()
    }

    fn cell(&self, index: usize) -> i32 {
        [self.middlegame(), self.endgame()][index]
    }

    fn set_cell(&mut self, index: usize, value: i32) {
        let mut halves = [self.middlegame(), self.endgame()];
        halves[index] = value;
        *self = Self::new(halves[0], halves[1]);
    }
}

/// A weight that counts in the middlegame only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Middlegame(pub i32);

/// A weight that counts in the endgame only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Endgame(pub i32);

macro_rules! one_cell {
    ($kind:ident, $suffix:literal) => {
        impl Cells for $kind {
            const COUNT: usize = 1;

            fn suffix(_: usize) -> String {
                $suffix.to_owned()
            }

            fn cell(&self, _: usize) -> i32 {
                self.0
            }

            fn set_cell(&mut self, _: usize, value: i32) {
                self.0 = value;
            }
        }
    };
}

one_cell!(Middlegame, "_mg");
one_cell!(Endgame, "_eg");

/// The phases in which a number of the weights counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// Middlegame and endgame alike.
    Both,
    /// The middlegame only.
    Middlegame,
    /// The endgame only.
    Endgame,
}

/// A weight that the evaluation multiplies by a count; one 32-bit slot of the weights.
pub trait Term: Copy {
    /// Returns the value in each phase.
    fn value(self) -> Tapered;
}

impl Term for Tapered {
    #[inline(always)]
    fn value(self) -> Tapered {
        self
    }
}

impl Term for i32 {
    #[inline(always)]
    fn value(self) -> Tapered {
        Tapered::new(self, self)
    }
}

impl Term for Middlegame {
    #[inline(always)]
    fn value(self) -> Tapered {
        Tapered::new(self.0, 0)
    }
}

impl Term for Endgame {
    #[inline(always)]
    fn value(self) -> Tapered {
        Tapered::new(0, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_and_arithmetic_preserve_both_halves() {
        for middlegame in [-9000, -1, 0, 1, 9000] {
            for endgame in [-9000, -1, 0, 1, 9000] {
                let value = Tapered::new(middlegame, endgame);
                assert_eq!((value.middlegame(), value.endgame()), (middlegame, endgame));
                let twice = value * 3 - value;
                assert_eq!((twice.middlegame(), twice.endgame()), (2 * middlegame, 2 * endgame));
                assert_eq!(-value + value, Tapered::ZERO);
            }
        }
    }
}
