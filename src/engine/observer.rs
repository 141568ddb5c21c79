//! Reports of a search while it runs, and its result.

use std::time::Duration;

use crate::chess::Move;
use crate::engine::Score;

/// Whether a reported score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The exact score.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// One principal variation, reported as it is found.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Selective depth: length of the longest line searched, in plies.
    pub seldepth: u32,
    /// Rank of the line among the best ones, from 1.
    pub multipv: usize,
    /// Score from the side to move.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes visited by all threads.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Use of the transposition table, in thousandths.
    pub hashfull: u32,
    /// Positions that the endgame tables knew; `None` without tables.
    pub table_hits: Option<u64>,
    /// Time since the start of the search.
    pub time: Duration,
    /// The line, starting with the root move.
    pub pv: Vec<Move>,
}

/// Receives the reports of a search while it runs.
pub trait SearchObserver {
    /// Called when a line was completed, or failed high or low.
    fn info(&mut self, info: &SearchInfo);
}

/// An observer that discards all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl SearchObserver for Unobserved {
    fn info(&mut self, _info: &SearchInfo) {}
}

/// Collects all reports.
impl SearchObserver for Vec<SearchInfo> {
    fn info(&mut self, info: &SearchInfo) {
        self.push(info.clone());
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchReport {
    /// The best move; `None` only if there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// Score from the side to move.
    pub score: Score,
    /// Depth of the last completed iteration.
    pub depth: u32,
    /// Nodes visited by all threads.
    pub nodes: u64,
}
