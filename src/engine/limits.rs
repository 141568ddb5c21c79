//! How long and how wide a search may go.

use std::time::Duration;

use crate::chess::Move;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// What is left.
    pub time: Duration,
    /// What each move adds.
    pub inc: Duration,
    /// Moves until the clock is topped up; `None` when it must last for the whole game.
    pub movestogo: Option<u32>,
}

/// When a search may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// As soon as a limit is reached.
    #[default]
    Normal,
    /// Not before it is told to stop, whatever it has found.
    Infinite,
    /// Not before it is told to stop or that the expected move was played; then the limits hold.
    Ponder,
}

/// What bounds one search. Several limits may stand at once; the first one reached ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Full plies.
    pub depth: Option<u32>,
    /// Positions visited, kept to the node with one thread.
    pub nodes: Option<u64>,
    /// This long, less the overhead.
    pub movetime: Option<Duration>,
    /// A share of a clock.
    pub clock: Option<Clock>,
    /// Ends once a mate in this many moves is found.
    pub mate: Option<u32>,
    /// When the search may answer.
    pub mode: SearchMode,
    /// Only these moves at the root; empty for all.
    pub searchmoves: Vec<Move>,
    /// How many best lines to report.
    pub multipv: usize,
    /// Time that is lost between the answer and the clock, and so never used.
    pub move_overhead: Duration,
}

impl Default for Limits {
    /// No limit: only a stop, or the deepest depth, ends such a search.
    fn default() -> Self {
        Self {
            depth: None,
            nodes: None,
            movetime: None,
            clock: None,
            mate: None,
            mode: SearchMode::Normal,
            searchmoves: Vec::new(),
            multipv: 1,
            move_overhead: Self::DEFAULT_MOVE_OVERHEAD,
        }
    }
}

impl Limits {
    /// Move overhead where none is set.
    pub const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(10);

    /// Full plies and nothing else.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Positions and nothing else.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A fixed time and nothing else.
    pub fn movetime(time: Duration) -> Self {
        Self { movetime: Some(time), ..Self::default() }
    }

    /// A clock and nothing else.
    pub fn clock(clock: Clock) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Returns whether a depth, a node count, a time, a clock or a mate ends the search.
    pub fn is_bounded(&self) -> bool {
        let Self { depth, nodes, movetime, clock, mate, .. } = self;
        depth.is_some() || nodes.is_some() || movetime.is_some() || clock.is_some() || mate.is_some()
    }
}
