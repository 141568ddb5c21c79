//! Passed pawns: terms that depend on kings and pieces.

use crate::chess::{Bitboard, Color, PieceKind, Square, king_attacks, rook_attacks};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::{path, step};
use crate::engine::eval::trace::Trace;

/// Maximum king distance that counts.
const MAX_KING_DISTANCE: u8 = 5;

impl<T: Trace> Evaluation<'_, T> {
    /// Evaluates the passed pawns of `us`.
    #[inline(always)]
    pub(super) fn passers(&mut self, us: Color) {
        let passed = self.structure.passed & self.position.by_color(us);
        for square in passed {
            self.passer(us, square);
        }
        let mut runners = if self.has_only_pawns(!us) { passed } else { Bitboard::EMPTY };
        if Iterator::any(&mut runners, |pawn| self.outruns(us, pawn)) {
            self.tally.add(us, &self.tally.weights.passed_pawn_unstoppable, 1);
        }
    }

    #[inline(always)]
    fn passer(&mut self, us: Color, square: Square) {
        let (weights, position, them) = (self.tally.weights, self.position, !us);
        let next = step(us, square);
        let steps = |side: Color| i32::from(position.king(side).distance(next).min(MAX_KING_DISTANCE));
        self.tally.add(us, weights.passed_pawn_own_king.of(us, square), steps(us));
        self.tally.add(us, weights.passed_pawn_enemy_king.of(us, square), steps(them));
        if position.occupied().has(next) {
            self.tally.add(us, weights.passed_pawn_blocked.of(us, square), 1);
            return;
        }
        let ahead = path(us, square);
        let majors = position.by_kind(PieceKind::Rook) | position.by_kind(PieceKind::Queen);
        // A rook or queen behind the pawn attacks or defends its whole path.
        let behind = path(them, square) & majors & rook_attacks(square, position.occupied());
        let attacked = match (behind & position.by_color(them)).any() {
            true => Bitboard::ALL,
            false => self.map.all(them) | position.by_color(them),
        };
        if !attacked.has(next) {
            self.tally.add(us, weights.passed_pawn_safe_step.of(us, square), 1);
        }
        if (ahead & attacked).is_empty() {
            self.tally.add(us, weights.passed_pawn_free_path.of(us, square), 1);
        }
        if self.map.all(us).has(next) || (behind & position.by_color(us)).any() {
            self.tally.add(us, weights.passed_pawn_backed_step.of(us, square), 1);
        }
    }

    fn has_only_pawns(&self, side: Color) -> bool {
        let pawns_and_kings = self.position.by_kind(PieceKind::Pawn) | self.position.by_kind(PieceKind::King);
        self.position.by_color(side).without(pawns_and_kings).is_empty()
    }

    /// Whether a passed pawn promotes: the enemy king is too far away, or the own king guards the whole path.
    fn outruns(&self, us: Color, pawn: Square) -> bool {
        let position = self.position;
        let ahead = path(us, pawn);
        if (ahead & position.occupied()).any() {
            return false;
        }
        let goal = Square::at(pawn.file(), 7).relative(us);
        // A double step saves one move.
        let steps = (7 - pawn.relative_rank(us)).min(5);
        let head_start = u8::from(position.turn() != us);
        let own = position.king(us);
        let guarded =
            ahead.without(king_attacks(own)).is_empty() && !king_attacks(position.king(!us)).has(pawn);
        guarded || position.king(!us).distance(goal) > steps + head_start
    }
}
