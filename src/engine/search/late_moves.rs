//! Pruning and reduction of single moves: late move, futility, history and SEE pruning, late move reductions.

use std::cell::OnceCell;

use crate::chess::{CheckSquares, Color, Move, PieceKind, Position};
use crate::engine::search::node::{NodeContext, NodeKind};
use crate::engine::search::picker::{PickStage, Refutations};
use crate::engine::search::pruning::{self, NodeType, Trend};
use crate::engine::search::see::see_at_least;
use crate::engine::search::thread::Search;

/// A move of the move loop, with the data that pruning and reduction need.
pub(super) struct LateMove<'a> {
    pub(in crate::engine) mv: Move,
    /// Number of the move in the node, from 1.
    pub(super) number: usize,
    /// History score.
    pub(super) history: i32,
    pub(super) stage: PickStage,
    pub(super) refutations: &'a Refutations,
    /// The checks of the node, computed when a move first needs them.
    pub(super) checks: &'a OnceCell<CheckSquares>,
}

/// Whether a move is pruned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PruneDecision {
    /// Search the move.
    Search,
    /// Skip the move.
    Skip,
    /// Skip the move and all remaining quiet moves.
    SkipQuiets,
}

impl Search<'_> {
    /// Step 9: decides whether a move is pruned.
    pub(super) fn prune_decision(
        &self,
        position: &Position,
        late: &LateMove<'_>,
        context: &NodeContext,
    ) -> PruneDecision {
        let LateMove { mv, number, history, stage, .. } = *late;
        let NodeContext { depth, alpha, trend, .. } = *context;
        let params = self.params();
        if !has_pieces(position, position.turn()) {
            return PruneDecision::Search;
        }
        if mv.is_tactical() {
            let floor = pruning::capture_exchange_floor(params, depth) - history / 32;
            let losing =
                stage > PickStage::GoodCaptures && depth <= 8 && !see_at_least(position, mv, floor.min(0));
            return if losing { PruneDecision::Skip } else { PruneDecision::Search };
        }
        if number > pruning::late_move_count(params, depth, trend) {
            return PruneDecision::SkipQuiets;
        }
        let base = self.shared.reductions.base(depth, number)
            - (history * 1024 / params.reduction_history).clamp(-2048, 2048);
        let reduced = (depth - 1 - base / 1024).max(0);
        let bad_history =
            depth <= params.history_pruning_depth && history < pruning::history_floor(params, depth);
        let futile = context.eval.is_some_and(|eval| {
            reduced <= params.futility_depth && eval + pruning::futility_margin(params, reduced) <= alpha
        });
        // Checks are exempt from history and futility pruning.
        let checks = || late.checks.get_or_init(|| CheckSquares::of(position));
        if (bad_history || futile) && !checks().gives_check(position, mv) {
            return PruneDecision::Skip;
        }
        let floor = pruning::quiet_exchange_floor(params, reduced);
        if depth <= 10 && !see_at_least(position, mv, floor) {
            PruneDecision::Skip
        } else {
            PruneDecision::Search
        }
    }

    /// Step 11: whether a checking move is extended. It must not lose material, and the line must not be extended too far.
    pub(super) fn extends_check(&self, position: &Position, mv: Move, ply: usize) -> bool {
        (ply as i32) < self.root_depth + 8 && see_at_least(position, mv, 0)
    }

    /// Step 12: returns the late move reduction in plies.
    pub(super) fn reduction<K: NodeKind>(
        &self,
        late: &LateMove<'_>,
        child: &Position,
        context: &NodeContext,
    ) -> i32 {
        let params = self.params();
        let mut reduction = self.shared.reductions.base(context.depth, late.number);
        if late.mv.is_tactical() {
            return (reduction - 1024 - late.history / 8).max(0) / 2048;
        }
        reduction += if K::PV { 0 } else { params.reduction_non_pv };
        reduction += if context.expected == NodeType::Cut && !K::PV { params.reduction_cut_node } else { 0 };
        reduction += if context.trend == Trend::Declining { params.reduction_not_improving } else { 0 };
        if context.table_move.is_some_and(Move::is_tactical) {
            reduction += params.reduction_table_capture;
        }
        reduction -= if late.refutations.contains(late.mv) { params.reduction_refutation } else { 0 };
        reduction -= if child.in_check() { params.reduction_check } else { 0 };
        reduction -= if context.on_pv { params.reduction_on_pv } else { 0 };
        reduction -= (late.history * 1024 / params.reduction_history).clamp(-2048, 2048);
        reduction.max(0) / 1024
    }
}

/// Whether a side has more than king and pawns; without pieces, zugzwang is likely.
pub(super) fn has_pieces(position: &Position, color: Color) -> bool {
    let pawns_and_kings = position.by_kind(PieceKind::Pawn) | position.by_kind(PieceKind::King);
    position.by_color(color).without(pawns_and_kings).any()
}
