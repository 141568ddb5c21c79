//! The limits of a search.

use std::time::Duration;

use crate::chess::Move;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Remaining time.
    pub time: Duration,
    /// Increment per move.
    pub inc: Duration,
    /// Moves until the next time control; `None` if the time is for the rest of the game.
    pub movestogo: Option<u32>,
}

/// When a search may return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// As soon as a limit is reached.
    #[default]
    Normal,
    /// Not before [`StopFlag::stop`](crate::engine::StopFlag::stop).
    Infinite,
    /// Not before [`StopFlag::stop`](crate::engine::StopFlag::stop) or
    /// [`StopFlag::ponderhit`](crate::engine::StopFlag::ponderhit); after a ponder hit, the limits apply.
    Ponder,
}

/// The limits of one search. Several may be set; the first one reached ends the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum depth in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes; exact with one thread.
    pub nodes: Option<u64>,
    /// Time for the move, including the overhead.
    pub movetime: Option<Duration>,
    /// Clock of the side to move; the search uses a part of it.
    pub clock: Option<Clock>,
    /// The search ends when it has found a mate in at most this many moves.
    pub mate: Option<u32>,
    /// When the search may return.
    pub mode: SearchMode,
    /// Root moves to search; empty for all.
    pub searchmoves: Vec<Move>,
    /// Number of principal variations.
    pub multipv: usize,
    /// Time reserved for the delay between the engine and the clock of the game.
    pub move_overhead: Duration,
}

impl Default for Limits {
    /// No limit: only a stop or the maximum depth ends the search.
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
    /// Default of [`Limits::move_overhead`].
    pub const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(10);

    /// Limits the search by depth only.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Limits the search by nodes only.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Limits the search by a fixed time only.
    pub fn movetime(time: Duration) -> Self {
        Self { movetime: Some(time), ..Self::default() }
    }

    /// Limits the search by a clock only.
    pub fn clock(clock: Clock) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Returns whether a depth, a node count, a time, a clock or a mate ends the search.
    pub fn is_bounded(&self) -> bool {
        let Self { depth, nodes, movetime, clock, mate, .. } = self;
        depth.is_some() || nodes.is_some() || movetime.is_some() || clock.is_some() || mate.is_some()
    }
}
