//! Scores of positions by the built-in engine at a fixed number of nodes, the same on every machine.

use crate::chess::{GameLine, Position};
use crate::engine::{Limits, Score, Searcher, StopFlag, Unobserved};

/// Size of the transposition table of a search, in MiB.
const HASH_MB: usize = 4;

/// A searcher that forgets each position before the next.
pub(super) struct PositionScorer(Searcher);

impl PositionScorer {
    pub(super) fn new() -> Self {
        Self(Searcher::new(HASH_MB))
    }

    /// Returns centipawns for the side to move; `None` for a mate.
    pub(super) fn score(&mut self, position: &Position, nodes: u64) -> Option<i32> {
        self.0.new_game();
        let line = GameLine::new(*position);
        let limits = Limits::nodes(nodes.max(1));
        match self.0.search(&line, &limits, &StopFlag::new(), &mut Unobserved).score {
            Score::Cp(centipawns) => Some(centipawns),
            Score::Mate(_) => None,
        }
    }
}
