//! Castling rights, and where kings and rooks must stand for them, Chess960 included.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::chess::attacks::between;
use crate::chess::{Bitboard, ByColor, CastlingRooks, Color, Square, zobrist};

/// The side of the board a king castles towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastlingSide {
    /// Towards the h-file: king to g, rook to f.
    King = 0,
    /// Towards the a-file: king to c, rook to d.
    Queen = 1,
}

impl CastlingSide {
    /// Both sides, the king's first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// 0 for the king's side, 1 for the queen's.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Where the king lands.
    pub const fn king_target(self, color: Color) -> Square {
        Square::at([6, 2][self.index()], 0).relative(color)
    }

    /// Where the rook lands.
    pub const fn rook_target(self, color: Color) -> Square {
        Square::at([5, 3][self.index()], 0).relative(color)
    }
}

/// One way to castle, with everything a generator asks about it.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct CastlingWay {
    /// Where the rook starts.
    pub(in crate::chess) rook: Square,
    /// Squares that must be empty, king and rook aside.
    pub(in crate::chess) clear: Bitboard,
    /// Squares that the enemy must not attack: the king's way, both ends included.
    pub(in crate::chess) safe: Bitboard,
}

/// Where kings and rooks of one game stand when they may still castle; shared by all its positions.
#[derive(Debug)]
pub(in crate::chess) struct CastlingLayout {
    rooks: [Option<Square>; 4],
    ways: [CastlingWay; 4],
    kept: [u8; 64],
    keys: [u64; 16],
}

/// Who may still castle where: BB Chess's nibble (K 1, Q 2, k 4, q 8) over a layout of rooks.
#[derive(Clone, Copy)]
pub struct CastlingRights {
    nibble: u8,
    layout: &'static CastlingLayout,
}

const fn slot(color: Color, side: CastlingSide) -> usize {
    color.index() * 2 + side.index()
}

impl CastlingLayout {
    /// The layout with these kings and castling rooks; each is made once and lives as long as the program. There are
    /// only so many: three men on one rank, twice.
    fn interned(kings: ByColor<Square>, rooks: [Option<Square>; 4]) -> &'static Self {
        type Key = ([Square; 2], [Option<Square>; 4]);
        static LAYOUTS: OnceLock<Mutex<HashMap<Key, &'static CastlingLayout>>> = OnceLock::new();
        // A king that cannot castle does not shape the layout; without this, any king square would make a new one.
        let shaped = |color: Color| {
            let castles = rooks[color.index() * 2].or(rooks[color.index() * 2 + 1]).is_some();
            if castles { kings[color] } else { Square::E1.relative(color) }
        };
        let key = ([shaped(Color::White), shaped(Color::Black)], rooks);
        let mut layouts = LAYOUTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        layouts.entry(key).or_insert_with(|| Box::leak(Box::new(Self::new(key.0, rooks))))
    }

    fn new(kings: [Square; 2], rooks: [Option<Square>; 4]) -> Self {
        let idle = CastlingWay { rook: Square::A1, clear: Bitboard::ALL, safe: Bitboard::ALL };
        let mut layout = Self { rooks, ways: [idle; 4], kept: [15; 64], keys: [0; 16] };
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let (slot, king) = (slot(color, side), kings[color.index()]);
                let Some(rook) = rooks[slot] else { continue };
                layout.ways[slot] = Self::way(color, side, king, rook);
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

    fn way(color: Color, side: CastlingSide, king: Square, rook: Square) -> CastlingWay {
        let (king_to, rook_to) = (side.king_target(color), side.rook_target(color));
        let safe = between(king, king_to) | Bitboard::of(king) | Bitboard::of(king_to);
        let crossed = safe | between(rook, rook_to) | Bitboard::of(rook_to);
        CastlingWay { rook, clear: crossed.without(Bitboard::of(king) | Bitboard::of(rook)), safe }
    }
}

impl CastlingRights {
    /// The rights that go with these kings and castling rooks.
    pub(in crate::chess) fn new(kings: ByColor<Square>, rooks: ByColor<CastlingRooks>) -> Self {
        let ByColor { white, black } = rooks;
        let rooks = [white.kingside, white.queenside, black.kingside, black.queenside];
        let nibble = (0..4).filter(|&slot| rooks[slot].is_some()).map(|slot| 1 << slot).sum();
        Self { nibble, layout: CastlingLayout::interned(kings, rooks) }
    }

    /// The nibble: K 1, Q 2, k 4, q 8.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.nibble
    }

    /// Whether nobody may castle any more.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.nibble == 0
    }

    /// Whether `color` may still castle towards `side`.
    #[inline(always)]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.nibble >> slot(color, side) & 1 != 0
    }

    /// Whether `color` may still castle at all.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.nibble >> (color.index() * 2) & 3 != 0
    }

    /// The rook that `color` may still castle with on `side`.
    #[inline(always)]
    pub const fn rook(self, color: Color, side: CastlingSide) -> Option<Square> {
        if self.has(color, side) { self.layout.rooks[slot(color, side)] } else { None }
    }

    /// The way to castle, if the right is still held.
    #[inline(always)]
    pub(in crate::chess) const fn way(
        self,
        color: Color,
        side: CastlingSide,
    ) -> Option<&'static CastlingWay> {
        if self.has(color, side) { Some(&self.layout.ways[slot(color, side)]) } else { None }
    }

    /// The rights left after a move between these squares.
    #[inline(always)]
    pub(in crate::chess) const fn after(self, from: Square, to: Square) -> Self {
        let kept = self.layout.kept[from.index()] & self.layout.kept[to.index()];
        Self { nibble: self.nibble & kept, layout: self.layout }
    }

    /// Its part of a position's key.
    #[inline(always)]
    pub(in crate::chess) const fn key(self) -> u64 {
        self.layout.keys[(self.nibble & 15) as usize]
    }
}

/// Rights are equal if the same rooks may castle; rooks that no longer may do not count.
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
