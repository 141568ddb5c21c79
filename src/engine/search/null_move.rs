//! Cutoffs proved without trying all moves: reverse futility, razoring, null move and ProbCut.

use crate::chess::Position;
use crate::engine::Bound;
use crate::engine::score::{Value, is_mate};
use crate::engine::search::history::Footprint;
use crate::engine::search::late_moves::has_pieces;
use crate::engine::search::node::{Facts, NonPv};
use crate::engine::search::picker::{Choice, Picker, Refutations};
use crate::engine::search::pruning::{self, Expect};
use crate::engine::search::quiescence::Entry;
use crate::engine::search::see::exchange_is_at_least;
use crate::engine::search::thread::Search;
use crate::engine::transposition::{PackedMove, TableHit};

impl Search<'_> {
    /// Step 5: a score that needs no move of ours to be proved.
    pub(super) fn cut_without_moves(&mut self, position: &Position, facts: &Facts) -> Option<Value> {
        let Facts { ply, depth, alpha, beta, trend, .. } = *facts;
        let eval = facts.eval?;
        let params = self.params();
        let estimate = facts.known.map_or(eval, |known| known.refine(eval));
        if is_mate(beta) {
            return None;
        }
        // Reverse futility: so far ahead that a few plies will not change it.
        if depth <= params.reverse_futility_depth
            && !facts.on_pv
            && estimate - pruning::reverse_futility_margin(params, depth, trend) >= beta
        {
            return Some((estimate + beta) / 2);
        }
        // Razoring: so far behind that only captures could help.
        if depth <= params.razor_depth && estimate + pruning::razor_margin(params, depth) <= alpha {
            let value = self.quiescence::<NonPv>(position, alpha, alpha + 1, ply, Entry::Later);
            if value <= alpha {
                return Some(value);
            }
        }
        self.null_move_cut(position, estimate, facts).or_else(|| self.probcut(position, eval, facts))
    }

    /// A side that may pass and still stands above beta will surely do so with a move; zugzwang aside.
    fn null_move_cut(&mut self, position: &Position, estimate: Value, facts: &Facts) -> Option<Value> {
        let Facts { ply, depth, beta, .. } = *facts;
        let params = self.params();
        let eval = facts.eval?;
        let allowed = depth >= 2
            && ply >= self.null_floor
            && self.last_footprint(ply) != Footprint::NONE
            && estimate >= beta
            && eval >= beta + pruning::null_move_margin(params, depth)
            && has_pieces(position, position.turn())
            && facts.known.is_none_or(|known| known.bound != Bound::Upper || known.value >= beta);
        if !allowed {
            return None;
        }
        let reduced = pruning::null_move_depth(params, depth, estimate - beta);
        let child = position.play_null();
        let value = self.across_null(ply, child.key(), |search| {
            -search.node::<NonPv>(&child, -beta, -beta + 1, reduced, ply + 1, facts.expect.opposite())
        });
        if self.is_stopped() || value < beta {
            return None;
        }
        let value = if is_mate(value) { beta } else { value };
        if self.null_floor > 0 || depth < params.null_verification_depth {
            return Some(value);
        }
        // At high depth a wrong cut is dear: search again without passing near here.
        self.null_floor = ply + (3 * reduced / 4).max(1) as usize;
        let verified = self.node::<NonPv>(position, beta - 1, beta, reduced, ply, Expect::All);
        self.null_floor = 0;
        (verified >= beta && !self.is_stopped()).then_some(value)
    }

    /// A capture that beats beta by a margin in a shallow search would do so in a deep one.
    fn probcut(&mut self, position: &Position, eval: Value, facts: &Facts) -> Option<Value> {
        let Facts { ply, depth, beta, .. } = *facts;
        let params = self.params();
        let target = beta + params.probcut_margin;
        let shallow = depth - 4;
        if depth < params.probcut_depth
            || is_mate(target)
            || facts.known.is_some_and(|known| known.depth >= shallow && known.value < target)
        {
            return None;
        }
        let table_move = facts.table_move.filter(|mv| mv.is_tactical());
        let table_move = table_move.filter(|&mv| exchange_is_at_least(position, mv, target - eval));
        let choice = Choice::Captures { at_least: target - eval };
        let mut picker = Picker::new(choice, table_move, Refutations::NONE, self.trail(ply));
        while let Some(mv) = picker.next(position, &self.memory.histories, &mut self.memory.scratch[ply]) {
            let child = position.play(mv);
            self.enter(ply, Footprint::of(mv), child.key());
            let mut value = -self.quiescence::<NonPv>(&child, -target, -target + 1, ply + 1, Entry::Later);
            if value >= target {
                let expect = facts.expect.opposite();
                value = -self.node::<NonPv>(&child, -target, -target + 1, shallow, ply + 1, expect);
            }
            self.leave();
            if self.is_stopped() {
                return None;
            }
            if value >= target {
                let mv = PackedMove::pack(mv);
                let (eval, bound) = (facts.raw, Bound::Lower);
                let found = TableHit { mv, value, eval, depth: depth - 3, bound, on_pv: facts.on_pv };
                self.shared.table.store(position.key(), ply, found);
                return Some(value);
            }
        }
        None
    }
}
