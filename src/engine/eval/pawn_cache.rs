//! The cache of pawn structures, and of the pawns around the kings.

use crate::chess::{Color, Position};
use crate::engine::eval::Weights;
use crate::engine::eval::pawns::PawnStructure;
use crate::engine::eval::shelter::king_pawns;
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::NoTrace;

/// Number of pawn structures; a power of two.
const STRUCTURES: usize = 1 << 12;
/// Number of kings; a power of two.
const KINGS: usize = 1 << 13;

/// Pawn structures by pawn key, and the pawns around a king by pawn key and king.
#[derive(Clone)]
pub(super) struct PawnCache {
    structures: Vec<(u64, PawnStructure)>,
    kings: Vec<(u64, Tapered)>,
}

impl PawnCache {
    /// Creates an empty cache.
    pub(super) fn new() -> Self {
        // The initial key of a slot differs from every key that maps to it, so an empty slot never matches.
        let structures = (0..STRUCTURES).map(|slot| (!(slot as u64), PawnStructure::EMPTY));
        let kings = (0..KINGS).map(|slot| (!(slot as u64), Tapered::ZERO));
        Self { structures: structures.collect(), kings: kings.collect() }
    }

    /// Returns the pawn structure of `position`, with the pawns around its kings.
    #[inline(always)]
    pub(super) fn structure(&mut self, position: &Position, weights: &Weights) -> PawnStructure {
        let key = position.pawn_key();
        let slot = &mut self.structures[key as usize % STRUCTURES];
        if slot.0 != key {
            *slot = (key, PawnStructure::of(position, weights, &mut NoTrace));
        }
        let mut structure = slot.1;
        for us in Color::ALL {
            structure.balance += self.king_pawns(position, weights, us);
        }
        structure
    }

    #[inline(always)]
    fn king_pawns(&mut self, position: &Position, weights: &Weights, us: Color) -> Tapered {
        let key = position.pawn_key() ^ king_key(position, us);
        let slot = &mut self.kings[key as usize % KINGS];
        if slot.0 != key {
            *slot = (key, king_pawns(position, weights, us, &mut NoTrace));
        }
        slot.1
    }
}

/// Hashes the square of a king and its castling rights.
#[inline(always)]
fn king_key(position: &Position, us: Color) -> u64 {
    let rights = position.castling().bits() >> (2 * us.index()) & 3;
    let state = position.king(us).index() as u64 | u64::from(rights) << 6 | (us.index() as u64 + 1) << 8;
    let hash = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}
