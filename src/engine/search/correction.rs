//! Correction history: the average error of the static evaluation in similar positions.

use crate::chess::{Color, PieceKind, Position};
use crate::engine::SearchParams;
use crate::engine::score::{MAX_EVAL, Value};
use crate::engine::search::history::PieceTo;

const TABLE_SIZE: usize = 1 << 14;
/// Resolution of a stored correction, in steps per centipawn.
const GRAIN: i32 = 256;
/// Maximum correction of one table, in centipawns.
const MAX_CORRECTION: i32 = 64;
/// Denominator of the update weight, which grows with the depth of the search.
const WEIGHT_SCALE: i32 = 256;

/// The correction histories of one thread, for each side to move.
pub(super) struct CorrectionHistory {
    pawns: Box<[[i16; TABLE_SIZE]]>,
    pieces: [Box<[[i16; TABLE_SIZE]]>; 2],
    moves: Box<[[i16; PieceTo::COUNT]]>,
}

/// The table indices of one position.
#[derive(Clone, Copy)]
struct TableIndices {
    side: usize,
    pawns: usize,
    pieces: [usize; 2],
    last: usize,
}

impl TableIndices {
    fn of(position: &Position, last: PieceTo) -> Self {
        Self {
            side: position.turn().index(),
            pawns: position.pawn_key() as usize % TABLE_SIZE,
            pieces: [piece_index(position, Color::White), piece_index(position, Color::Black)],
            last: last.index(),
        }
    }
}

/// Hashes the pieces of one side, without pawns. The bitboards are multiplied independently, so that the processor can
/// overlap the multiplications.
fn piece_index(position: &Position, color: Color) -> usize {
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
    (hash.wrapping_mul(FACTORS[0]) >> 50) as usize % TABLE_SIZE
}

impl CorrectionHistory {
    pub(in crate::engine) fn new() -> Self {
        let tables = || vec![[0i16; TABLE_SIZE]; 2].into_boxed_slice();
        Self {
            pawns: tables(),
            pieces: [tables(), tables()],
            moves: vec![[0i16; PieceTo::COUNT]; 2].into_boxed_slice(),
        }
    }

    /// Returns the corrected evaluation, limited to scores that are not a mate.
    pub(super) fn apply(
        &self,
        raw_eval: Value,
        position: &Position,
        last: PieceTo,
        params: &SearchParams,
    ) -> Value {
        let indices = TableIndices::of(position, last);
        let pawns = i32::from(self.pawns[indices.side][indices.pawns]);
        let pieces = i32::from(self.pieces[0][indices.side][indices.pieces[0]])
            + i32::from(self.pieces[1][indices.side][indices.pieces[1]]);
        let moves = i32::from(self.moves[indices.side][indices.last]);
        let sum = pawns * params.correction_pawn
            + pieces * params.correction_pieces
            + moves * params.correction_move;
        (raw_eval + sum / (512 * GRAIN)).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Updates the tables with the result of a search to `depth`, which was `error` centipawns above the static evaluation.
    pub(super) fn update(&mut self, position: &Position, last: PieceTo, error: Value, depth: i32) {
        let indices = TableIndices::of(position, last);
        let weight = (depth + 1).clamp(1, 16) * 2;
        let target = error.clamp(-MAX_CORRECTION * 2, MAX_CORRECTION * 2) * GRAIN;
        let [white, black] = &mut self.pieces;
        for cell in [
            &mut self.pawns[indices.side][indices.pawns],
            &mut white[indices.side][indices.pieces[0]],
            &mut black[indices.side][indices.pieces[1]],
            &mut self.moves[indices.side][indices.last],
        ] {
            let updated = (i32::from(*cell) * (WEIGHT_SCALE - weight) + target * weight) / WEIGHT_SCALE;
            *cell = updated.clamp(-MAX_CORRECTION * GRAIN, MAX_CORRECTION * GRAIN) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_error_is_corrected_and_replaced_by_a_later_opposite_one() {
        let mut corrections = CorrectionHistory::new();
        let params = SearchParams::default();
        let position = Position::startpos();
        for _ in 0..50 {
            corrections.update(&position, PieceTo::NONE, 60, 8);
        }
        let corrected = corrections.apply(0, &position, PieceTo::NONE, &params);
        assert!((10..=120).contains(&corrected), "{corrected}");
        for _ in 0..200 {
            corrections.update(&position, PieceTo::NONE, -60, 8);
        }
        assert!(corrections.apply(0, &position, PieceTo::NONE, &params) < 0);
        assert!(corrections.apply(MAX_EVAL, &position, PieceTo::NONE, &params) <= MAX_EVAL);
    }
}
