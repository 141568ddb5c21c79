//! Bitboard functions for pawns: attacks, spans, files.

use crate::chess::{Bitboard, Color, Square};

/// Returns the squares that pawns of `us` on `pawns` attack.
#[inline(always)]
pub(super) fn pawn_attacks_of(us: Color, pawns: Bitboard) -> Bitboard {
    pawns.east().forward(us) | pawns.west().forward(us)
}

/// Returns the squares that two pawns of `us` on `pawns` attack.
#[inline(always)]
pub(super) fn pawn_attacks_twice(us: Color, pawns: Bitboard) -> Bitboard {
    pawns.east().forward(us) & pawns.west().forward(us)
}

/// Returns all squares in front of those of `set`, on the same files.
#[inline(always)]
pub(super) fn ahead(us: Color, set: Bitboard) -> Bitboard {
    match us {
        Color::White => {
            let mut filled = set.0 << 8;
            filled |= filled << 8;
            filled |= filled << 16;
            Bitboard(filled | filled << 32)
        }
        Color::Black => {
            let mut filled = set.0 >> 8;
            filled |= filled >> 8;
            filled |= filled >> 16;
            Bitboard(filled | filled >> 32)
        }
    }
}

/// Returns the squares in front of `square` on its file.
#[inline(always)]
pub(super) fn path(us: Color, square: Square) -> Bitboard {
    match us {
        Color::White => Bitboard(Bitboard::FILE_A.north().0 << square.index()),
        Color::Black => Bitboard(Bitboard::FILE_H.south().0 >> (63 - square.index())),
    }
}

/// Returns the squares directly left and right of those of `set`.
#[inline(always)]
pub(super) fn beside(set: Bitboard) -> Bitboard {
    set.east() | set.west()
}

/// Returns the files adjacent to a file.
#[inline(always)]
pub(super) fn files_beside(file: u8) -> Bitboard {
    beside(Bitboard::file(file))
}

/// Returns the rank `rank` relative to `us`; 0 is its back rank.
#[inline(always)]
pub(super) fn rank_of(us: Color, rank: u8) -> Bitboard {
    match us {
        Color::White => Bitboard::rank(rank),
        Color::Black => Bitboard::rank(7 - rank),
    }
}

/// Returns the square in front of a pawn of `us`; a pawn is never on the last rank.
#[inline(always)]
pub(super) fn step(us: Color, square: Square) -> Square {
    match us {
        Color::White => Square::wrap(square.index() as u8 + 8),
        Color::Black => Square::wrap((square.index() as u8).wrapping_sub(8)),
    }
}

/// Returns the square of a set that is nearest to the back rank of `us`.
#[inline(always)]
pub(super) fn rearmost(us: Color, set: Bitboard) -> Option<Square> {
    match us {
        Color::White => set.first(),
        Color::Black => set.last(),
    }
}
