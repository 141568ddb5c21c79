//! What becomes of generated moves: they are named one by one, or only counted.

use std::marker::PhantomData;

use crate::chess::movegen::{MoveSink, PawnStep, promotion_rank};
use crate::chess::side::Side;
use crate::chess::{Bitboard, CastlingSide, Move, Piece, PieceKind, Square};

/// Tells every move to a listener.
pub(in crate::chess) struct Naming<U, F> {
    enemies: Bitboard,
    tell: F,
    side: PhantomData<U>,
}

impl<U: Side, F: FnMut(Move)> Naming<U, F> {
    /// For a board where the enemy stands on these squares.
    #[inline(always)]
    pub(in crate::chess) const fn new(enemies: Bitboard, tell: F) -> Self {
        Self { enemies, tell, side: PhantomData }
    }
}

impl<U: Side, F: FnMut(Move)> MoveSink for Naming<U, F> {
    #[inline(always)]
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard) {
        let piece = Piece::new(U::COLOR, kind);
        for to in targets & self.enemies {
            (self.tell)(Move::capture(piece, from, to));
        }
        for to in targets.without(self.enemies) {
            (self.tell)(Move::quiet(piece, from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, targets: Bitboard) {
        let pawn = Piece::new(U::COLOR, PieceKind::Pawn);
        let last = promotion_rank(U::COLOR);
        for to in targets {
            let from = step.origin(U::COLOR, to);
            let mv = match step {
                PawnStep::Push => Move::quiet(pawn, from, to),
                PawnStep::DoublePush => Move::double_push(U::COLOR, from, to),
                PawnStep::TakeWest | PawnStep::TakeEast => Move::capture(pawn, from, to),
            };
            if last.has(to) {
                for kind in PieceKind::PROMOTIONS {
                    (self.tell)(mv.promoting(kind));
                }
            } else {
                (self.tell)(mv);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, target: Square) {
        (self.tell)(Move::en_passant(U::COLOR, from, target));
    }

    #[inline(always)]
    fn castling(&mut self, _: CastlingSide, king: Square, rook: Square) {
        (self.tell)(Move::castling(U::COLOR, king, rook));
    }
}

/// Counts moves without naming them.
pub(in crate::chess) struct Counting<U> {
    pub(in crate::chess) count: u64,
    side: PhantomData<U>,
}

impl<U: Side> Counting<U> {
    /// Nothing counted yet.
    #[inline(always)]
    pub(in crate::chess) const fn new() -> Self {
        Self { count: 0, side: PhantomData }
    }
}

impl<U: Side> MoveSink for Counting<U> {
    #[inline(always)]
    fn piece(&mut self, _: PieceKind, _: Square, targets: Bitboard) {
        self.count += u64::from(targets.len());
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, targets: Bitboard) {
        self.count += u64::from(targets.len());
        if step != PawnStep::DoublePush {
            self.count += 3 * u64::from((targets & promotion_rank(U::COLOR)).len());
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.count += 1;
    }

    #[inline(always)]
    fn castling(&mut self, _: CastlingSide, _: Square, _: Square) {
        self.count += 1;
    }
}
