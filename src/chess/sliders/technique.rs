//! The contract every slider technique keeps, and the technique this build uses unless told otherwise.

use super::AboveBelow;
use crate::chess::{Bitboard, Square};

/// A way to look up sliding attacks.
///
/// Attacks run from the square over empty squares up to and including the first occupied one of each direction,
/// whoever stands there; the square itself is never attacked, and whether it is occupied does not matter.
pub(in crate::chess) trait Sliders: Copy {
    /// Diagonal attacks.
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard;

    /// Attacks along rank and file.
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard;
}

/// The technique that position queries use in this build.
pub(in crate::chess) type DefaultSliders = AboveBelow;

/// The value of [`DefaultSliders`].
pub(in crate::chess) const DEFAULT: DefaultSliders = AboveBelow;
