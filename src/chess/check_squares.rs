//! Checks of many moves of one position.

use crate::chess::attacks::{between, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks};
use crate::chess::{Bitboard, Move, PieceKind, Position, Square};

/// The squares on which each kind of piece checks the enemy king, and the pieces that uncover a check when they move.
///
/// Computing them once and asking for many moves is faster than [`Position::gives_check`] for each move.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    direct: [Bitboard; 6],
    uncovering: Bitboard,
}

impl CheckSquares {
    /// Computes the squares for the side to move of `position`.
    pub fn of(position: &Position) -> Self {
        let (us, occupied) = (position.turn(), position.occupied());
        let king = position.king(!us);
        let (diagonal, straight) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let pawn = pawn_attacks(!us, king);
        Self {
            king,
            direct: [pawn, knight_attacks(king), diagonal, straight, diagonal | straight, Bitboard::EMPTY],
            uncovering: uncovering(position, king, [diagonal, straight]),
        }
    }

    /// Whether a legal move of `position`, for which these squares were computed, gives check.
    #[inline]
    pub fn gives_check(&self, position: &Position, mv: Move) -> bool {
        if mv.is_castling() || mv.is_en_passant() || mv.promotion().is_some() {
            return position.gives_check(mv);
        }
        self.direct[mv.kind().index()].has(mv.to())
            || self.uncovering.has(mv.from()) && !line(self.king, mv.from()).has(mv.to())
    }
}

/// Returns the pieces of the side to move that alone stand between one of its sliders and the enemy king; `rays` are the
/// squares that a bishop and a rook on the square of that king attack.
fn uncovering(position: &Position, king: Square, rays: [Bitboard; 2]) -> Bitboard {
    let own = position.by_color(position.turn());
    let blockers = (rays[0] | rays[1]) & own;
    let behind = position.occupied().without(blockers);
    let queens = position.by_kind(PieceKind::Queen);
    let diagonal = bishop_attacks(king, behind) & (position.by_kind(PieceKind::Bishop) | queens);
    let straight = rook_attacks(king, behind) & (position.by_kind(PieceKind::Rook) | queens);
    let mut uncovering = Bitboard::EMPTY;
    for slider in (diagonal | straight) & own.without(blockers) {
        uncovering |= between(king, slider) & blockers;
    }
    uncovering
}
