//! The root moves, sorted by their scores.

use crate::chess::{Move, Position};
use crate::engine::score::{INFINITE, Value};

/// A root move with its search results.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RootMove {
    pub(in crate::engine) mv: Move,
    /// The score, or minus infinity if the move did not raise alpha.
    pub(in crate::engine) value: Value,
    /// The score of the previous iteration.
    pub(super) previous: Value,
    /// The principal variation, starting with the move.
    pub(in crate::engine) line: Vec<Move>,
    pub(super) seldepth: usize,
    /// Nodes spent on the move in the whole search.
    pub(super) effort: u64,
}

/// The root moves, best first, and the rank of the principal variation that is being searched (MultiPV).
#[derive(Clone, Debug)]
pub(in crate::engine) struct RootMoves {
    moves: Vec<RootMove>,
    rank: usize,
}

impl RootMoves {
    /// Creates the list of legal moves of `position`, limited to `searchmoves`. If none of these is legal, all legal moves
    /// are searched, so that there is always a move if there is a legal one.
    pub(in crate::engine) fn new(position: &Position, searchmoves: &[Move]) -> Self {
        let legal = position.legal_moves();
        let any = legal.iter().any(|mv| searchmoves.contains(mv));
        let moves = legal.iter().filter(|mv| !any || searchmoves.contains(mv)).map(|&mv| RootMove {
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

    /// Returns the best `lines` moves, best first.
    pub(super) fn top(&self, lines: usize) -> &[RootMove] {
        &self.moves[..lines.min(self.moves.len())]
    }

    /// Returns the best move of the variation being searched.
    pub(super) fn current(&self) -> &RootMove {
        &self.moves[self.rank]
    }

    /// Selects the rank to search next; the moves of better ranks are excluded.
    pub(super) const fn select(&mut self, rank: usize) {
        self.rank = rank;
    }

    /// Stores the scores as those of the previous iteration. Only the best move keeps its current score: an iteration that
    /// is stopped after the score of the best move fell must not rank another move by the score of an earlier iteration.
    pub(super) fn begin_iteration(&mut self) {
        for (rank, root) in self.moves.iter_mut().enumerate() {
            root.previous = root.value;
            if rank > 0 {
                root.value = -INFINITE;
            }
        }
    }

    /// Whether `mv` is searched at the current rank.
    pub(super) fn includes(&self, mv: Move) -> bool {
        self.moves[self.rank..].iter().any(|root| root.mv == mv)
    }

    /// Whether moves of better ranks are excluded.
    pub(super) const fn is_secondary(&self) -> bool {
        self.rank > 0
    }

    /// Sorts the moves from the current rank on.
    pub(super) fn sort_remaining(&mut self) {
        self.moves[self.rank..].sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    /// Sorts the moves from the current rank on, then the finished ranks.
    pub(super) fn sort(&mut self) {
        self.sort_remaining();
        self.moves[..=self.rank].sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    pub(super) fn get_mut(&mut self, mv: Move) -> Option<&mut RootMove> {
        self.moves.iter_mut().find(|root| root.mv == mv)
    }
}
