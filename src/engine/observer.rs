//! What a search tells while it runs, and what it answers.

use std::time::Duration;

use crate::chess::Move;
use crate::engine::Score;

/// How a reported score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the score.
    Exact,
    /// The score is at least this.
    Lower,
    /// The score is at most this.
    Upper,
}

/// One line of analysis, told as it is found.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Full plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The line's rank among the best ones, from 1.
    pub multipv: usize,
    /// What it is worth to the side to move.
    pub score: Score,
    /// How that score is meant.
    pub bound: Bound,
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Positions per second.
    pub nps: u64,
    /// How full the table is, in thousandths.
    pub hashfull: u32,
    /// Since the search began.
    pub time: Duration,
    /// The line, the root's move first.
    pub pv: Vec<Move>,
}

/// Whoever wants to hear about a search while it runs.
pub trait SearchObserver {
    /// A line was completed, improved or refuted.
    fn info(&mut self, info: &SearchInfo);
}

/// An observer that does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl SearchObserver for Unobserved {
    fn info(&mut self, _info: &SearchInfo) {}
}

/// Collects everything it is told.
impl SearchObserver for Vec<SearchInfo> {
    fn info(&mut self, info: &SearchInfo) {
        self.push(info.clone());
    }
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchReport {
    /// The move to play; `None` only when there is no legal one.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// The deepest completed iteration.
    pub depth: u32,
    /// Positions visited by all threads.
    pub nodes: u64,
}
