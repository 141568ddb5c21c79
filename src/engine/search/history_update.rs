//! Updates of the history tables at the end of a node.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::{Value, is_mate};
use crate::engine::search::history::PreviousMoves;
use crate::engine::search::node::NodeContext;
use crate::engine::search::picker::captured_kind;
use crate::engine::search::pruning;
use crate::engine::search::thread::Search;

/// Moves searched in a node before a cutoff; moves beyond the capacity are dropped.
pub(super) struct SearchedMoves {
    moves: [Move; 32],
    len: usize,
}

impl SearchedMoves {
    pub(in crate::engine) const fn new() -> Self {
        Self { moves: [Move::NONE; 32], len: 0 }
    }

    pub(super) fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied()
    }
}

impl Search<'_> {
    /// Returns the history score of a move.
    pub(super) fn history_score(&self, position: &Position, mv: Move, previous_moves: &PreviousMoves) -> i32 {
        if mv.is_tactical() {
            self.memory.histories.capture(mv, captured_kind(position, mv))
        } else {
            self.memory.histories.quiet(mv, previous_moves)
        }
    }

    /// Step 15: gives a bonus to the move that caused the cutoff, and a malus to those searched before it.
    pub(super) fn update_histories(
        &mut self,
        position: &Position,
        mv: Move,
        quiets: &SearchedMoves,
        captures: &SearchedMoves,
        context: &NodeContext,
    ) {
        let NodeContext { ply, depth, .. } = *context;
        let (bonus, malus) =
            (pruning::history_bonus(self.params(), depth), pruning::history_malus(self.params(), depth));
        let previous_moves = self.previous_moves(ply);
        let last = self.last_piece_to(ply);
        if mv.is_tactical() {
            self.memory.histories.update_capture(mv, captured_kind(position, mv), bonus);
        } else {
            let killers = &mut self.frame_mut(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
            self.memory.histories.set_counter(last, mv);
            self.memory.histories.update_quiet(mv, &previous_moves, bonus);
            for searched in quiets.iter() {
                self.memory.histories.update_quiet(searched, &previous_moves, -malus);
            }
        }
        for searched in captures.iter() {
            self.memory.histories.update_capture(searched, captured_kind(position, searched), -malus);
        }
    }

    /// Step 15: updates the correction history with the difference between the score and the static evaluation, unless the
    /// best move is tactical or the bound does not contradict the evaluation.
    pub(super) fn update_corrections(
        &mut self,
        position: &Position,
        best_move: Option<Move>,
        value: Value,
        bound: Bound,
        context: &NodeContext,
    ) {
        let Some(eval) = context.eval else { return };
        let tactical = best_move.is_some_and(Move::is_tactical);
        let uninformative = match bound {
            Bound::Lower => value <= eval,
            Bound::Upper => value >= eval,
            Bound::Exact => false,
        };
        if !tactical && !uninformative && !is_mate(value) {
            let last = self.last_piece_to(context.ply);
            self.memory.corrections.update(position, last, value - eval, context.depth);
        }
    }
}
