//! How a run ended, and its exit status.

use crate::stats::{Decision, Hypothesis};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// All pairs were played; nothing was tested.
    Finished,
    /// The test was decided.
    Decided(Decision),
    /// The test reached its last pair undecided.
    Undecided,
    /// All pairs were played but those of quarantined engines, which are named.
    Quarantined(String),
    /// The user or the system stopped it; it can be resumed.
    Interrupted,
    /// A fault stopped it; it can be resumed.
    Faulty(String),
}

impl RunOutcome {
    /// The exit status of the program.
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Finished | Self::Decided(Decision { accepted: Hypothesis::Alternative, .. }) => 0,
            Self::Decided(Decision { accepted: Hypothesis::Null, .. }) => 1,
            Self::Undecided => 3,
            Self::Quarantined(_) | Self::Faulty(_) => 4,
            Self::Interrupted => 130,
        }
    }

    /// Returns the outcome as one word for scripts.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Decided(Decision { accepted: Hypothesis::Alternative, .. }) => "accepted",
            Self::Decided(Decision { accepted: Hypothesis::Null, .. }) => "rejected",
            Self::Undecided => "undecided",
            Self::Quarantined(_) => "quarantined",
            Self::Interrupted => "interrupted",
            Self::Faulty(_) => "fault",
        }
    }

    /// Whether nothing is left to play.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Finished | Self::Decided(_) | Self::Undecided | Self::Quarantined(_))
    }
}
