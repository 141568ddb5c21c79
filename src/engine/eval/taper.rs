//! How the middlegame and the endgame value become one score.

use crate::chess::{PieceKind, Position};
use crate::engine::eval::tapered::Tapered;

/// The phase of a full board.
pub const FULL_PHASE: i32 = 24;
/// The scale that leaves an endgame value as it is.
pub const FULL_SCALE: i32 = 64;

/// The shares of middlegame and endgame in a position's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// [`FULL_PHASE`] with all pieces on the board, 0 with none but kings and pawns.
    pub phase: i32,
    /// How much of each half, middlegame and endgame, can be won: [`FULL_SCALE`] for all.
    pub scale: [i32; 2],
}

impl Shares {
    /// One score of both halves.
    #[inline(always)]
    pub fn join(self, value: Tapered) -> i32 {
        let middlegame = value.middlegame() * self.phase * self.scale[0];
        let endgame = value.endgame() * (FULL_PHASE - self.phase) * self.scale[1];
        (middlegame + endgame) / (FULL_PHASE * FULL_SCALE)
    }
}

/// The phase of a position, by the pieces that are left: a minor 1, a rook 2, a queen 4.
#[inline(always)]
pub(super) fn phase(position: &Position) -> i32 {
    let count = |kind| position.by_kind(kind).len() as i32;
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    (minors + 2 * count(PieceKind::Rook) + 4 * count(PieceKind::Queen)).min(FULL_PHASE)
}

/// A score that falls as the hundred half-moves run out, so that a lead is used in time.
#[inline(always)]
pub fn fade(score: i32, halfmove_clock: u16, stretch: i32) -> i32 {
    score * (stretch - i32::from(halfmove_clock).min(100)) / stretch
}
