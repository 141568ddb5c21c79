//! History tables: scores of moves by their success in earlier nodes, for move ordering, pruning and reductions.

use crate::chess::{Bitboard, Color, Move, PieceKind};

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

/// What the history of a quiet move depends on besides the move.
#[derive(Clone, Copy)]
pub(super) struct QuietContext {
    pub(super) previous_moves: PreviousMoves,
    /// Squares that the enemy attacks.
    pub(super) threats: Bitboard,
}

impl QuietContext {
    /// A context for nodes that search no quiet moves.
    pub(super) const NONE: Self = Self { previous_moves: [PieceTo::NONE; 3], threats: Bitboard::EMPTY };
}

/// The history tables of one thread.
pub(super) struct Histories {
    /// By side and by whether the enemy attacks the origin and the target of the move, see [`attack_index`].
    quiet: Box<[[[i16; 4096]; 4]; 2]>,
    capture: Box<[[i16; 6]]>,
    continuation: Box<[[i16; PIECE_SQUARES]]>,
    counter: Box<[Move]>,
}

impl Histories {
    pub(in crate::engine) fn new() -> Self {
        Self {
            quiet: Box::new([[[0; 4096]; 4]; 2]),
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

    /// Returns the history score of a quiet move.
    #[inline(always)]
    pub(super) fn quiet(&self, mv: Move, context: &QuietContext) -> i32 {
        self.quiet_scores(mv.color(), context).of(mv)
    }

    /// Returns the history scores of all quiet moves of `us` in a context.
    #[inline(always)]
    pub(super) fn quiet_scores(&self, us: Color, context: &QuietContext) -> QuietScores<'_> {
        let continuation = context.previous_moves.map(|before| &self.continuation[before.index()]);
        QuietScores { quiet: &self.quiet[us.index()], continuation, threats: context.threats }
    }

    pub(super) fn update_quiet(&mut self, mv: Move, context: &QuietContext, bonus: i32) {
        self.update_quiet_alone(mv, context.threats, bonus);
        self.update_continuation(mv, &context.previous_moves, bonus);
    }

    /// Updates the history of a quiet move that does not depend on previous moves.
    pub(super) fn update_quiet_alone(&mut self, mv: Move, threats: Bitboard, bonus: i32) {
        let table = &mut self.quiet[mv.color().index()][attack_index(mv, threats)];
        apply_bonus(&mut table[from_to(mv)], bonus);
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

/// The tables of one context, looked up once for all its moves.
#[derive(Clone, Copy)]
pub(super) struct QuietScores<'a> {
    quiet: &'a [[i16; 4096]; 4],
    continuation: [&'a [i16; PIECE_SQUARES]; 3],
    threats: Bitboard,
}

impl QuietScores<'_> {
    /// Returns the history score of a quiet move.
    #[inline(always)]
    pub(super) fn of(&self, mv: Move) -> i32 {
        let column = PieceTo::of(mv).index();
        let [one, two, four] = self.continuation.map(|row| i32::from(row[column]));
        i32::from(self.quiet[attack_index(mv, self.threats)][from_to(mv)]) + one + two + four / 2
    }
}

/// Returns the index of the table of a quiet move. A move away from an attacked square, or to one, is worth something else
/// than the same move without the attack.
#[inline(always)]
fn attack_index(mv: Move, threats: Bitboard) -> usize {
    usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()))
}

/// Returns the index of origin and target: the lowest twelve bits of a move.
#[inline(always)]
fn from_to(mv: Move) -> usize {
    (mv.bits() & 0xfff) as usize
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
        let context = QuietContext { previous_moves, threats: Bitboard::EMPTY };
        for _ in 0..1000 {
            histories.update_quiet(mv, &context, 1500);
        }
        let high = histories.quiet(mv, &context);
        assert!(high > MAX_HISTORY && high <= 2 * MAX_HISTORY);
        for _ in 0..1000 {
            histories.update_quiet(mv, &context, -1500);
        }
        assert!(histories.quiet(mv, &context) < -MAX_HISTORY);
        let elsewhere = Move::quiet(knight, Square::G1, Square::H3);
        assert_eq!(histories.quiet(elsewhere, &context), 0);
    }

    #[test]
    fn a_move_from_an_attacked_square_has_a_history_of_its_own() {
        let mut histories = Histories::new();
        let mv = Move::quiet(Piece::new(Color::White, PieceKind::Knight), Square::G1, Square::F3);
        let attacked = QuietContext { threats: Bitboard::of(Square::G1), ..QuietContext::NONE };
        histories.update_quiet(mv, &attacked, 1000);
        assert!(histories.quiet(mv, &attacked) > 0);
        assert_eq!(histories.quiet(mv, &QuietContext::NONE), 0);
    }
}
