//! Numbers of pieces on a board.

use crate::chess::{Color, Piece, PieceKind};

/// How many pieces of each kind and colour a position has; a key of its material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PieceCounts(u64);

impl PieceCounts {
    /// Bits per count; a side has at most 16 pieces, one of them the king.
    const BITS: usize = 4;

    /// Returns the number of pieces of one kind and colour.
    #[inline(always)]
    pub const fn of(self, color: Color, kind: PieceKind) -> u32 {
        (self.0 >> (Self::BITS * Piece::new(color, kind).code() as usize) & 15) as u32
    }

    /// Returns all counts in one word.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Adds a piece.
    #[inline(always)]
    pub(in crate::chess) fn add(&mut self, piece: Piece) {
        self.0 += 1 << (Self::BITS * piece.code() as usize);
    }

    /// Removes a piece.
    #[inline(always)]
    pub(in crate::chess) fn remove(&mut self, piece: Piece) {
        self.0 -= 1 << (Self::BITS * piece.code() as usize);
    }
}
