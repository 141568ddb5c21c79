//! Updates of the history tables at the end of a node.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::{Value, is_mate};
use crate::engine::search::history::QuietContext;
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
    pub(super) fn history_score(&self, position: &Position, mv: Move, quiet_context: &QuietContext) -> i32 {
        if mv.is_tactical() {
            self.memory.histories.capture(mv, captured_kind(position, mv))
        } else {
            self.memory.histories.quiet(mv, quiet_context)
        }
    }

    /// Step 3: gives a bonus to a quiet table move whose stored score causes a cutoff.
    pub(super) fn reward_table_move(
        &mut self,
        position: &Position,
        table_move: Option<Move>,
        depth: i32,
        ply: usize,
    ) {
        if let Some(mv) = table_move.filter(|mv| !mv.is_tactical()) {
            let bonus = pruning::history_bonus(self.params(), depth);
            let quiet_context = self.quiet_context(position, ply);
            self.memory.histories.update_quiet(mv, &quiet_context, bonus);
        }
    }

    /// Step 5: gives the quiet move that led to this node a bonus or malus, by how it changed the static evaluation.
    pub(super) fn update_by_eval_change(&mut self, ply: usize, eval: Option<Value>) {
        let before = *self.frame(ply - 1);
        if let (Some(theirs), Some(ours)) = (before.eval, eval)
            && before.mv != Move::NONE
            && !before.mv.is_tactical()
        {
            let bonus = pruning::eval_change_bonus(self.params(), -ours - theirs);
            self.memory.histories.update_quiet_alone(before.mv, before.threats, bonus);
        }
    }

    /// Step 12: updates the continuation history of a reduced quiet move by the score of the search without reduction.
    pub(super) fn update_retried(
        &mut self,
        mv: Move,
        value: Value,
        context: &NodeContext,
        quiet_context: &QuietContext,
    ) {
        let NodeContext { depth, alpha, beta, .. } = *context;
        if mv.is_tactical() || self.is_stopped() || (value > alpha && value < beta) {
            return;
        }
        let params = self.params();
        let bonus = if value >= beta {
            pruning::history_bonus(params, depth)
        } else {
            -pruning::history_malus(params, depth)
        };
        self.memory.histories.update_continuation(mv, &quiet_context.previous_moves, bonus);
    }

    /// Step 15: gives a bonus to the move that caused the cutoff, and a malus to those searched before it.
    pub(super) fn update_histories(
        &mut self,
        position: &Position,
        mv: Move,
        quiets: &SearchedMoves,
        captures: &SearchedMoves,
        context: &NodeContext,
        quiet_context: &QuietContext,
    ) {
        let NodeContext { ply, depth, .. } = *context;
        let (bonus, malus) =
            (pruning::history_bonus(self.params(), depth), pruning::history_malus(self.params(), depth));
        let last = self.last_piece_to(ply);
        if mv.is_tactical() {
            self.memory.histories.update_capture(mv, captured_kind(position, mv), bonus);
        } else {
            let killers = &mut self.frame_mut(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
            self.memory.histories.set_counter(last, mv);
            self.memory.histories.update_quiet(mv, quiet_context, bonus);
            for searched in quiets.iter() {
                self.memory.histories.update_quiet(searched, quiet_context, -malus);
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
