//! History tables: scores of moves by their success in earlier nodes, for move ordering, pruning and reductions.

use crate::chess::{Move, PieceKind};

/// Bound of the absolute value of an entry.
const MAX_HISTORY: i32 = 16_384;
const PIECE_SQUARES: usize = 12 * 64;

/// A move reduced to its piece and target square, as an index into history tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    /// No move, or a null move.
    pub(super) const NONE: Self = Self(PIECE_SQUARES as u16);
    /// Number of different values, including [`PieceTo::NONE`].
    pub(super) const COUNT: usize = PIECE_SQUARES + 1;

    #[inline(always)]
    pub(super) const fn of(mv: Move) -> Self {
        Self((mv.piece_code() * 64 + mv.to().index()) as u16)
    }

    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Adds a bonus or malus to an entry, less the nearer the entry is to its bound ("history gravity").
#[inline(always)]
fn apply_bonus(cell: &mut i16, bonus: i32) {
    let old = i32::from(*cell);
    *cell = (old + bonus - old * bonus.abs() / MAX_HISTORY) as i16;
}

/// The moves one, two and four plies before, which index the continuation history.
pub(super) type PreviousMoves = [PieceTo; 3];

/// The history tables of one thread.
pub(super) struct Histories {
    quiet: Box<[[i16; 4096]]>,
    capture: Box<[[i16; 6]]>,
    continuation: Box<[[i16; PIECE_SQUARES]]>,
    counter: Box<[Move]>,
}

impl Histories {
    pub(in crate::engine) fn new() -> Self {
        Self {
            quiet: vec![[0; 4096]; 2].into_boxed_slice(),
            capture: vec![[0; 6]; PIECE_SQUARES].into_boxed_slice(),
            continuation: vec![[0; PIECE_SQUARES]; PieceTo::COUNT].into_boxed_slice(),
            counter: vec![Move::NONE; PieceTo::COUNT].into_boxed_slice(),
        }
    }

    /// Returns the move that last refuted `before`; [`Move::NONE`] if there is none.
    pub(super) fn counter(&self, before: PieceTo) -> Move {
        self.counter[before.index()]
    }

    pub(super) fn set_counter(&mut self, before: PieceTo, mv: Move) {
        self.counter[before.index()] = mv;
    }

    /// Returns the history score of a quiet move after the moves `previous_moves`.
    #[inline(always)]
    pub(super) fn quiet(&self, mv: Move, previous_moves: &PreviousMoves) -> i32 {
        let column = PieceTo::of(mv).index();
        let continuation = |before: PieceTo| i32::from(self.continuation[before.index()][column]);
        i32::from(self.quiet[mv.color().index()][from_to(mv)])
            + continuation(previous_moves[0])
            + continuation(previous_moves[1])
            + continuation(previous_moves[2]) / 2
    }

    pub(super) fn update_quiet(&mut self, mv: Move, previous_moves: &PreviousMoves, bonus: i32) {
        apply_bonus(&mut self.quiet[mv.color().index()][from_to(mv)], bonus);
        self.update_continuation(mv, previous_moves, bonus);
    }

    pub(super) fn update_continuation(&mut self, mv: Move, previous_moves: &PreviousMoves, bonus: i32) {
        let column = PieceTo::of(mv).index();
        for before in previous_moves {
            if *before != PieceTo::NONE {
                apply_bonus(&mut self.continuation[before.index()][column], bonus);
            }
        }
    }

    /// Returns the history score of a capture or promotion.
    #[inline(always)]
    pub(super) fn capture(&self, mv: Move, captured: PieceKind) -> i32 {
        i32::from(self.capture[PieceTo::of(mv).index()][captured.index()])
    }

    pub(super) fn update_capture(&mut self, mv: Move, captured: PieceKind, bonus: i32) {
        apply_bonus(&mut self.capture[PieceTo::of(mv).index()][captured.index()], bonus);
    }
}

#[inline(always)]
fn from_to(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Color, Piece, Square};

    #[test]
    fn an_entry_follows_its_bonuses_and_never_exceeds_its_bound() {
        let mut histories = Histories::new();
        let knight = Piece::new(Color::White, PieceKind::Knight);
        let mv = Move::quiet(knight, Square::G1, Square::F3);
        let previous_moves = [PieceTo::of(mv), PieceTo::NONE, PieceTo::NONE];
        for _ in 0..1000 {
            histories.update_quiet(mv, &previous_moves, 1500);
        }
        let high = histories.quiet(mv, &previous_moves);
        assert!(high > MAX_HISTORY && high <= 2 * MAX_HISTORY);
        for _ in 0..1000 {
            histories.update_quiet(mv, &previous_moves, -1500);
        }
        assert!(histories.quiet(mv, &previous_moves) < -MAX_HISTORY);
        let elsewhere = Move::quiet(knight, Square::G1, Square::H3);
        assert_eq!(histories.quiet(elsewhere, &previous_moves), 0);
    }
}
