//! Thinking limits as written, of one engine or of all.

use crate::config::toml_reader::Fields;
use crate::game::{ClockRule, FirstIncrement, TimeControl};

/// Thinking limits as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsTable {
    /// `tc = "8+0.08"`.
    pub tc: Option<ClockRule>,
    /// `movetime_ms = 100`.
    pub movetime_ms: Option<u64>,
    /// `nodes = 20000`.
    pub nodes: Option<u64>,
    /// `depth = 8`.
    pub depth: Option<u32>,
    /// `margin_ms = 10`: the time by which a clock may be exceeded.
    pub margin_ms: Option<u64>,
    /// `first_increment = "before"`: whether the first move has the increment too.
    pub first_increment: Option<FirstIncrement>,
}

impl LimitsTable {
    /// Whether any limit is set.
    pub fn limits_thinking(&self) -> bool {
        self.tc.is_some() || self.movetime_ms.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// These limits where they are set, `other` elsewhere.
    pub fn or(self, other: Self) -> Self {
        let margin_ms = self.margin_ms.or(other.margin_ms);
        let first_increment = self.first_increment.or(other.first_increment);
        let chosen = if self.limits_thinking() { self } else { other };
        Self { margin_ms, first_increment, ..chosen }
    }

    /// The limits with defaults filled in.
    pub fn time_control(&self) -> TimeControl {
        TimeControl {
            clock: self.tc,
            movetime_ms: self.movetime_ms,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin_ms.unwrap_or(TimeControl::DEFAULT_MARGIN_MS),
            first_increment: self.first_increment.unwrap_or_default(),
        }
    }
}

impl From<TimeControl> for LimitsTable {
    fn from(limits: TimeControl) -> Self {
        Self {
            tc: limits.clock,
            movetime_ms: limits.movetime_ms,
            nodes: limits.nodes,
            depth: limits.depth,
            margin_ms: Some(limits.margin_ms),
            first_increment: Some(limits.first_increment),
        }
    }
}

/// Reads the keys of the limits.
pub(super) fn limits(fields: &mut Fields) -> LimitsTable {
    LimitsTable {
        tc: fields.parsed("tc"),
        movetime_ms: fields.whole("movetime_ms", 1, TimeControl::MAX_MOVETIME_MS),
        nodes: fields.whole("nodes", 1, TimeControl::MAX_NODES),
        depth: fields.whole("depth", 1, TimeControl::MAX_DEPTH),
        margin_ms: fields.whole("margin_ms", 0, TimeControl::MAX_MARGIN_MS),
        first_increment: fields.choice(
            "first_increment",
            &[("after", FirstIncrement::After), ("before", FirstIncrement::Before)],
        ),
    }
}
