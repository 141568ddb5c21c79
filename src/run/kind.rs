//! The three kinds of runs.

use serde::{Deserialize, Serialize};

use crate::game::TimeControl;
use crate::stats::SprtConfig;
use crate::tuning::TunerPlan;

/// What a run is for, and when it ends.
#[derive(Clone, Debug, PartialEq)]
pub enum RunKind {
    /// A match or tournament: a number of pairs is played and counted.
    Match {
        /// Where it ends.
        pairs: u64,
    },
    /// A sequential test of the candidate against the baseline.
    Test {
        /// The test.
        sprt: SprtConfig,
        /// Where it ends at the latest.
        max_pairs: Option<u64>,
    },
    /// A search for better values. Its engines are the same program twice, with different values.
    Tuning {
        /// What is tuned, and how long.
        tuner: Box<TunerPlan>,
        /// The test that the tuned values must pass, if any.
        accept: Option<AcceptPlan>,
    },
}

/// The test that follows a tuning run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptPlan {
    /// Where it ends at the latest.
    pub max_pairs: Option<u64>,
    /// How long it may take, where the budget is in hours and `max_pairs` is not set; becomes pairs when it starts.
    #[serde(default)]
    pub hours: Option<f64>,
    /// The thinking limits of its engines.
    pub limits: TimeControl,
    /// The test.
    pub sprt: SprtConfig,
}
