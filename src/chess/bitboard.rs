//! A set of squares in one word.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::chess::{Color, Square};

/// A set of squares; bit `n` represents the square with index `n`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const ALL: Self = Self(!0);
    /// The a-file.
    pub const FILE_A: Self = Self(0x0101_0101_0101_0101);
    /// The h-file.
    pub const FILE_H: Self = Self(0x8080_8080_8080_8080);
    /// The first rank.
    pub const RANK_1: Self = Self(0xff);
    /// The eighth rank.
    pub const RANK_8: Self = Self(0xff << 56);
    /// The dark squares, a1 among them.
    pub const DARK: Self = Self(0xaa55_aa55_aa55_aa55);
    /// The light squares, h1 among them.
    pub const LIGHT: Self = Self(!Self::DARK.0);

    /// Returns a file, 0 for the a-file to 7 for the h-file.
    #[inline(always)]
    pub const fn file(file: u8) -> Self {
        Self(Self::FILE_A.0 << (file & 7))
    }

    /// Returns a rank, 0 for the first to 7 for the eighth.
    #[inline(always)]
    pub const fn rank(rank: u8) -> Self {
        Self(0xff << ((rank & 7) * 8))
    }

    /// Returns the set that contains only `square`.
    #[inline(always)]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// Returns whether `square` is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the number of squares in the set.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains at least one square.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns whether the set contains at least two squares.
    #[inline(always)]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns the square with the lowest index, if any.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrap(self.0.trailing_zeros() as u8)) }
    }

    /// Returns the set that contains only the square with the lowest index; empty if this set is.
    #[inline(always)]
    pub const fn lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// Returns the square with the highest index, if any.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrap(63 - self.0.leading_zeros() as u8)) }
    }

    /// Returns the squares of this set that are not in `other`.
    #[inline(always)]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Mirrors the ranks: returns the set as seen from the other side of the board.
    #[inline(always)]
    pub const fn flip(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// Shifts the set one step towards the eighth rank.
    #[inline(always)]
    pub const fn north(self) -> Self {
        Self(self.0 << 8)
    }

    /// Shifts the set one step towards the first rank.
    #[inline(always)]
    pub const fn south(self) -> Self {
        Self(self.0 >> 8)
    }

    /// Shifts the set one step towards the h-file, without wrapping around the board.
    #[inline(always)]
    pub const fn east(self) -> Self {
        Self((self.0 & !Self::FILE_H.0) << 1)
    }

    /// Shifts the set one step towards the a-file, without wrapping around the board.
    #[inline(always)]
    pub const fn west(self) -> Self {
        Self((self.0 & !Self::FILE_A.0) >> 1)
    }

    /// Shifts the set one step in the direction in which pawns of `color` move.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.north(),
            Color::Black => self.south(),
        }
    }
}

/// Iterates over the squares from the lowest index to the highest.
impl Iterator for Bitboard {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let squares = self.0.count_ones() as usize;
        (squares, Some(squares))
    }
}

macro_rules! set_operators {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident $token:tt;)*) => {$(
        impl $operator for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self { Self(self.0 $token other.0) }
        }
        impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) { self.0 = self.0 $token other.0; }
        }
    )*};
}

set_operators! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl From<Square> for Bitboard {
    fn from(square: Square) -> Self {
        Self::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

/// Formats the set as an eight-line diagram, the eighth rank first.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            writeln!(f)?;
            for file in 0..8 {
                f.write_str(if self.has(Square::at(file, rank)) { "X " } else { ". " })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_wrap_around_the_board() {
        assert!(Bitboard::of(Square::H4).east().is_empty());
        assert!(Bitboard::of(Square::A4).west().is_empty());
        assert!(Bitboard::of(Square::C8).north().is_empty());
        assert!(Bitboard::of(Square::C1).south().is_empty());
        assert_eq!(Bitboard::of(Square::C1).forward(Color::White), Bitboard::of(Square::C2));
    }

    #[test]
    fn iteration_visits_each_square_once_in_ascending_order() {
        let set: Bitboard = [Square::H8, Square::A1, Square::E4].into_iter().collect();
        assert_eq!(set.collect::<Vec<_>>(), [Square::A1, Square::E4, Square::H8]);
        assert_eq!((set.first(), set.last()), (Some(Square::A1), Some(Square::H8)));
        assert!(Bitboard::DARK.has(Square::A1) && Bitboard::LIGHT.has(Square::H1));
    }
}
