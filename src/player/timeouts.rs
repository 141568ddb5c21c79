//! How long, and how much, the harness bears from an engine.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of every wait and every stream of one engine.
///
/// Each duration is the length of an absolute deadline: output does not extend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeouts {
    /// From start to `uciok`.
    pub start: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `ucinewgame` to the `readyok` that follows it.
    pub new_game: Duration,
    /// From `stop` to `bestmove`, once a search is of no more use.
    pub stop: Duration,
    /// From `quit` to SIGTERM.
    pub quit: Duration,
    /// From SIGTERM to SIGKILL.
    pub term: Duration,
    /// For a move without a clock: fixed nodes, fixed depth.
    pub move_cap: Duration,
    /// For the engine to read what we write while its pipe is full.
    pub write: Duration,
    /// The longest line kept; the rest of a longer one is dropped.
    pub line_bytes: usize,
    /// The most output for one move.
    pub move_bytes: usize,
    /// How much of the end of stderr is kept.
    pub stderr_bytes: usize,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            new_game: Duration::from_secs(60),
            stop: Duration::from_secs(2),
            quit: Duration::from_secs(2),
            term: Duration::from_secs(1),
            move_cap: Duration::from_secs(300),
            write: Duration::from_secs(10),
            line_bytes: 64 << 10,
            move_bytes: 32 << 20,
            stderr_bytes: 64 << 10,
        }
    }
}
