//! Threats against enemy pieces, and space.

use crate::chess::{Bitboard, Color, PieceKind, bishop_attacks, knight_attacks, rook_attacks};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::{pawn_attacks_of, rank_of};
use crate::engine::eval::trace::Trace;

const CENTRAL_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

impl<T: Trace> Evaluation<'_, T> {
    /// Evaluates the threats of `us`.
    #[inline(always)]
    pub(super) fn threats(&mut self, us: Color) {
        let (weights, position, them) = (self.tally.weights, self.position, !us);
        let targets = position.by_color(them).without(position.by_kind(PieceKind::King));
        let pieces = targets.without(position.by_kind(PieceKind::Pawn));
        // Firmly defended: by a pawn, or twice without being attacked twice.
        let firm = self.map.of(them, PieceKind::Pawn) | self.map.twice(them).without(self.map.twice(us));
        let weak = targets.without(firm) & self.map.all(us);

        let by_minors = self.map.of(us, PieceKind::Knight) | self.map.of(us, PieceKind::Bishop);
        for square in (weak | pieces & firm) & by_minors {
            let kind = position.piece_at(square).map_or(0, |piece| piece.kind.index().min(4));
            self.tally.add(us, &weights.threat_by_minor[kind], 1);
        }
        for square in weak & self.map.of(us, PieceKind::Rook) {
            let kind = position.piece_at(square).map_or(0, |piece| piece.kind.index().min(4));
            self.tally.add(us, &weights.threat_by_rook[kind], 1);
        }
        if (weak & self.map.of(us, PieceKind::King)).any() {
            self.tally.add(us, &weights.threat_by_king, 1);
        }
        let hanging = weak & (!self.map.all(them) | pieces & self.map.twice(us));
        self.tally.add(us, &weights.hanging, hanging.len() as i32);
        let contested = self.map.all(them).without(firm) & self.map.all(us);
        self.tally.add(us, &weights.restricted, contested.len() as i32);
        self.pawn_threats(us, pieces);
        self.queen_threats(us, firm);
    }

    #[inline(always)]
    fn pawn_threats(&mut self, us: Color, pieces: Bitboard) {
        let (weights, position, them) = (self.tally.weights, self.position, !us);
        let safe = !self.map.all(them) | self.map.all(us);
        let pawns = position.pieces(us, PieceKind::Pawn);
        let hit = pawn_attacks_of(us, pawns & safe) & pieces;
        self.tally.add(us, &weights.threat_by_pawn, hit.len() as i32);

        let single = pawns.forward(us).without(position.occupied());
        let double = (single & rank_of(us, 2)).forward(us).without(position.occupied());
        let steps = (single | double).without(self.map.of(them, PieceKind::Pawn)) & safe;
        let hit_next = (pawn_attacks_of(us, steps) & pieces).without(hit);
        self.tally.add(us, &weights.threat_by_push, hit_next.len() as i32);
    }

    /// Evaluates safe squares from which a less valuable piece would attack the enemy queen.
    #[inline(always)]
    fn queen_threats(&mut self, us: Color, firm: Bitboard) {
        let (weights, position) = (self.tally.weights, self.position);
        let safe = self.map.mobility_area[us.index()].without(firm | position.by_color(us));
        for queen in position.pieces(!us, PieceKind::Queen) {
            let jumps = self.map.of(us, PieceKind::Knight) & knight_attacks(queen) & safe;
            self.tally.add(us, &weights.knight_on_queen, jumps.len() as i32);
            let slides = self.map.of(us, PieceKind::Bishop) & bishop_attacks(queen, position.occupied())
                | self.map.of(us, PieceKind::Rook) & rook_attacks(queen, position.occupied());
            let backed = slides & safe & self.map.twice(us);
            self.tally.add(us, &weights.slider_on_queen, backed.len() as i32);
        }
    }

    /// Evaluates space: safe central squares in the own camp, those behind own pawns twice, times the number of own pieces.
    #[inline(always)]
    pub(super) fn space(&mut self, us: Color) {
        let (weights, position) = (self.tally.weights, self.position);
        let pawns = position.pieces(us, PieceKind::Pawn);
        let camp = CENTRAL_FILES & (rank_of(us, 1) | rank_of(us, 2) | rank_of(us, 3));
        let safe = camp.without(pawns | self.map.of(!us, PieceKind::Pawn));
        let mut behind = pawns | pawns.forward(!us);
        behind |= behind.forward(!us).forward(!us);
        let squares = safe.len() + (behind & safe).without(self.map.all(!us)).len();
        let pieces = position.by_color(us).without(pawns).len();
        self.tally.add(us, &weights.space, (squares * pieces / 8) as i32);
    }
}
