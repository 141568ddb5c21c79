//! Interpolation between the middlegame and the endgame value.

use crate::chess::{Color, PieceCounts, PieceKind};
use crate::engine::eval::tapered::Tapered;

/// The phase with all pieces on the board.
pub const FULL_PHASE: i32 = 24;
/// The scale that leaves a value unchanged.
pub const FULL_SCALE: i32 = 64;

/// The factors by which middlegame and endgame value are combined to one score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taper {
    /// [`FULL_PHASE`] with all pieces on the board, 0 with only kings and pawns.
    pub phase: i32,
    /// Scale of the middlegame and of the endgame value for drawish positions; [`FULL_SCALE`] if not drawish.
    pub scale: [i32; 2],
}

impl Taper {
    /// Combines middlegame and endgame value to one score.
    #[inline(always)]
    pub fn interpolate(self, value: Tapered) -> i32 {
        let middlegame = value.middlegame() * self.phase * self.scale[0];
        let endgame = value.endgame() * (FULL_PHASE - self.phase) * self.scale[1];
        (middlegame + endgame) / (FULL_PHASE * FULL_SCALE)
    }
}

/// Returns the phase of a position with these pieces: each minor piece counts 1, each rook 2, each queen 4.
pub(super) fn phase(counts: PieceCounts) -> i32 {
    let count = |kind| (counts.of(Color::White, kind) + counts.of(Color::Black, kind)) as i32;
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    (minors + 2 * count(PieceKind::Rook) + 4 * count(PieceKind::Queen)).min(FULL_PHASE)
}

/// Scales a score down as the halfmove clock approaches the fifty-move rule, so that a lead is converted in time.
#[inline(always)]
pub fn scale_by_halfmove_clock(score: i32, halfmove_clock: u16, stretch: i32) -> i32 {
    score * (stretch - i32::from(halfmove_clock).min(100)) / stretch
}
