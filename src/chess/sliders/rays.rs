//! Plain rays: square by square to the edge. The reference for every technique, and the stuff of their tables.

use crate::chess::Square;

/// Steps (files, ranks) of the directions, those towards higher squares first: N, E, NE, NW, S, W, SW, SE.
pub(super) const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1)];

/// The squares of one direction from `from` to the edge, on an empty board.
pub(super) const fn ray(from: Square, (files, ranks): (i8, i8)) -> u64 {
    let mut set = 0;
    let (mut file, mut rank) = (from.file() as i8 + files, from.rank() as i8 + ranks);
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        set |= 1 << (rank * 8 + file);
        file += files;
        rank += ranks;
    }
    set
}
