//! The moves of the root, ranked by what the search found behind each.

use crate::chess::{Move, Position};
use crate::engine::score::{INFINITE, Value};

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RootMove {
    pub(in crate::engine) mv: Move,
    /// The score, or minus infinity where the move only failed to beat another.
    pub(in crate::engine) value: Value,
    /// The score of the iteration before.
    pub(super) previous: Value,
    /// The line behind it, the move first.
    pub(in crate::engine) line: Vec<Move>,
    pub(super) seldepth: usize,
    /// Nodes spent on it in the whole search.
    pub(super) effort: u64,
}

/// The root's moves, best first, and which line of several is being searched.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RootMoves {
    moves: Vec<RootMove>,
    rank: usize,
}

impl RootMoves {
    /// The legal moves of `position`, or those of them that are asked for. Asking for none that is legal is
    /// asking for all, so that there is always an answer where the rules have one.
    pub(in crate::engine) fn new(position: &Position, wanted: &[Move]) -> Self {
        let legal = position.legal_moves();
        let any = legal.iter().any(|mv| wanted.contains(mv));
        let moves = legal.iter().filter(|mv| !any || wanted.contains(mv)).map(|&mv| RootMove {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            line: vec![mv],
            seldepth: 0,
            effort: 0,
        });
        Self { moves: moves.collect(), rank: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.moves.len()
    }

    pub(in crate::engine) const fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    pub(in crate::engine) fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }

    /// The first `lines` moves, best first.
    pub(super) fn top(&self, lines: usize) -> &[RootMove] {
        &self.moves[..lines.min(self.moves.len())]
    }

    /// The line being searched.
    pub(super) fn current(&self) -> &RootMove {
        &self.moves[self.rank]
    }

    /// Searches the line of this rank next; better ones are left out.
    pub(super) const fn select(&mut self, rank: usize) {
        self.rank = rank;
    }

    /// Keeps the scores to compare the next iteration with. Only the best move's still counts: an iteration that
    /// is cut short after the best move fell must not rank another by what an earlier one thought of it.
    pub(super) fn begin_iteration(&mut self) {
        for (rank, root) in self.moves.iter_mut().enumerate() {
            root.previous = root.value;
            if rank > 0 {
                root.value = -INFINITE;
            }
        }
    }

    /// Whether the line being searched may start with `mv`.
    pub(super) fn offers(&self, mv: Move) -> bool {
        self.moves[self.rank..].iter().any(|root| root.mv == mv)
    }

    /// Whether better lines are left out.
    pub(super) const fn is_secondary(&self) -> bool {
        self.rank > 0
    }

    /// Sorts what the current search touched.
    pub(super) fn rank_unfinished(&mut self) {
        self.moves[self.rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    /// Sorts what the current search touched, then the finished lines among themselves.
    pub(super) fn rank_current(&mut self) {
        self.rank_unfinished();
        self.moves[..=self.rank].sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    pub(super) fn get_mut(&mut self, mv: Move) -> Option<&mut RootMove> {
        self.moves.iter_mut().find(|root| root.mv == mv)
    }
}
