//! Limits of a single move.

use crate::config::LimitsTable;
use crate::game::TimeControl;

/// Limits of one move; those that are given apply together.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct LimitFlags {
    /// Time in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=TimeControl::MAX_MOVETIME_MS), help_heading = "Thinking")]
    movetime: Option<u64>,
    /// Number of nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=TimeControl::MAX_NODES), help_heading = "Thinking")]
    nodes: Option<u64>,
    /// Search depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(TimeControl::MAX_DEPTH)), help_heading = "Thinking")]
    depth: Option<u32>,
}

impl LimitFlags {
    /// Returns the limits as a run file has them.
    pub fn table(&self) -> LimitsTable {
        LimitsTable {
            movetime_ms: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            ..LimitsTable::default()
        }
    }
}
