//! Iterative deepening: one search per depth, each inside a window around the last score.

use crate::chess::Position;
use crate::engine::observer::SearchInfo;
use crate::engine::score::{INFINITE, MAX_PLY, Value, is_mate};
use crate::engine::search::node::Root;
use crate::engine::search::pruning::Expect;
use crate::engine::search::root::RootMove;
use crate::engine::search::thread::{Search, ThreadRole};
use crate::engine::time_budget::Stability;
use crate::engine::{Bound, Score, SearchObserver};

/// Windows wider than this are opened for good.
const WIDEST_WINDOW: Value = 1500;

impl Search<'_> {
    /// Searches deeper and deeper until a limit, a stop or the deepest depth.
    pub(in crate::engine) fn iterate(&mut self, position: &Position, observer: &mut dyn SearchObserver) {
        let deepest = MAX_PLY as u32 - 1;
        let last = match self.role {
            ThreadRole::Main => self.shared.limits.depth.unwrap_or(deepest).clamp(1, deepest),
            ThreadRole::Helper { .. } => deepest,
        };
        let first = match self.role {
            ThreadRole::Main => 1,
            // Half of the helpers run a ply ahead, so that threads do not all do the same.
            ThreadRole::Helper { index } => 1 + (index as u32 % 2),
        };
        let lines = self.shared.limits.multipv.clamp(1, self.root_moves.len());
        let mut agreeing = 0;
        self.consult();
        for depth in first..=last {
            let before = self.root_moves.best().map(|root| (root.mv, root.value));
            self.root_moves.begin_iteration();
            self.root_depth = depth as i32;
            for rank in 0..lines {
                self.root_moves.select(rank);
                self.seldepth = 0;
                self.aspirate(position, depth as i32, observer);
                self.root_moves.rank_current();
                if self.is_stopped() {
                    return;
                }
            }
            self.completed_depth = depth as i32;
            self.consult();
            if self.role == ThreadRole::Main {
                self.report(lines, Bound::Exact, observer);
                let Some(best) = self.root_moves.best() else { return };
                agreeing = if before.is_some_and(|(mv, _)| mv == best.mv) { agreeing + 1 } else { 0 };
                let drop = before.map_or(0, |(_, value)| value.saturating_sub(best.value));
                let effort = (best.effort * 1000 / self.nodes.max(1)) as u32;
                if self.is_enough(best, Stability { agreeing, drop, effort }) {
                    return;
                }
            }
            if self.is_stopped() {
                return;
            }
        }
    }

    /// Searches one line of the root, widening the window until the score falls inside.
    fn aspirate(&mut self, position: &Position, depth: i32, observer: &mut dyn SearchObserver) {
        let previous = self.root_moves.current().previous;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut half = self.params().aspiration_window;
        if depth >= 4 && !is_mate(previous) {
            (alpha, beta) = (previous - half, previous + half);
        }
        let mut reduced = depth;
        loop {
            let value = self.node::<Root>(position, alpha, beta, reduced.max(1), 0, Expect::All);
            self.root_moves.rank_unfinished();
            if self.is_stopped() {
                return;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - half).max(-INFINITE);
                reduced = depth;
                self.report_window(Bound::Upper, observer);
            } else if value >= beta {
                beta = (value + half).min(INFINITE);
                reduced -= i32::from(reduced > depth - 3);
                self.report_window(Bound::Lower, observer);
            } else {
                return;
            }
            half += half * self.params().aspiration_growth / 100 + 1;
            if half > WIDEST_WINDOW {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Whether the main thread may answer now.
    fn is_enough(&self, best: &RootMove, stability: Stability) -> bool {
        let shared = self.shared;
        if let (Some(wanted), Score::Mate(found)) = (shared.limits.mate, Score::from_value(best.value))
            && found.unsigned_abs() <= wanted
        {
            return true;
        }
        let Some(budget) = shared.budget.filter(|_| shared.limits_hold()) else { return false };
        if shared.limits.clock.is_some() {
            let forced = self.root_moves.len() == 1 && self.root_depth >= 4;
            let mating = is_mate(best.value) && self.root_depth > 2 * best.line.len() as i32 + 8;
            if forced || mating {
                return true;
            }
        }
        !budget.allows_iteration(shared.elapsed(), stability)
    }

    /// Tells of a missed window, where the search is long enough for somebody to watch.
    fn report_window(&mut self, bound: Bound, observer: &mut dyn SearchObserver) {
        let watched = self.shared.elapsed().as_secs() >= 3 && self.shared.limits.multipv <= 1;
        if self.role == ThreadRole::Main && watched {
            self.report(1, bound, observer);
        }
    }

    /// Tells the best lines of the iteration.
    pub(super) fn report(&mut self, lines: usize, bound: Bound, observer: &mut dyn SearchObserver) {
        self.consult();
        let time = self.shared.elapsed();
        let nodes = self.shared.nodes();
        let nps = (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64;
        let hashfull = self.shared.table.hashfull();
        for (rank, root) in self.root_moves.top(lines).iter().enumerate() {
            observer.info(&SearchInfo {
                depth: self.root_depth as u32,
                seldepth: root.seldepth as u32,
                multipv: rank + 1,
                score: Score::from_value(root.value),
                bound,
                nodes,
                nps,
                hashfull,
                time,
                pv: root.line.clone(),
            });
        }
    }
}
