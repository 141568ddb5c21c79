//! What a finished node leaves behind in the records of its moves and of the evaluation.

use crate::chess::{Move, Position};
use crate::engine::Bound;
use crate::engine::score::{Value, is_mate};
use crate::engine::search::history::Trail;
use crate::engine::search::node::Facts;
use crate::engine::search::picker::taken_kind;
use crate::engine::search::pruning;
use crate::engine::search::thread::Search;

/// Moves tried before the one that cut, as many as are worth remembering.
pub(super) struct Tried {
    moves: [Move; 32],
    len: usize,
}

impl Tried {
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
    pub(super) fn record(&self, position: &Position, mv: Move, trail: &Trail) -> i32 {
        if mv.is_tactical() {
            self.memory.histories.capture(mv, taken_kind(position, mv))
        } else {
            self.memory.histories.quiet(mv, trail)
        }
    }

    /// Step 14: the move that cut gains, those tried before it lose.
    pub(super) fn reward(
        &mut self,
        position: &Position,
        mv: Move,
        quiets: &Tried,
        captures: &Tried,
        facts: &Facts,
    ) {
        let Facts { ply, depth, .. } = *facts;
        let (bonus, malus) =
            (pruning::history_bonus(self.params(), depth), pruning::history_malus(self.params(), depth));
        let trail = self.trail(ply);
        let last = self.last_footprint(ply);
        if mv.is_tactical() {
            self.memory.histories.update_capture(mv, taken_kind(position, mv), bonus);
        } else {
            let killers = &mut self.frame_mut(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
            self.memory.histories.set_counter(last, mv);
            self.memory.histories.update_quiet(mv, &trail, bonus);
            for tried in quiets.iter() {
                self.memory.histories.update_quiet(tried, &trail, -malus);
            }
        }
        for tried in captures.iter() {
            self.memory.histories.update_capture(tried, taken_kind(position, tried), -malus);
        }
    }

    /// Step 14: learns from the difference between the static score and the found one, where it is a fair one.
    pub(super) fn learn_error(
        &mut self,
        position: &Position,
        best_move: Option<Move>,
        value: Value,
        bound: Bound,
        facts: &Facts,
    ) {
        let Some(eval) = facts.eval else { return };
        let tactical = best_move.is_some_and(Move::is_tactical);
        let says_nothing = match bound {
            Bound::Lower => value <= eval,
            Bound::Upper => value >= eval,
            Bound::Exact => false,
        };
        if !tactical && !says_nothing && !is_mate(value) {
            let last = self.last_footprint(facts.ply);
            self.memory.corrections.learn(position, last, value - eval, facts.depth);
        }
    }
}
