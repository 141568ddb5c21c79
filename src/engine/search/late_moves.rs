//! What becomes of moves that come late: dropped unseen, or searched less deep.

use crate::chess::{Color, Move, PieceKind, Position};
use crate::engine::search::node::{Facts, NodeKind};
use crate::engine::search::picker::{PickStage, Refutations};
use crate::engine::search::pruning::{self, Expect, Trend};
use crate::engine::search::see::exchange_is_at_least;
use crate::engine::search::thread::Search;

/// A move at its turn in a node, and what is known of it.
pub(super) struct LateMove<'a> {
    pub(in crate::engine) mv: Move,
    /// Its turn, from 1.
    pub(super) number: usize,
    /// What it did before.
    pub(super) record: i32,
    pub(super) stage: PickStage,
    pub(super) refutations: &'a Refutations,
}

/// What becomes of a move before it is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Play,
    Drop,
    DropAllQuiets,
}

impl Search<'_> {
    /// Step 8: whether a move is worth playing at all.
    pub(super) fn fate(&self, position: &Position, late: &LateMove<'_>, facts: &Facts) -> Fate {
        let LateMove { mv, number, record, stage, .. } = *late;
        let Facts { depth, alpha, trend, .. } = *facts;
        let params = self.params();
        if !has_pieces(position, position.turn()) {
            return Fate::Play;
        }
        if mv.is_tactical() {
            let floor = pruning::capture_exchange_floor(params, depth) - record / 32;
            let losing = stage > PickStage::GoodCaptures
                && depth <= 8
                && !exchange_is_at_least(position, mv, floor.min(0));
            return if losing { Fate::Drop } else { Fate::Play };
        }
        if number > pruning::late_move_count(params, depth, trend) {
            return Fate::DropAllQuiets;
        }
        let base = self.shared.reductions.base(depth, number)
            - (record * 1024 / params.reduction_history).clamp(-2048, 2048);
        let reduced = (depth - 1 - base / 1024).max(0);
        let ill_remembered =
            depth <= params.history_pruning_depth && record < pruning::history_floor(params, depth);
        let futile = facts.eval.is_some_and(|eval| {
            reduced <= params.futility_depth && eval + pruning::futility_margin(params, reduced) <= alpha
        });
        // A check is never judged by its looks.
        if (ill_remembered || futile) && !position.gives_check(mv) {
            return Fate::Drop;
        }
        let floor = pruning::quiet_exchange_floor(params, reduced);
        if depth <= 10 && !exchange_is_at_least(position, mv, floor) { Fate::Drop } else { Fate::Play }
    }

    /// Whether a checking move deserves another ply: it loses nothing, and the line is not all checks already.
    pub(super) fn follows_check(&self, position: &Position, mv: Move, ply: usize) -> bool {
        (ply as i32) < self.root_depth + 8 && exchange_is_at_least(position, mv, 0)
    }

    /// Step 11: how many plies a late move is searched less deep.
    pub(super) fn reduction<K: NodeKind>(&self, late: &LateMove<'_>, child: &Position, facts: &Facts) -> i32 {
        let params = self.params();
        let mut reduction = self.shared.reductions.base(facts.depth, late.number);
        if late.mv.is_tactical() {
            return (reduction - 1024 - late.record / 8).max(0) / 2048;
        }
        reduction += if K::PV { 0 } else { params.reduction_non_pv };
        reduction += if facts.expect == Expect::Cut && !K::PV { params.reduction_cut_node } else { 0 };
        reduction += if facts.trend == Trend::Declining { params.reduction_not_improving } else { 0 };
        if facts.table_move.is_some_and(Move::is_tactical) {
            reduction += params.reduction_table_capture;
        }
        reduction -= if late.refutations.contains(late.mv) { params.reduction_refutation } else { 0 };
        reduction -= if child.in_check() { params.reduction_check } else { 0 };
        reduction -= if facts.on_pv { params.reduction_on_pv } else { 0 };
        reduction -= (late.record * 1024 / params.reduction_history).clamp(-2048, 2048);
        reduction.max(0) / 1024
    }
}

/// Whether a side has more than king and pawns, so that passing is no zugzwang trick.
pub(super) fn has_pieces(position: &Position, color: Color) -> bool {
    let plain = position.by_kind(PieceKind::Pawn) | position.by_kind(PieceKind::King);
    position.by_color(color).without(plain).any()
}
