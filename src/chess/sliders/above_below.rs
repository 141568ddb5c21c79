//! Above/below rays: the first blocker of a ray is its lowest or highest bit, and arithmetic on that bit cuts the ray.

use super::rays::{RAYS, Slide};
use super::technique::Sliders;
use crate::chess::{Bitboard, Square};

/// The technique of Bitfoot: four rays per lookup, 4 KiB of tables, no multiplication and no special instruction.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct AboveBelow;

impl Sliders for AboveBelow {
    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(Slide::Bishop.attacks(&RAYS[from.index()], occupied.0))
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(Slide::Rook.attacks(&RAYS[from.index()], occupied.0))
    }
}
