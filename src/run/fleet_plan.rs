//! How a run is played by the workers of a fleet.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Settings of a run for a fleet. None of them changes a result at fixed nodes or depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FleetPlan {
    /// Address of the server; without one the run is played on this machine unless the command line has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// File with the key of the coordinator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// File with the certificate of the server's authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// Speed of the baseline to which clocks are scaled, in nodes per second; measured on this machine without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<u64>,
    /// Slowest machine that may play with a clock, as a part of the reference.
    pub slowest: f64,
    /// Pairs started beyond the last one that counts, for every slot.
    pub ahead: u64,
    /// Runs of a higher priority are served first.
    pub priority: i32,
    /// Share among runs of the same priority.
    pub weight: u32,
    /// Part of the pairs that a second worker plays as well, where the engines play the same moves everywhere.
    pub audit: f64,
    /// Time after which a job that no worker extends is given to another, in milliseconds.
    pub lease_ms: u64,
    /// Time between two signs of life of a worker, in milliseconds.
    pub beat_ms: u64,
    /// Time between two comparisons of the jobs on the server with the pairs in flight, in milliseconds.
    pub reconcile_ms: u64,
}

impl Default for FleetPlan {
    fn default() -> Self {
        Self {
            url: None,
            key: None,
            ca: None,
            reference_nps: None,
            slowest: 0.6,
            ahead: 6,
            priority: 0,
            weight: 100,
            audit: 0.01,
            lease_ms: 60_000,
            beat_ms: 10_000,
            reconcile_ms: 30_000,
        }
    }
}

impl FleetPlan {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
