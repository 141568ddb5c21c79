//! One question of a tuner: two settings to be played against each other.

use serde::{Deserialize, Serialize};

use crate::tuning::space::Settings;

/// The number of a trial, counted from 0 in the order of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Two settings for one pair of games; the score is told from the side of `plus`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which trial this is.
    pub id: TrialId,
    /// What the candidate plays with.
    pub plus: Settings,
    /// What its opponent plays with.
    pub minus: Settings,
}
