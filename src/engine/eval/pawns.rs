//! Pawn structure: terms that depend on the pawns alone and are cached by the pawn key.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square, pawn_attacks};
use crate::engine::eval::Weights;
use crate::engine::eval::accumulator::Accumulator;
use crate::engine::eval::pawn_spans::{ahead, beside, files_beside, path, pawn_attacks_of, step};
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::Trace;

/// The evaluated pawn structure of a position.
#[derive(Clone, Copy)]
pub(super) struct PawnStructure {
    /// White's value minus Black's. For an evaluation, that of the pawns around the kings is added.
    pub(super) balance: Tapered,
    /// Passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// For each side, the squares that its pawns attack now or could attack after advancing.
    pub(super) attack_span: [Bitboard; 2],
}

impl PawnStructure {
    /// The structure without pawns.
    pub(super) const EMPTY: Self =
        Self { balance: Tapered::ZERO, passed: Bitboard::EMPTY, attack_span: [Bitboard::EMPTY; 2] };

    /// Evaluates the pawns of `position`.
    pub(super) fn of<T: Trace>(position: &Position, weights: &Weights, trace: &mut T) -> Self {
        let mut tally = Accumulator::new(weights, trace);
        let mut structure = Self::EMPTY;
        structure.add_side(position, Color::White, &mut tally);
        structure.add_side(position, Color::Black, &mut tally);
        structure.balance = tally.balance();
        structure
    }

    #[inline(always)]
    fn add_side<T: Trace>(&mut self, position: &Position, us: Color, tally: &mut Accumulator<'_, T>) {
        let side = PawnSide {
            us,
            ours: position.pieces(us, PieceKind::Pawn),
            theirs: position.pieces(!us, PieceKind::Pawn),
        };
        let attacks = pawn_attacks_of(us, side.ours);
        self.attack_span[us.index()] = attacks | ahead(us, attacks);
        for square in side.ours {
            side.evaluate(square, tally);
            if side.is_passed(square) {
                self.passed |= Bitboard::of(square);
                tally.add(us, tally.weights.passed_pawn_rank.of(us, square), 1);
            }
        }
    }
}

/// The pawns from the point of view of one side.
struct PawnSide {
    us: Color,
    ours: Bitboard,
    theirs: Bitboard,
}

impl PawnSide {
    #[inline(always)]
    fn evaluate<T: Trace>(&self, square: Square, tally: &mut Accumulator<'_, T>) {
        let (us, weights) = (self.us, tally.weights);
        let front = path(us, square);
        let neighbours = self.ours & files_beside(square.file());
        let open = (front & self.theirs).is_empty();
        let phalanx = neighbours & Bitboard::rank(square.rank());
        let supporters = self.ours & pawn_attacks(!us, square);
        let doubled = (front & self.ours).any();

        tally.add(us, weights.pst_pawn.of(us, square), 1);
        if neighbours.is_empty() {
            tally.add(us, &weights.isolated_pawn, 1);
            if open {
                tally.add(us, &weights.isolated_open_pawn, 1);
            }
        } else if self.is_backward(square, neighbours) {
            tally.add(us, &weights.backward_pawn, 1);
            if open {
                tally.add(us, &weights.backward_open_pawn, 1);
            }
        }
        if doubled && supporters.is_empty() {
            tally.add(us, &weights.doubled_pawn, 1);
        }
        if phalanx.any() {
            tally.add(us, weights.phalanx_pawn.of(us, square), 1);
        }
        if supporters.any() {
            tally.add(us, weights.supported_pawn.of(us, square), supporters.len() as i32);
        } else if (self.theirs & pawn_attacks(us, square)).more_than_one() {
            tally.add(us, &weights.levered_pawn, 1);
        }
        if open && !doubled && self.is_candidate(square, neighbours) {
            tally.add(us, weights.candidate_pawn.of(us, square), 1);
        }
    }

    /// Whether no enemy pawn is ahead on its file or the adjacent ones, and no own pawn is ahead on its file.
    #[inline(always)]
    fn is_passed(&self, square: Square) -> bool {
        let front = path(self.us, square);
        (self.theirs & (front | beside(front))).is_empty() && (self.ours & front).is_empty()
    }

    /// Whether all neighbours are ahead of it, and an enemy pawn attacks or blocks its next square.
    #[inline(always)]
    fn is_backward(&self, square: Square, neighbours: Bitboard) -> bool {
        let next = step(self.us, square);
        let level_or_behind = path(!self.us, next);
        let stoppers = Bitboard::of(next) | pawn_attacks(self.us, next);
        (neighbours & beside(level_or_behind)).is_empty() && (self.theirs & stoppers).any()
    }

    /// Whether it is not passed, but has at least as many neighbours beside or behind as there are enemy pawns ahead on the
    /// adjacent files.
    #[inline(always)]
    fn is_candidate(&self, square: Square, neighbours: Bitboard) -> bool {
        let next = step(self.us, square);
        let stoppers = self.theirs & beside(path(self.us, square));
        let supporters = neighbours & beside(path(!self.us, next));
        stoppers.any() && supporters.len() >= stoppers.len()
    }
}
