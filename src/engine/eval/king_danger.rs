//! King danger: attackers of the king ring, safe checks, escape squares.

use crate::chess::{Bitboard, Color, PieceKind, Square, bishop_attacks, knight_attacks, rook_attacks};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::rank_of;
use crate::engine::eval::shelter::{files_at, wing};
use crate::engine::eval::trace::Trace;

impl<T: Trace> Evaluation<'_, T> {
    /// Adds up the danger of the king of `us`; needs the attacks of both sides.
    #[inline(always)]
    pub(super) fn king_danger(&mut self, us: Color) {
        let (weights, position, them) = (self.tally.weights, self.position, !us);
        let king = position.king(us);
        // Weak squares: attacked by the enemy, and defended by the king or queen at most.
        let king_or_queen = self.map.of(us, PieceKind::King) | self.map.of(us, PieceKind::Queen);
        let weak = self.map.all(them).without(self.map.twice(us)) & (!self.map.all(us) | king_or_queen);

        let attackers = self.map.ring_attackers[us.index()].min(5);
        self.tally.add_danger(us, &weights.danger_base, 1);
        self.tally.add_danger(us, &weights.danger_attackers[attackers], 1);
        let weak_ring = self.map.ring[us.index()] & weak;
        self.tally.add_danger(us, &weights.danger_weak_square, weak_ring.len() as i32);
        self.checks(us, king, weak);

        let pinned = self.map.pinned[us.index()];
        self.tally.add_danger(us, &weights.danger_pinned, pinned.len() as i32);
        let escapes = self.map.of(us, PieceKind::King).without(position.by_color(us) | self.map.all(them));
        self.tally.add_danger(us, &weights.danger_escape[(escapes.len() as usize).min(3)], 1);

        let camp = wing(king).without(rank_of(us, 5) | rank_of(us, 6) | rank_of(us, 7));
        let attacked = (camp & self.map.all(them)).len() + (camp & self.map.twice(them)).len();
        self.tally.add_danger(us, &weights.danger_wing_attack, attacked as i32);
        let defended = (camp & self.map.all(us)).len();
        self.tally.add_danger(us, &weights.danger_wing_defence, defended as i32);

        let own_pawns = position.pieces(us, PieceKind::Pawn);
        let mut open = 0;
        for file in files_at(king) {
            open += i32::from((Bitboard::file(file) & own_pawns).is_empty());
        }
        self.tally.add_danger(us, &weights.danger_open_file, open);
        if position.pieces(them, PieceKind::Queen).is_empty() {
            self.tally.add_danger(us, &weights.danger_no_queen, 1);
        }
        if (self.map.of(us, PieceKind::King) & position.pieces(us, PieceKind::Knight)).any() {
            self.tally.add_danger(us, &weights.danger_knight_defends, 1);
        }
    }

    /// Adds the checks that the enemy could give: safe ones once per kind of piece, unsafe ones per square.
    #[inline(always)]
    fn checks(&mut self, us: Color, king: Square, weak: Bitboard) {
        let (weights, position, them) = (self.tally.weights, self.position, !us);
        let safe = (!self.map.all(us) | weak & self.map.twice(them)).without(position.by_color(them));
        let occupied = position.occupied().without(position.pieces(us, PieceKind::Queen));
        let (straight, diagonal) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));

        let by_rook = straight & self.map.of(them, PieceKind::Rook);
        let by_queen = (straight | diagonal) & self.map.of(them, PieceKind::Queen);
        let by_bishop = diagonal & self.map.of(them, PieceKind::Bishop);
        let by_knight = knight_attacks(king) & self.map.of(them, PieceKind::Knight);
        // Queen checks do not count on squares of safe rook checks, nor bishop checks on squares of safe queen checks.
        let rook_safe = by_rook & safe;
        let queen_safe = (by_queen & safe).without(self.map.of(us, PieceKind::Queen) | rook_safe);
        let bishop_safe = (by_bishop & safe).without(queen_safe);
        let knight_safe = by_knight & safe;

        let mut unsafe_squares = Bitboard::EMPTY;
        for (safe_squares, squares, units) in [
            (rook_safe, by_rook, &weights.danger_rook_check),
            (bishop_safe, by_bishop, &weights.danger_bishop_check),
            (knight_safe, by_knight, &weights.danger_knight_check),
        ] {
            if safe_squares.any() {
                self.tally.add_danger(us, units, 1);
            } else {
                unsafe_squares |= squares;
            }
        }
        if queen_safe.any() {
            self.tally.add_danger(us, &weights.danger_queen_check, 1);
        }
        let unsafe_squares = unsafe_squares.without(position.by_color(them));
        self.tally.add_danger(us, &weights.danger_unsafe_check, unsafe_squares.len() as i32);
    }
}
