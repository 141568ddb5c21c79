//! Castling rights and the king and rook squares they depend on, Chess960 included.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::chess::attacks::between;
use crate::chess::{Bitboard, ByColor, CastlingRooks, Color, Square, zobrist};

/// The side of the board towards which a king castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastlingSide {
    /// Towards the h-file: king to g, rook to f.
    King = 0,
    /// Towards the a-file: king to c, rook to d.
    Queen = 1,
}

impl CastlingSide {
    /// Both sides, kingside first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// Returns 0 for kingside and 1 for queenside.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the square of the king after castling.
    pub const fn king_target(self, color: Color) -> Square {
        Square::at([6, 2][self.index()], 0).relative(color)
    }

    /// Returns the square of the rook after castling.
    pub const fn rook_target(self, color: Color) -> Square {
        Square::at([5, 3][self.index()], 0).relative(color)
    }
}

/// The squares involved in one castling move, precomputed for move generation.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct CastlingPath {
    /// The square of the rook before castling.
    pub(in crate::chess) rook: Square,
    /// Squares that must be empty, apart from those of the king and the rook.
    pub(in crate::chess) must_be_empty: Bitboard,
    /// Squares that the enemy must not attack: the path of the king, both ends included.
    pub(in crate::chess) must_be_safe: Bitboard,
}

/// The initial squares of the kings and castling rooks of a game, shared by all its positions.
#[derive(Debug)]
pub(in crate::chess) struct CastlingLayout {
    rooks: [Option<Square>; 4],
    paths: [CastlingPath; 4],
    /// The rights that remain after a move from or to each square.
    kept: [u8; 64],
    keys: [u64; 16],
}

/// The castling rights of both sides: BB Chess's nibble (K 1, Q 2, k 4, q 8) and the rooks they refer to.
#[derive(Clone, Copy)]
pub struct CastlingRights {
    nibble: u8,
    layout: &'static CastlingLayout,
}

const fn slot(color: Color, side: CastlingSide) -> usize {
    color.index() * 2 + side.index()
}

impl CastlingLayout {
    /// Returns the layout for these kings and castling rooks. Each layout is created once and leaked. Their number is
    /// bounded: at most three squares of one rank per side.
    fn interned(kings: ByColor<Square>, rooks: [Option<Square>; 4]) -> &'static Self {
        type Key = ([Square; 2], [Option<Square>; 4]);
        static LAYOUTS: OnceLock<Mutex<HashMap<Key, &'static CastlingLayout>>> = OnceLock::new();
        // The square of a king that cannot castle is normalised; otherwise every king square would create a layout.
        let normalized_king = |color: Color| {
            let castles = rooks[color.index() * 2].or(rooks[color.index() * 2 + 1]).is_some();
            if castles { kings[color] } else { Square::E1.relative(color) }
        };
        let key = ([normalized_king(Color::White), normalized_king(Color::Black)], rooks);
        let mut layouts = LAYOUTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        layouts.entry(key).or_insert_with(|| Box::leak(Box::new(Self::new(key.0, rooks))))
    }

    fn new(kings: [Square; 2], rooks: [Option<Square>; 4]) -> Self {
        let unused =
            CastlingPath { rook: Square::A1, must_be_empty: Bitboard::ALL, must_be_safe: Bitboard::ALL };
        let mut layout = Self { rooks, paths: [unused; 4], kept: [15; 64], keys: [0; 16] };
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let (slot, king) = (slot(color, side), kings[color.index()]);
                let Some(rook) = rooks[slot] else { continue };
                layout.paths[slot] = Self::path(color, side, king, rook);
                layout.kept[rook.index()] &= !(1 << slot);
                layout.kept[king.index()] &= !(3 << (color.index() * 2));
                for nibble in 0..16 {
                    if nibble >> slot & 1 != 0 {
                        layout.keys[nibble] ^= zobrist::castling(color, rook);
                    }
                }
            }
        }
        layout
    }

    fn path(color: Color, side: CastlingSide, king: Square, rook: Square) -> CastlingPath {
        let (king_to, rook_to) = (side.king_target(color), side.rook_target(color));
        let must_be_safe = between(king, king_to) | Bitboard::of(king) | Bitboard::of(king_to);
        let crossed = must_be_safe | between(rook, rook_to) | Bitboard::of(rook_to);
        let must_be_empty = crossed.without(Bitboard::of(king) | Bitboard::of(rook));
        CastlingPath { rook, must_be_empty, must_be_safe }
    }
}

impl CastlingRights {
    /// Creates the rights for these kings and castling rooks.
    pub(in crate::chess) fn new(kings: ByColor<Square>, rooks: ByColor<CastlingRooks>) -> Self {
        let ByColor { white, black } = rooks;
        let rooks = [white.kingside, white.queenside, black.kingside, black.queenside];
        let nibble = (0..4).filter(|&slot| rooks[slot].is_some()).map(|slot| 1 << slot).sum();
        Self { nibble, layout: CastlingLayout::interned(kings, rooks) }
    }

    /// Returns the rights as a nibble: K 1, Q 2, k 4, q 8.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.nibble
    }

    /// Returns whether neither side has a castling right left.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.nibble == 0
    }

    /// Returns whether `color` has the right to castle towards `side`.
    #[inline(always)]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.nibble >> slot(color, side) & 1 != 0
    }

    /// Returns whether `color` has any castling right.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.nibble >> (color.index() * 2) & 3 != 0
    }

    /// Returns the rook with which `color` has the right to castle on `side`.
    #[inline(always)]
    pub const fn rook(self, color: Color, side: CastlingSide) -> Option<Square> {
        if self.has(color, side) { self.layout.rooks[slot(color, side)] } else { None }
    }

    /// Returns the castling path, if `color` has the right.
    #[inline(always)]
    pub(in crate::chess) const fn path(
        self,
        color: Color,
        side: CastlingSide,
    ) -> Option<&'static CastlingPath> {
        if self.has(color, side) { Some(&self.layout.paths[slot(color, side)]) } else { None }
    }

    /// Returns the rights that remain after a move between these squares.
    #[inline(always)]
    pub(in crate::chess) const fn after(self, from: Square, to: Square) -> Self {
        let kept = self.layout.kept[from.index()] & self.layout.kept[to.index()];
        Self { nibble: self.nibble & kept, layout: self.layout }
    }

    /// Returns the contribution of the rights to the key of a position.
    #[inline(always)]
    pub(in crate::chess) const fn key(self) -> u64 {
        self.layout.keys[(self.nibble & 15) as usize]
    }
}

/// Rights are equal if they name the same rooks; rooks without a remaining right do not count.
impl PartialEq for CastlingRights {
    fn eq(&self, other: &Self) -> bool {
        let held =
            |rights: &Self, slot: usize| rights.layout.rooks[slot].filter(|_| rights.nibble >> slot & 1 != 0);
        (0..4).all(|slot| held(self, slot) == held(other, slot))
    }
}

impl Eq for CastlingRights {}

impl fmt::Debug for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rooks = Color::ALL.map(|color| CastlingSide::ALL.map(|side| self.rook(color, side)));
        f.debug_tuple("CastlingRights").field(&rooks).finish()
    }
}
