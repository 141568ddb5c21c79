//! What a journal records about other machines that play its pairs.

use serde::{Deserialize, Serialize};

/// The fleet of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetSession {
    /// Name of the run in the fleet: 16 hexadecimal digits.
    pub run: String,
    /// Address of the server, without secrets.
    pub url: String,
}

/// The claim of a machine to a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Number of the delivery of the pair's job, from 1.
    pub delivery: u64,
    /// Name of the machine.
    pub worker: String,
    /// Factor of its time control, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
}

/// A machine that plays pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFacts {
    /// Its name.
    pub worker: String,
    /// Version of its program.
    pub program: String,
    /// Its processor.
    pub cpu: String,
    /// Its architecture and system.
    pub target: String,
    /// Pairs that it can play at once.
    pub slots: usize,
    /// Speed of the baseline on it, in nodes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Factor of its time control, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
}
