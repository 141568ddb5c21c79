//! Iterative deepening with aspiration windows.

use std::sync::atomic::Ordering;

use crate::chess::Position;
use crate::engine::observer::SearchInfo;
use crate::engine::score::{INFINITE, MAX_PLY, Value, is_mate};
use crate::engine::search::node::Root;
use crate::engine::search::pruning::NodeType;
use crate::engine::search::root::RootMove;
use crate::engine::search::thread::{Search, SearchShared, ThreadRole};
use crate::engine::time_budget::Stability;
use crate::engine::{Bound, Score, SearchObserver};

/// An aspiration window with a larger half-width is replaced by an infinite one.
const MAX_HALF_WIDTH: Value = 1500;

impl Search<'_> {
    /// Searches with increasing depth until a limit, a stop or the maximum depth.
    pub(in crate::engine) fn iterate(&mut self, position: &Position, observer: &mut dyn SearchObserver) {
        let max_depth = MAX_PLY as u32 - 1;
        let last = match self.role {
            ThreadRole::Main => self.shared.limits.depth.unwrap_or(max_depth).clamp(1, max_depth),
            ThreadRole::Helper { .. } => max_depth,
        };
        let first = match self.role {
            ThreadRole::Main => 1,
            // Half of the helpers start one ply deeper, so that the threads do not all search the same tree.
            ThreadRole::Helper { index } => 1 + (index as u32 % 2),
        };
        let lines = self.shared.limits.multipv.clamp(1, self.root_moves.len());
        let mut stable_iterations = 0;
        self.poll_limits();
        for depth in first..=last {
            let previous_best = self.root_moves.best().map(|root| (root.mv, root.value));
            self.root_moves.begin_iteration();
            self.root_depth = depth as i32;
            for rank in 0..lines {
                self.root_moves.select(rank);
                self.seldepth = 0;
                self.aspiration_search(position, depth as i32, observer);
                self.root_moves.sort();
                if self.is_stopped() {
                    return;
                }
            }
            self.completed_depth = depth as i32;
            self.poll_limits();
            if self.role == ThreadRole::Main {
                self.report(lines, Bound::Exact, observer);
                let Some(best) = self.root_moves.best() else { return };
                stable_iterations = if previous_best.is_some_and(|(mv, _)| mv == best.mv) {
                    stable_iterations + 1
                } else {
                    0
                };
                let score_drop = previous_best.map_or(0, |(_, value)| value.saturating_sub(best.value));
                let effort = (best.effort * 1000 / self.nodes.max(1)) as u32;
                if self.may_stop(best, Stability { stable_iterations, score_drop, effort }) {
                    return;
                }
            }
            if self.is_stopped() {
                return;
            }
        }
    }

    /// Searches one principal variation, widening the window until the score is inside.
    fn aspiration_search(&mut self, position: &Position, depth: i32, observer: &mut dyn SearchObserver) {
        let previous = self.root_moves.current().previous;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut half_width = self.params().aspiration_window;
        if depth >= 4 && !is_mate(previous) {
            (alpha, beta) = (previous - half_width, previous + half_width);
        }
        let mut reduced = depth;
        loop {
            let value = self.node::<Root>(position, alpha, beta, reduced.max(1), 0, NodeType::All);
            self.root_moves.sort_remaining();
            if self.is_stopped() {
                return;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - half_width).max(-INFINITE);
                reduced = depth;
                self.report_bound(Bound::Upper, observer);
            } else if value >= beta {
                beta = (value + half_width).min(INFINITE);
                reduced -= i32::from(reduced > depth - 3);
                self.report_bound(Bound::Lower, observer);
            } else {
                return;
            }
            half_width += half_width * self.params().aspiration_growth / 100 + 1;
            if half_width > MAX_HALF_WIDTH {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Whether the main thread may end the search after this iteration.
    fn may_stop(&self, best: &RootMove, stability: Stability) -> bool {
        let shared = self.shared;
        if let (Some(limit), Score::Mate(moves)) = (shared.limits.mate, Score::from_value(best.value))
            && moves.unsigned_abs() <= limit
        {
            return true;
        }
        let Some(budget) = shared.budget.filter(|_| shared.limits_apply()) else { return false };
        if shared.limits.clock.is_some() {
            let forced = self.root_moves.len() == 1 && self.root_depth >= 4;
            let mating = is_mate(best.value) && self.root_depth > 2 * best.line.len() as i32 + 8;
            if forced || mating {
                return true;
            }
        }
        !budget.allows_iteration(shared.elapsed(), stability)
    }

    /// Reports a fail high or fail low. Short searches skip this report: it would only be noise.
    fn report_bound(&mut self, bound: Bound, observer: &mut dyn SearchObserver) {
        let long = self.shared.elapsed().as_secs() >= 3 && self.shared.limits.multipv <= 1;
        if self.role == ThreadRole::Main && long {
            self.report(1, bound, observer);
        }
    }

    /// Reports the principal variations of the iteration.
    pub(super) fn report(&mut self, lines: usize, bound: Bound, observer: &mut dyn SearchObserver) {
        self.poll_limits();
        for (rank, root) in self.root_moves.top(lines).iter().enumerate() {
            observer.info(&self.shared.info(self.root_depth, rank + 1, bound, root));
        }
    }
}

impl SearchShared<'_> {
    /// Returns the report of a line as of now.
    pub(in crate::engine) fn info(
        &self,
        depth: i32,
        multipv: usize,
        bound: Bound,
        root: &RootMove,
    ) -> SearchInfo {
        let (time, nodes) = (self.elapsed(), self.nodes());
        SearchInfo {
            depth: depth as u32,
            seldepth: root.seldepth as u32,
            multipv,
            score: Score::from_value(root.value),
            bound,
            nodes,
            nps: (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64,
            hashfull: self.table.hashfull(),
            table_hits: self.has_tables.then(|| self.table_hits.load(Ordering::Relaxed)),
            time,
            pv: root.line.clone(),
        }
    }
}
