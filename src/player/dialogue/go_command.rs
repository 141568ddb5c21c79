//! The `go` command with its limits.

use std::io::Write;
use std::time::Duration;

use crate::player::exchange::ThinkLimits;
use crate::protocol::uci::{GoLimits, Horizon};

/// The last `go` line, cached because fixed limits produce the same line for every move.
#[derive(Debug)]
pub(super) struct GoCommand {
    limits: ThinkLimits,
    horizon: Horizon,
    text: Vec<u8>,
}

impl GoCommand {
    pub(in crate::player) fn new() -> Self {
        Self { limits: ThinkLimits::default(), horizon: Horizon::Limits, text: Vec::with_capacity(128) }
    }

    /// Clears the cached line at the start of a game.
    pub(in crate::player) fn clear(&mut self) {
        self.text.clear();
    }

    /// Returns the last line; empty before the first question of a game.
    pub(in crate::player) fn last(&self) -> &[u8] {
        &self.text
    }

    /// Returns the line for these limits.
    pub(in crate::player) fn line(&mut self, limits: &ThinkLimits, horizon: Horizon) -> &[u8] {
        if self.text.is_empty() || (self.limits, self.horizon) != (*limits, horizon) {
            self.text.clear();
            (self.limits, self.horizon) = (*limits, horizon);
            // Writing to a vector does not fail.
            let _ = write!(self.text, "go{}", go_limits(limits, horizon));
        }
        &self.text
    }
}

fn go_limits(limits: &ThinkLimits, horizon: Horizon) -> GoLimits<'static> {
    // Some engines interpret 0 as having no clock at all.
    let clock = |time: Option<Duration>| time.map(|time| (time.as_millis() as i64).max(1));
    let plain = |time: Option<Duration>| time.map(|time| time.as_millis() as i64);
    let mut go = GoLimits {
        moves_to_go: limits.moves_to_go,
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: plain(limits.movetime),
        horizon,
        ..GoLimits::default()
    };
    go.time.white = clock(limits.time.white);
    go.time.black = clock(limits.time.black);
    go.increment.white = plain(limits.increment.white);
    go.increment.black = plain(limits.increment.black);
    let bare = GoLimits { horizon, ..GoLimits::default() };
    if go == bare && horizon == Horizon::Limits {
        // Without any limit an engine may stop at once or never; `infinite` lets the harness end the search at its
        // own cap.
        go.horizon = Horizon::Infinite;
    }
    go
}
