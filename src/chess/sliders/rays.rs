//! Rays of sliders in each direction, and how blockers cut them; the basis of all tables.

use crate::chess::Square;

/// The directions of the rays, those towards higher square indices first.
pub(super) const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1)];

/// For each square, the rays N, E, NE, NW (towards higher indices), then S, W, SW, SE, each up to the edge.
pub(super) static RAYS: [[u64; 8]; 64] = ALL_RAYS;

/// [`RAYS`] for use at compile time.
pub(super) const ALL_RAYS: [[u64; 8]; 64] = {
    let mut rays = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            rays[square][direction] = ray(Square::wrap(square as u8), DIRECTIONS[direction]);
            direction += 1;
        }
        square += 1;
    }
    rays
};

/// Returns the squares in one direction from `from` to the edge.
const fn ray(from: Square, (files, ranks): (i8, i8)) -> u64 {
    let mut set = 0;
    let (mut file, mut rank) = (from.file() as i8 + files, from.rank() as i8 + ranks);
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        set |= 1 << (rank * 8 + file);
        file += files;
        rank += ranks;
    }
    set
}

/// Returns the part of an upward ray up to its first blocker, which is the lowest.
///
/// Without a blocker the ray is unchanged, because `x ^ (x - 1)` of 0 has all bits set.
#[inline(always)]
pub(super) const fn upward(ray: u64, occupied: u64) -> u64 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// Returns the part of a downward ray up to its first blocker, which is the highest.
///
/// A1 counts as a blocker, which leaves a ray without blockers unchanged, because no ray goes below a1.
#[inline(always)]
pub(super) const fn downward(ray: u64, occupied: u64) -> u64 {
    let highest = 63 - (ray & occupied | 1).leading_zeros();
    ray & (!0 << highest)
}

/// The two kinds of sliding moves; a queen has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slide {
    Rook,
    Bishop,
}

impl Slide {
    /// Returns the attacks of this kind, given the rays of the square.
    #[inline(always)]
    pub(super) const fn attacks(self, rays: &[u64; 8], occupied: u64) -> u64 {
        match self {
            Self::Rook => {
                upward(rays[0], occupied)
                    | upward(rays[1], occupied)
                    | downward(rays[4], occupied)
                    | downward(rays[5], occupied)
            }
            Self::Bishop => {
                upward(rays[2], occupied)
                    | upward(rays[3], occupied)
                    | downward(rays[6], occupied)
                    | downward(rays[7], occupied)
            }
        }
    }

    /// Returns the squares whose occupation affects the attacks: every ray without its last square, which hides
    /// nothing.
    pub(super) const fn mask(self, square: usize) -> u64 {
        let rays = &ALL_RAYS[square];
        let edges = {
            const FILES: u64 = 0x8181_8181_8181_8181;
            const RANKS: u64 = 0xff00_0000_0000_00ff;
            let file = 0x0101_0101_0101_0101 << (square % 8);
            let rank = 0xff << (square / 8 * 8);
            FILES & !file | RANKS & !rank
        };
        self.attacks(rays, 0) & !edges
    }

    /// Writes the attacks of all sets of blockers to `table` from `start` on, ordered by their extracted bits. Returns
    /// the end of the written range.
    pub(super) const fn tabulate(self, square: usize, table: &mut [u64], start: usize) -> usize {
        let mut mask = self.mask(square);
        let mut end = start + 1;
        table[start] = self.attacks(&ALL_RAYS[square], 0);
        while mask != 0 {
            // A further blocker hides the squares beyond it, whether occupied or not.
            let visible = !self.beyond(square, mask.trailing_zeros() as usize);
            let (mut from, half) = (start, end);
            while from < half {
                table[end] = table[from] & visible;
                from += 1;
                end += 1;
            }
            mask &= mask - 1;
        }
        end
    }

    /// Returns the squares that a blocker hides from a slider.
    const fn beyond(self, square: usize, blocker: usize) -> u64 {
        let mut direction = 0;
        while ALL_RAYS[square][direction] >> blocker & 1 == 0 {
            direction += 1;
        }
        ALL_RAYS[blocker][direction]
    }
}

/// Capacity for the attacks of all blocker sets of rooks (102 400) and bishops (5 248). It is a power of two, so that
/// masking an index, which does not change it, removes the bounds check.
pub(super) const TABLE_SIZE: usize = 1 << 17;

/// The attacks for every blocker set of every square, rooks first.
pub(super) type AttackTable = [u64; TABLE_SIZE];
