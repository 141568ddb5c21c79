//! Squares, files and ranks; squares are indexed from a1 = 0 to h8 = 63.

use std::fmt;
use std::str::FromStr;

use crate::chess::Color;

/// A square of the board; a1 = 0, b1 = 1, … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

/// Error returned when a string is not the name of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSquareError;

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a square (expected a1 to h8)")
    }
}

impl std::error::Error for ParseSquareError {}

macro_rules! squares {
    ($($name:ident)*) => {
        squares!(@ 0u8; $($name)*);
    };
    (@ $n:expr; $name:ident $($rest:ident)*) => {
        #[doc = concat!("The square ", stringify!($name), ".")]
        pub const $name: Self = Self($n);
        squares!(@ $n + 1; $($rest)*);
    };
    (@ $n:expr;) => {};
}

static DISTANCES: [[u8; 64]; 64] = {
    let mut distances = [[0; 64]; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (one, other) = (Square(pair as u8 & 63), Square((pair / 64) as u8));
        let files = one.file().abs_diff(other.file());
        let ranks = one.rank().abs_diff(other.rank());
        distances[pair % 64][pair / 64] = if files > ranks { files } else { ranks };
        pair += 1;
    }
    distances
};

impl Square {
    squares! {
        A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 H2 A3 B3 C3 D3 E3 F3 G3 H3 A4 B4 C4 D4 E4 F4 G4 H4
        A5 B5 C5 D5 E5 F5 G5 H5 A6 B6 C6 D6 E6 F6 G6 H6 A7 B7 C7 D7 E7 F7 G7 H7 A8 B8 C8 D8 E8 F8 G8 H8
    }

    /// Returns the square with this index, or `None` if the index is greater than 63.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// Returns the square given by the low six bits of `index`, for indices that are valid by construction.
    #[inline(always)]
    pub const fn wrap(index: u8) -> Self {
        Self(index & 63)
    }

    /// Returns the square on this file and rank, each from 0 to 7.
    #[inline(always)]
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | file & 7)
    }

    /// Returns the index, 0 to 63, masked so that the compiler removes bounds checks on 64-entry tables.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Returns the file, from 0 for the a-file to 7 for the h-file.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns the rank, from 0 for the first to 7 for the eighth.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the rank from the point of view of `color`: 0 is its own back rank.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// Mirrors the rank and keeps the file.
    #[inline(always)]
    pub const fn flip(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// Returns this square for White and the result of [`Square::flip`] for Black.
    #[inline(always)]
    pub const fn relative(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => self.flip(),
        }
    }

    /// Returns the number of king moves between two squares on an empty board.
    #[inline(always)]
    pub const fn distance(self, other: Self) -> u8 {
        DISTANCES[self.index()][other.index()]
    }

    /// Returns an iterator over all squares, from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0u8..64).map(Self)
    }

    /// Returns the letter of the file, `a` to `h`.
    pub const fn file_letter(self) -> char {
        (b'a' + self.file()) as char
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file_letter(), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self::at(file - b'a', rank - b'1')),
            _ => Err(ParseSquareError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_prints_and_parses_back() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for text in ["", "a", "a9", "i1", "A1", "a1 ", "é1"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError), "{text:?}");
        }
    }

    #[test]
    fn square_constants_have_the_index_of_their_name() {
        assert_eq!(Square::A1.index(), 0);
        assert_eq!(Square::H1.to_string(), "h1");
        assert_eq!(Square::E4.to_string(), "e4");
        assert_eq!(Square::H8.index(), 63);
        assert_eq!(Square::E2.relative(Color::Black), Square::E7);
        assert_eq!(Square::A1.distance(Square::C8), 7);
    }
}
