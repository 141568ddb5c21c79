//! Pruning of whole nodes: reverse futility, razoring, null move and ProbCut.

use crate::chess::Position;
use crate::engine::Bound;
use crate::engine::score::{Value, is_mate};
use crate::engine::search::history::{PieceTo, QuietContext};
use crate::engine::search::late_moves::has_pieces;
use crate::engine::search::node::{NodeContext, NonPv};
use crate::engine::search::picker::{MoveFilter, Picker, Refutations};
use crate::engine::search::pruning::{self, NodeType};
use crate::engine::search::quiescence::QuiescencePly;
use crate::engine::search::see::see_at_least;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

/// Minimum depth of a node in which a null move is tried.
pub(super) const NULL_MOVE_MIN_DEPTH: i32 = 2;

impl Search<'_> {
    /// Step 6: returns a score if the node can be pruned before its moves are searched.
    pub(super) fn prune_node(&mut self, position: &Position, context: &NodeContext) -> Option<Value> {
        let NodeContext { ply, depth, alpha, beta, trend, .. } = *context;
        let eval = context.eval?;
        let params = self.params();
        let estimate = context.hit.map_or(eval, |hit| hit.refine(eval));
        if is_mate(beta) {
            return None;
        }
        // Reverse futility: so far above beta that a few plies are unlikely to change it.
        if depth <= params.reverse_futility_depth
            && !context.on_pv
            && estimate - pruning::reverse_futility_margin(params, depth, trend) >= beta
        {
            return Some((estimate + beta) / 2);
        }
        // Razoring: so far below alpha that only captures could help.
        if depth <= params.razor_depth && estimate + pruning::razor_margin(params, depth) <= alpha {
            let value = self.quiescence::<NonPv>(position, alpha, alpha + 1, ply, QuiescencePly::Later);
            if value <= alpha {
                return Some(value);
            }
        }
        self.null_move_cut(position, estimate, context).or_else(|| self.probcut(position, eval, context))
    }

    /// Null move: if passing still scores at least beta, a move will too, except in zugzwang.
    fn null_move_cut(
        &mut self,
        position: &Position,
        estimate: Value,
        context: &NodeContext,
    ) -> Option<Value> {
        let NodeContext { ply, depth, beta, .. } = *context;
        let params = self.params();
        let eval = context.eval?;
        let allowed = depth >= NULL_MOVE_MIN_DEPTH
            && ply >= self.min_null_ply
            && self.last_piece_to(ply) != PieceTo::NONE
            && estimate >= beta
            && eval >= beta + pruning::null_move_margin(params, depth)
            && has_pieces(position, position.turn())
            && context.hit.is_none_or(|hit| hit.bound != Bound::Upper || hit.value >= beta);
        if !allowed {
            return None;
        }
        let reduced = pruning::null_move_depth(params, depth, estimate - beta);
        let child = position.play_null();
        let value = self.with_null_move(ply, child.key(), |search| {
            -search.node::<NonPv>(&child, -beta, -beta + 1, reduced, ply + 1, context.expected.opposite())
        });
        if self.is_stopped() || value < beta {
            return None;
        }
        let value = if is_mate(value) { beta } else { value };
        if self.min_null_ply > 0 || depth < params.null_verification_depth {
            return Some(value);
        }
        // At high depth a wrong cutoff is costly: verify it with a search without null moves for the next plies.
        self.min_null_ply = ply + (3 * reduced / 4).max(1) as usize;
        let verified = self.node::<NonPv>(position, beta - 1, beta, reduced, ply, NodeType::All);
        self.min_null_ply = 0;
        (verified >= beta && !self.is_stopped()).then_some(value)
    }

    /// ProbCut: a capture that beats beta by a margin in a shallow search probably beats beta in a deep one.
    fn probcut(&mut self, position: &Position, eval: Value, context: &NodeContext) -> Option<Value> {
        let NodeContext { ply, depth, beta, .. } = *context;
        let params = self.params();
        let target = beta + params.probcut_margin;
        let shallow = depth - 4;
        if depth < params.probcut_depth
            || is_mate(target)
            || context.hit.is_some_and(|hit| hit.depth >= shallow && hit.value < target)
        {
            return None;
        }
        let table_move = context.table_move.filter(|mv| mv.is_tactical());
        let table_move = table_move.filter(|&mv| see_at_least(position, mv, target - eval));
        let filter = MoveFilter::Captures { at_least: target - eval };
        let mut picker = Picker::new(filter, table_move, Refutations::NONE, QuietContext::NONE);
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.move_lists[ply]) {
            self.prefetch_child(position, mv);
            let child = position.play(mv);
            self.enter(ply, mv, child.key());
            let mut value =
                -self.quiescence::<NonPv>(&child, -target, -target + 1, ply + 1, QuiescencePly::Later);
            if value >= target {
                let expected = context.expected.opposite();
                value = -self.node::<NonPv>(&child, -target, -target + 1, shallow, ply + 1, expected);
            }
            self.leave();
            if self.is_stopped() {
                return None;
            }
            if value >= target {
                let mv = PackedMove::pack(mv);
                let (eval, bound) = (context.raw_eval, Bound::Lower);
                let found = TableHit { mv, value, eval, depth: depth - 3, bound, on_pv: context.on_pv };
                self.shared.table.store(position.key(), ply, found);
                return Some(value);
            }
        }
        None
    }
}
