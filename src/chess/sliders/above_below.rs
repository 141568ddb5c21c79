//! Above/below rays: the first blocker of a ray is the lowest or the highest bit, and one subtraction cuts the ray.
//!
//! A ray towards higher squares meets its lowest blocker first, a ray towards lower squares its highest. A ray
//! without blocker must come back whole: `x ^ (x - 1)` of nothing is everything, and the downward form gets the same
//! by pretending a blocker on a1, where every downward ray has ended anyway.

use super::rays::{DIRECTIONS, ray};
use super::technique::Sliders;
use crate::chess::{Bitboard, Square};

static RAYS: [[u64; 8]; 64] = {
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

/// Bitfoot's technique: four cut rays per lookup, 4 KiB of tables, no multiplication and no special instruction.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct AboveBelow;

/// The part of an upward ray up to its first blocker.
#[inline(always)]
const fn upward(ray: u64, occupied: u64) -> u64 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// The part of a downward ray up to its first blocker.
#[inline(always)]
const fn downward(ray: u64, occupied: u64) -> u64 {
    let highest = 63 - (ray & occupied | 1).leading_zeros();
    ray & (!0 << highest)
}

impl Sliders for AboveBelow {
    #[inline(always)]
    fn bishop(self, from: Square, Bitboard(occupied): Bitboard) -> Bitboard {
        let [_, _, ne, nw, _, _, sw, se] = RAYS[from.index()];
        Bitboard(
            upward(ne, occupied) | upward(nw, occupied) | downward(sw, occupied) | downward(se, occupied),
        )
    }

    #[inline(always)]
    fn rook(self, from: Square, Bitboard(occupied): Bitboard) -> Bitboard {
        let [n, e, _, _, s, w, _, _] = RAYS[from.index()];
        Bitboard(upward(n, occupied) | upward(e, occupied) | downward(s, occupied) | downward(w, occupied))
    }
}
