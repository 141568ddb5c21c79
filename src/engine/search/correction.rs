//! Correction history: how far the static evaluation was off on positions like this one.

use crate::chess::{Color, PieceKind, Position};
use crate::engine::SearchParams;
use crate::engine::score::{MAX_EVAL, Value};
use crate::engine::search::history::Footprint;

const SLOTS: usize = 1 << 14;
/// Steps per centipawn in which a correction is kept.
const GRAIN: i32 = 256;
/// No table corrects by more than this many centipawns.
const MOST: i32 = 64;
/// Depth weights sum up to this; a deeper finding moves a slot faster.
const WEIGHT_SCALE: i32 = 256;

/// The learned corrections of one thread, for either side to move.
pub(super) struct Corrections {
    pawns: Box<[[i16; SLOTS]]>,
    pieces: [Box<[[i16; SLOTS]]>; 2],
    moves: Box<[[i16; Footprint::ROWS]]>,
}

/// The slots of one position.
#[derive(Clone, Copy)]
struct Slots {
    side: usize,
    pawns: usize,
    pieces: [usize; 2],
    last: usize,
}

impl Slots {
    fn of(position: &Position, last: Footprint) -> Self {
        Self {
            side: position.turn().index(),
            pawns: position.pawn_key() as usize % SLOTS,
            pieces: [piece_slot(position, Color::White), piece_slot(position, Color::Black)],
            last: last.row(),
        }
    }
}

/// A hash of one side's pieces but pawns; each board is multiplied apart so that the processor overlaps them.
fn piece_slot(position: &Position, color: Color) -> usize {
    const FACTORS: [u64; 5] = [
        0x9e37_79b9_7f4a_7c15,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
    ];
    let kinds = &PieceKind::ALL[1..];
    let hash = kinds.iter().zip(FACTORS).fold(0u64, |hash, (kind, factor)| {
        hash ^ position.pieces(color, *kind).0.wrapping_mul(factor).rotate_left(23)
    });
    (hash.wrapping_mul(FACTORS[0]) >> 50) as usize % SLOTS
}

impl Corrections {
    pub(in crate::engine) fn new() -> Self {
        let tables = || vec![[0i16; SLOTS]; 2].into_boxed_slice();
        Self {
            pawns: tables(),
            pieces: [tables(), tables()],
            moves: vec![[0i16; Footprint::ROWS]; 2].into_boxed_slice(),
        }
    }

    /// The evaluation after what was learned on positions like this, and never a mate.
    pub(super) fn apply(
        &self,
        raw: Value,
        position: &Position,
        last: Footprint,
        params: &SearchParams,
    ) -> Value {
        let slots = Slots::of(position, last);
        let pawns = i32::from(self.pawns[slots.side][slots.pawns]);
        let pieces = i32::from(self.pieces[0][slots.side][slots.pieces[0]])
            + i32::from(self.pieces[1][slots.side][slots.pieces[1]]);
        let moves = i32::from(self.moves[slots.side][slots.last]);
        let sum = pawns * params.correction_pawn
            + pieces * params.correction_pieces
            + moves * params.correction_move;
        (raw + sum / (512 * GRAIN)).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Learns that a search of `depth` plies found `error` centipawns more than the static score.
    pub(super) fn learn(&mut self, position: &Position, last: Footprint, error: Value, depth: i32) {
        let slots = Slots::of(position, last);
        let weight = (depth + 1).clamp(1, 16) * 2;
        let target = error.clamp(-MOST * 2, MOST * 2) * GRAIN;
        let [white, black] = &mut self.pieces;
        for cell in [
            &mut self.pawns[slots.side][slots.pawns],
            &mut white[slots.side][slots.pieces[0]],
            &mut black[slots.side][slots.pieces[1]],
            &mut self.moves[slots.side][slots.last],
        ] {
            let mixed = (i32::from(*cell) * (WEIGHT_SCALE - weight) + target * weight) / WEIGHT_SCALE;
            *cell = mixed.clamp(-MOST * GRAIN, MOST * GRAIN) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_error_is_learned_for_its_side_and_forgotten_by_the_opposite_one() {
        let mut corrections = Corrections::new();
        let params = SearchParams::default();
        let position = Position::startpos();
        for _ in 0..50 {
            corrections.learn(&position, Footprint::NONE, 60, 8);
        }
        let learned = corrections.apply(0, &position, Footprint::NONE, &params);
        assert!((10..=120).contains(&learned), "{learned}");
        for _ in 0..200 {
            corrections.learn(&position, Footprint::NONE, -60, 8);
        }
        assert!(corrections.apply(0, &position, Footprint::NONE, &params) < 0);
        assert!(corrections.apply(MAX_EVAL, &position, Footprint::NONE, &params) <= MAX_EVAL);
    }
}
