//! Sinks for generated moves: visit each move, count the moves, or select one by index.

use std::marker::PhantomData;

use crate::chess::movegen::{AllMoves, MoveSink, PawnStep, Stage, promotion_rank};
use crate::chess::side::Side;
use crate::chess::{Bitboard, CastlingSide, Move, Piece, PieceKind, Square};

/// Calls a function with every move of a stage.
pub(in crate::chess) struct MoveVisitor<U, G, F> {
    enemies: Bitboard,
    visit: F,
    moves: PhantomData<(U, G)>,
}

impl<U: Side, G: Stage, F: FnMut(Move)> MoveVisitor<U, G, F> {
    /// Creates a visitor for a board with enemy pieces on `enemies`.
    #[inline(always)]
    pub(in crate::chess) const fn new(enemies: Bitboard, visit: F) -> Self {
        Self { enemies, visit, moves: PhantomData }
    }
}

impl<U: Side, G: Stage, F: FnMut(Move)> MoveSink for MoveVisitor<U, G, F> {
    #[inline(always)]
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard) {
        let piece = Piece::new(U::COLOR, kind);
        // The generator passes no other targets; without the branches on the stage, there would be code for them.
        if G::TACTICAL {
            for to in if G::QUIET { targets & self.enemies } else { targets } {
                (self.visit)(Move::capture(piece, from, to));
            }
        }
        if G::QUIET {
            for to in if G::TACTICAL { targets.without(self.enemies) } else { targets } {
                (self.visit)(Move::quiet(piece, from, to));
            }
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
            if G::TACTICAL && last.has(to) {
                for kind in PieceKind::PROMOTIONS {
                    (self.visit)(mv.promoting(kind));
                }
            } else {
                (self.visit)(mv);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, target: Square) {
        (self.visit)(Move::en_passant(U::COLOR, from, target));
    }

    #[inline(always)]
    fn castling(&mut self, _: CastlingSide, king: Square, rook: Square) {
        (self.visit)(Move::castling(U::COLOR, king, rook));
    }
}

/// Counts moves without constructing them.
pub(in crate::chess) struct MoveCounter<U> {
    pub(in crate::chess) count: u64,
    side: PhantomData<U>,
}

impl<U: Side> MoveCounter<U> {
    /// Creates a counter at 0.
    #[inline(always)]
    pub(in crate::chess) const fn new() -> Self {
        Self { count: 0, side: PhantomData }
    }
}

impl<U: Side> MoveSink for MoveCounter<U> {
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

/// Stores the target sets, so that a move can be selected by its index without constructing the others.
pub(in crate::chess) struct NthMove<U> {
    sets: [MoveSet; MAX_SETS],
    used: usize,
    count: u64,
    side: PhantomData<U>,
}

/// One set for each of fifteen pieces, four pawn steps, two en-passant captures and two castling moves.
const MAX_SETS: usize = 23;

/// The arguments of one call to a [`MoveSink`].
#[derive(Clone, Copy)]
enum MoveSet {
    Piece(PieceKind, Square, Bitboard),
    Pawns(PawnStep, Bitboard),
    EnPassant(Square, Square),
    Castling(CastlingSide, Square, Square),
}

impl<U: Side> NthMove<U> {
    /// Creates a sink without moves.
    #[inline(always)]
    pub(in crate::chess) const fn new() -> Self {
        let empty = MoveSet::Pawns(PawnStep::Push, Bitboard::EMPTY);
        Self { sets: [empty; MAX_SETS], used: 0, count: 0, side: PhantomData }
    }

    /// Returns the number of moves.
    #[inline(always)]
    pub(in crate::chess) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the move at `index`.
    pub(in crate::chess) fn get(&self, mut index: u64, enemies: Bitboard) -> Option<Move> {
        for set in &self.sets[..self.used] {
            let size = set.size::<U>();
            if index < size {
                let mut found = None;
                let mut visitor = MoveVisitor::<U, AllMoves, _>::new(enemies, |mv| {
                    if index == 0 {
                        found = found.or(Some(mv));
                    }
                    index = index.saturating_sub(1);
                });
                set.send_to(&mut visitor);
                return found;
            }
            index -= size;
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, set: MoveSet) {
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
        let mut counter = MoveCounter::<U>::new();
        self.send_to(&mut counter);
        counter.count
    }

    #[inline(always)]
    fn send_to(self, sink: &mut impl MoveSink) {
        match self {
            Self::Piece(kind, from, targets) => sink.piece(kind, from, targets),
            Self::Pawns(step, targets) => sink.pawns(step, targets),
            Self::EnPassant(from, target) => sink.en_passant(from, target),
            Self::Castling(side, king, rook) => sink.castling(side, king, rook),
        }
    }
}

impl<U: Side> MoveSink for NthMove<U> {
    #[inline(always)]
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard) {
        self.push(MoveSet::Piece(kind, from, targets));
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, targets: Bitboard) {
        self.push(MoveSet::Pawns(step, targets));
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, target: Square) {
        self.push(MoveSet::EnPassant(from, target));
    }

    #[inline(always)]
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square) {
        self.push(MoveSet::Castling(side, king, rook));
    }
}
