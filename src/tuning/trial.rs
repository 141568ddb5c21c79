//! One trial of a tuner: two settings to be played against each other.

use serde::{Deserialize, Serialize};

use crate::tuning::space::Settings;

/// The number of a trial, counted from 0 in the order in which trials are proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Two settings for one pair of games; the score is given from the point of view of `plus`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The number of the trial.
    pub id: TrialId,
    /// Settings of the candidate.
    pub plus: Settings,
    /// Settings of its opponent.
    pub minus: Settings,
}
