//! Material: piece values, and terms for combinations of pieces.
//!
//! They depend on the numbers of pieces alone, and are cached by them.

use crate::chess::{Color, PieceCounts, PieceKind};
use crate::engine::eval::Weights;
use crate::engine::eval::accumulator::Accumulator;
use crate::engine::eval::taper::phase;
use crate::engine::eval::tapered::Tapered;
use crate::engine::eval::trace::{NoTrace, Trace};

/// Conventional piece values, which decide who is ahead in material; constant, so that this does not depend on the tuned
/// weights.
const POINTS: [i32; 6] = [1, 3, 3, 5, 9, 0];
/// Pieces of one side in the starting position, without the king.
const PIECES_AT_START: i32 = 7;
/// Minimum lead in points at which trading down is encouraged.
const LEAD: i32 = 2;
/// Number of slots of the cache; a power of two.
const SLOTS: usize = 1 << 10;

/// The evaluated material of a position.
#[derive(Clone, Copy)]
pub(super) struct Material {
    /// White's value minus Black's.
    pub(super) balance: Tapered,
    /// [`FULL_PHASE`](crate::engine::eval::FULL_PHASE) with all pieces on the board, 0 with only kings and pawns.
    pub(super) phase: i32,
}

impl Material {
    /// Evaluates the material of a position with these pieces.
    pub(super) fn of<T: Trace>(counts: PieceCounts, weights: &Weights, trace: &mut T) -> Self {
        let mut tally = Accumulator::new(weights, trace);
        for us in Color::ALL {
            add_side(counts, us, &mut tally);
        }
        Self { balance: tally.balance(), phase: phase(counts) }
    }
}

fn add_side<T: Trace>(counts: PieceCounts, us: Color, tally: &mut Accumulator<'_, T>) {
    let weights = tally.weights;
    let [pawns, knights, bishops, rooks, queens, _] = PieceKind::ALL.map(|kind| counts.of(us, kind) as i32);
    tally.add(us, &weights.pawn_value, pawns);
    tally.add(us, &weights.pawn_value_extra, pawns);
    tally.add(us, &weights.knight_value, knights);
    tally.add(us, &weights.knight_value_extra, knights);
    tally.add(us, &weights.bishop_value, bishops);
    tally.add(us, &weights.bishop_value_extra, bishops);
    tally.add(us, &weights.rook_value, rooks);
    tally.add(us, &weights.rook_value_extra, rooks);
    tally.add(us, &weights.queen_value, queens);
    tally.add(us, &weights.queen_value_extra, queens);

    if bishops >= 2 {
        tally.add(us, &weights.bishop_pair, 1);
    }
    tally.add(us, &weights.knight_pair, (knights - 1).max(0));
    tally.add(us, &weights.rook_pair, (rooks - 1).max(0));
    tally.add(us, &weights.knight_per_pawn, knights * (pawns - 5));
    tally.add(us, &weights.rook_per_pawn, rooks * (pawns - 5));
    if pawns == 0 {
        tally.add(us, &weights.no_pawns, 1);
    }
    if points(counts, us) - points(counts, !us) >= LEAD {
        let pieces = &PieceKind::ALL[1..5];
        let enemy_pieces: i32 = pieces.iter().map(|&kind| counts.of(!us, kind) as i32).sum();
        tally.add(us, &weights.trade_down_piece, (PIECES_AT_START - enemy_pieces).max(0));
        tally.add(us, &weights.trade_down_pawn, pawns);
    }
}

fn points(counts: PieceCounts, side: Color) -> i32 {
    PieceKind::ALL.iter().zip(POINTS).map(|(&kind, points)| counts.of(side, kind) as i32 * points).sum()
}

/// Evaluated material by the numbers of pieces.
#[derive(Clone)]
pub(super) struct MaterialCache(Vec<(PieceCounts, Material)>);

impl MaterialCache {
    /// Creates an empty cache.
    pub(super) fn new() -> Self {
        // No position is without kings, so an empty slot never matches.
        let empty = (PieceCounts::default(), Material { balance: Tapered::ZERO, phase: 0 });
        Self(vec![empty; SLOTS])
    }

    /// Returns the material of a position with these pieces.
    #[inline(always)]
    pub(super) fn material(&mut self, counts: PieceCounts, weights: &Weights) -> Material {
        let hash = counts.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let slot = &mut self.0[hash as usize % SLOTS];
        if slot.0 != counts {
            *slot = (counts, Material::of(counts, weights, &mut NoTrace));
        }
        slot.1
    }
}
