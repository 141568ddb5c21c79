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

/// Keeps whole target sets, so that one move can be named by its place among all without naming the others.
pub(in crate::chess) struct Picking<U> {
    sets: [MoveSet; MOST_SETS],
    used: usize,
    count: u64,
    side: PhantomData<U>,
}

/// One for each of fifteen pieces, four for the ways of a pawn, two captures en passant, two castlings.
const MOST_SETS: usize = 23;

/// Moves that a sink is told in one call.
#[derive(Clone, Copy)]
enum MoveSet {
    Piece(PieceKind, Square, Bitboard),
    Pawns(PawnStep, Bitboard),
    EnPassant(Square, Square),
    Castling(CastlingSide, Square, Square),
}

impl<U: Side> Picking<U> {
    /// No moves yet.
    #[inline(always)]
    pub(in crate::chess) const fn new() -> Self {
        let nothing = MoveSet::Pawns(PawnStep::Push, Bitboard::EMPTY);
        Self { sets: [nothing; MOST_SETS], used: 0, count: 0, side: PhantomData }
    }

    /// How many moves there are.
    #[inline(always)]
    pub(in crate::chess) const fn count(&self) -> u64 {
        self.count
    }

    /// The move that has so many before it.
    pub(in crate::chess) fn pick(&self, mut before: u64, enemies: Bitboard) -> Option<Move> {
        for set in &self.sets[..self.used] {
            let size = set.size::<U>();
            if before < size {
                let mut found = None;
                let mut naming = Naming::<U, _>::new(enemies, |mv| {
                    if before == 0 {
                        found = found.or(Some(mv));
                    }
                    before = before.saturating_sub(1);
                });
                set.tell(&mut naming);
                return found;
            }
            before -= size;
        }
        None
    }

    #[inline(always)]
    fn keep(&mut self, set: MoveSet) {
        let size = set.size::<U>();
        if size > 0 {
            self.sets[self.used] = set;
            self.used += 1;
            self.count += size;
        }
    }
}

impl MoveSet {
    #[inline(always)]
    fn size<U: Side>(self) -> u64 {
        let mut counting = Counting::<U>::new();
        self.tell(&mut counting);
        counting.count
    }

    #[inline(always)]
    fn tell(self, sink: &mut impl MoveSink) {
        match self {
            Self::Piece(kind, from, targets) => sink.piece(kind, from, targets),
            Self::Pawns(step, targets) => sink.pawns(step, targets),
            Self::EnPassant(from, target) => sink.en_passant(from, target),
            Self::Castling(side, king, rook) => sink.castling(side, king, rook),
        }
    }
}

impl<U: Side> MoveSink for Picking<U> {
    #[inline(always)]
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard) {
        self.keep(MoveSet::Piece(kind, from, targets));
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, targets: Bitboard) {
        self.keep(MoveSet::Pawns(step, targets));
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, target: Square) {
        self.keep(MoveSet::EnPassant(from, target));
    }

    #[inline(always)]
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square) {
        self.keep(MoveSet::Castling(side, king, rook));
    }
}
