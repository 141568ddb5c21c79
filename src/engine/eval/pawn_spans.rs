//! Files, spans and fills that pawns and their neighbours are judged by.

use crate::chess::{Bitboard, Color, Square};

/// The squares that pawns of `us` on `pawns` attack.
#[inline(always)]
pub(super) fn pawn_attacks_of(us: Color, pawns: Bitboard) -> Bitboard {
    pawns.east().forward(us) | pawns.west().forward(us)
}

/// The squares that two of them attack.
#[inline(always)]
pub(super) fn pawn_attacks_twice(us: Color, pawns: Bitboard) -> Bitboard {
    pawns.east().forward(us) & pawns.west().forward(us)
}

/// Everything in front of the set, its own squares left out.
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

/// The squares in front of one square on its file.
#[inline(always)]
pub(super) fn path(us: Color, square: Square) -> Bitboard {
    ahead(us, Bitboard::of(square))
}

/// The files next to the set's squares, on the same ranks.
#[inline(always)]
pub(super) fn beside(set: Bitboard) -> Bitboard {
    set.east() | set.west()
}

/// The files next to a file, whole.
#[inline(always)]
pub(super) fn files_beside(file: u8) -> Bitboard {
    beside(Bitboard::file(file))
}

/// The relative rank `rank` (0 = own back rank) of `us`.
#[inline(always)]
pub(super) fn rank_of(us: Color, rank: u8) -> Bitboard {
    match us {
        Color::White => Bitboard::rank(rank),
        Color::Black => Bitboard::rank(7 - rank),
    }
}

/// The square in front of a pawn of `us`; a pawn never stands on the last rank.
#[inline(always)]
pub(super) fn step(us: Color, square: Square) -> Square {
    match us {
        Color::White => Square::wrap(square.index() as u8 + 8),
        Color::Black => Square::wrap((square.index() as u8).wrapping_sub(8)),
    }
}

/// The member of a set that is nearest to the own back rank of `us`.
#[inline(always)]
pub(super) fn rearmost(us: Color, set: Bitboard) -> Option<Square> {
    match us {
        Color::White => set.first(),
        Color::Black => set.last(),
    }
}
