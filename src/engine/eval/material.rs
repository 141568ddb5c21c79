//! Material: piece values, and terms for combinations of pieces.

use crate::chess::{Color, PieceKind};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::trace::Trace;

/// Conventional piece values, which decide who is ahead in material; constant, so that this does not depend on the tuned
/// weights.
const POINTS: [i32; 6] = [1, 3, 3, 5, 9, 0];
/// Pieces of one side in the starting position, without the king.
const PIECES_AT_START: i32 = 7;
/// Minimum lead in points at which trading down is encouraged.
const LEAD: i32 = 2;

impl<T: Trace> Evaluation<'_, T> {
    /// Evaluates the material of `us`.
    #[inline(always)]
    pub(super) fn material(&mut self, us: Color) {
        let weights = self.tally.weights;
        let [pawns, knights, bishops, rooks, queens, _] = self.counts[us.index()];
        self.tally.add(us, &weights.pawn_value, pawns);
        self.tally.add(us, &weights.pawn_value_extra, pawns);
        self.tally.add(us, &weights.knight_value, knights);
        self.tally.add(us, &weights.knight_value_extra, knights);
        self.tally.add(us, &weights.bishop_value, bishops);
        self.tally.add(us, &weights.bishop_value_extra, bishops);
        self.tally.add(us, &weights.rook_value, rooks);
        self.tally.add(us, &weights.rook_value_extra, rooks);
        self.tally.add(us, &weights.queen_value, queens);
        self.tally.add(us, &weights.queen_value_extra, queens);

        if bishops >= 2 {
            self.tally.add(us, &weights.bishop_pair, 1);
        }
        self.tally.add(us, &weights.knight_pair, (knights - 1).max(0));
        self.tally.add(us, &weights.rook_pair, (rooks - 1).max(0));
        self.tally.add(us, &weights.knight_per_pawn, knights * (pawns - 5));
        self.tally.add(us, &weights.rook_per_pawn, rooks * (pawns - 5));
        if pawns == 0 {
            self.tally.add(us, &weights.no_pawns, 1);
        }
        if self.points(us) - self.points(!us) >= LEAD {
            let enemy_pieces: i32 = self.counts[(!us).index()][1..5].iter().sum();
            self.tally.add(us, &weights.trade_down_piece, (PIECES_AT_START - enemy_pieces).max(0));
            self.tally.add(us, &weights.trade_down_pawn, pawns);
        }
    }

    #[inline(always)]
    fn points(&self, side: Color) -> i32 {
        self.counts[side.index()].iter().zip(POINTS).map(|(count, points)| count * points).sum()
    }

    /// Returns the number of pieces of a kind that `side` has.
    #[inline(always)]
    pub(super) fn count(&self, side: Color, kind: PieceKind) -> i32 {
        self.counts[side.index()][kind.index()]
    }
}
