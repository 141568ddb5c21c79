//! Rays: what a slider reaches in each direction, and how a blocker cuts it; the stuff all tables are made of.

use crate::chess::Square;

/// The directions of the rays, those towards higher squares first.
pub(super) const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1)];

/// For each square the rays N, E, NE, NW (towards higher squares), then S, W, SW, SE, each to the edge.
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

/// The squares of one direction from `from` to the edge, on an empty board.
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

/// The part of an upward ray up to its first blocker, which is its lowest.
///
/// No blocker leaves the ray whole: `x ^ (x - 1)` of nothing is everything.
#[inline(always)]
pub(super) const fn upward(ray: u64, occupied: u64) -> u64 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// The part of a downward ray up to its first blocker, which is its highest.
///
/// A pretended blocker on a1, where every downward ray has ended anyway, leaves a free ray whole.
#[inline(always)]
pub(super) const fn downward(ray: u64, occupied: u64) -> u64 {
    let highest = 63 - (ray & occupied | 1).leading_zeros();
    ray & (!0 << highest)
}

/// The two ways to slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slide {
    Rook,
    Bishop,
}

impl Slide {
    /// Attacks of this slide, given the rays of the square.
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

    /// The squares whose occupation matters: every ray without its last square, beyond which there is nothing to hide.
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

    /// Writes the attacks of every set of blockers from `start` on, in the order of their extracted bits; gives the
    /// end of what it wrote.
    pub(super) const fn tabulate(self, square: usize, table: &mut [u64], start: usize) -> usize {
        let mut mask = self.mask(square);
        let mut end = start + 1;
        table[start] = self.attacks(&ALL_RAYS[square], 0);
        while mask != 0 {
            // A new blocker hides what is beyond it, whatever else stands there.
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

    /// The squares that a blocker hides from a slider.
    const fn beyond(self, square: usize, blocker: usize) -> u64 {
        let mut direction = 0;
        while ALL_RAYS[square][direction] >> blocker & 1 == 0 {
            direction += 1;
        }
        ALL_RAYS[blocker][direction]
    }
}

/// Room for the attacks of all blocker sets of rooks (102 400) and bishops (5 248) together. A power of two, so that
/// masking an index, which never changes it, spares the check of its bounds.
pub(super) const TABLE_SIZE: usize = 1 << 17;

/// The attacks of every blocker set of every square, rooks first.
pub(super) type AttackTable = [u64; TABLE_SIZE];
