//! Time and size limits for the communication with an engine.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of every wait and every stream of one engine.
///
/// Each duration defines an absolute deadline, which output does not extend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeouts {
    /// From start to `uciok`.
    pub start: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `ucinewgame` to the `readyok` that follows it.
    pub new_game: Duration,
    /// From `stop` to `bestmove`, when the result of a search is no longer needed.
    pub stop: Duration,
    /// From `quit` to SIGTERM.
    pub quit: Duration,
    /// From SIGTERM to SIGKILL.
    pub term: Duration,
    /// For a move without a clock: fixed nodes or fixed depth.
    pub move_cap: Duration,
    /// For the engine to read its input while the pipe is full.
    pub write: Duration,
    /// Longest line kept; longer lines are dropped.
    pub line_bytes: usize,
    /// Maximum output for one move.
    pub move_bytes: usize,
    /// Number of bytes kept from the end of stderr.
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
