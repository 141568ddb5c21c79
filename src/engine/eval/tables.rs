//! Tables of weights that are declared as one field.

use std::ops::{Deref, DerefMut};

use crate::chess::{Color, Square};
use crate::engine::Cells;
use crate::engine::eval::tapered::Tapered;

/// A tapered weight for each count from 0 to N - 1, named `_mg_0`, `_eg_0`, `_mg_1`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct ByCount<const N: usize>(pub [Tapered; N]);

/// A plain weight for each count from 0 to N - 1, named `_0`, `_1`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct PlainByCount<const N: usize>(pub [i32; N]);

/// A tapered weight for each rank of a pawn, from the second to the seventh, named `_mg_2`, `_eg_2`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct ByRank(pub [Tapered; 6]);

/// A tapered weight for each square, relative to the side and mirrored between the wings; named `_mg_a1`, `_eg_a1`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct BySquare(pub [Tapered; 32]);

/// Like [`BySquare`], for pawns: from the second to the seventh rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct ByPawnSquare(pub [Tapered; 24]);

/// A tapered weight for each file, counted from the edge, and each rank of the nearest pawn on it; `none` means no pawn.
/// Named `_mg_a_none`, `_eg_a_none`, `_mg_a_2`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct ByFileAndRank(pub [Tapered; 28]);

impl ByRank {
    /// Returns the weight of a pawn of `color` on `square`.
    #[inline(always)]
    pub fn of(&self, color: Color, square: Square) -> &Tapered {
        // A pawn is never on its first or last rank; the limit makes the bounds check unnecessary.
        &self.0[(square.relative_rank(color).wrapping_sub(1) as usize).min(5)]
    }
}

impl BySquare {
    /// Returns the weight of a piece of `color` on `square`.
    #[inline(always)]
    pub fn of(&self, color: Color, square: Square) -> &Tapered {
        // The table spares the arithmetic; its limit, the bounds check.
        const ENTRIES: [[u8; 64]; 2] = {
            let mut entries = [[0; 64]; 2];
            let mut square = 0;
            while square < 64 {
                let entry = square / 8 * 4 + from_edge(square as u8 % 8);
                entries[0][square] = entry as u8;
                entries[1][square ^ 56] = entry as u8;
                square += 1;
            }
            entries
        };
        &self.0[(ENTRIES[color.index()][square.index()] & 31) as usize]
    }
}

impl ByPawnSquare {
    /// Returns the weight of a pawn of `color` on `square`.
    #[inline(always)]
    pub fn of(&self, color: Color, square: Square) -> &Tapered {
        &self.0[(square.relative_rank(color).wrapping_sub(1) as usize).min(5) * 4 + from_edge(square.file())]
    }
}

impl ByFileAndRank {
    /// Returns the weight of a file and a relative rank; rank 0 means no pawn.
    #[inline(always)]
    pub fn of(&self, file: u8, rank: u8) -> &Tapered {
        &self.0[from_edge(file) * 7 + (rank as usize).min(6)]
    }
}

/// Returns the distance of a file from the nearer edge: 0 for a and h, 3 for d and e.
#[inline(always)]
pub(crate) const fn from_edge(file: u8) -> usize {
    let file = file & 7;
    (if file < 4 { file } else { 7 - file }) as usize
}

macro_rules! table_of_cells {
    (($($generics:tt)*) $table:ty, $entry:ty, $count:expr, $label:expr) => {
        impl<$($generics)*> Cells for $table {
            const COUNT: usize = $count * <$entry as Cells>::COUNT;

            fn suffix(index: usize) -> String {
                let label: fn(usize) -> String = $label;
                let halves = <$entry as Cells>::COUNT;
                <$entry as Cells>::suffix(index % halves) + "_" + &label(index / halves)
            }

            fn cell(&self, index: usize) -> i32 {
                let halves = <$entry as Cells>::COUNT;
                self.0[index / halves].cell(index % halves)
            }

            fn set_cell(&mut self, index: usize, value: i32) {
                let halves = <$entry as Cells>::COUNT;
                self.0[index / halves].set_cell(index % halves, value);
            }
        }

        impl<$($generics)*> Deref for $table {
            type Target = [$entry; $count];

            #[inline(always)]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl<$($generics)*> DerefMut for $table {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }
    };
}

table_of_cells!((const N: usize) ByCount<N>, Tapered, N, |index| index.to_string());
table_of_cells!((const N: usize) PlainByCount<N>, i32, N, |index| index.to_string());
table_of_cells!(() ByRank, Tapered, 6, |index| (index + 2).to_string());
table_of_cells!(() BySquare, Tapered, 32, |index| square_name(index));
table_of_cells!(() ByPawnSquare, Tapered, 24, |index| square_name(index + 4));
table_of_cells!(() ByFileAndRank, Tapered, 28, |index| {
    let file = (b'a' + (index / 7) as u8) as char;
    match index % 7 {
        0 => format!("{file}_none"),
        rank => format!("{file}_{}", rank + 1),
    }
});

fn square_name(index: usize) -> String {
    Square::at((index % 4) as u8, (index / 4) as u8).to_string()
}

/// Combines a table of middlegame values and one of endgame values.
pub(crate) const fn zip<const N: usize>(middlegame: [i32; N], endgame: [i32; N]) -> [Tapered; N] {
    let mut pairs = [Tapered::ZERO; N];
    let mut index = 0;
    while index < N {
        pairs[index] = Tapered::new(middlegame[index], endgame[index]);
        index += 1;
    }
    pairs
}
