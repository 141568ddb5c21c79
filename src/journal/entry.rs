//! Kinds of journal entries.

use serde::de::Error;
use serde::{Deserialize, Serialize};

use crate::game::{FaultBundle, PairPart, VoidReason};
use crate::stats::{Hypothesis, Pentanomial};

use super::fleet_record::{Claim, FleetSession, WorkerFacts};
use super::frame::Frame;
use super::game_entry::{GameEntry, GameOutline};

/// Version of the entries below; a journal with a higher version is refused.
pub const FORMAT: u32 = 3;

/// The highest index of a pair or of an opening, and the highest number of an attempt. No run comes near them.
const MAX_PAIR: u64 = 1 << 50;
const MAX_ATTEMPT: u32 = 1 << 30;

/// One entry of the journal of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// The first entry, which identifies the run.
    Run {
        /// Value of [`FORMAT`] when the entry was written.
        format: u32,
        /// Version of the program.
        program: String,
        /// SHA-256 of the run's `plan.toml`.
        plan: String,
        /// Text of `plan.toml`, for comparing a changed plan; absent in journals of old versions.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        plan_text: String,
    },
    /// A process started or resumed the run, or a pause ended.
    Session {
        /// The machine, if a process started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The fleet that plays, if other machines do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fleet: Option<FleetSession>,
    },
    /// A pair was assigned to a slot.
    PairStarted {
        /// Index of the pair in the schedule.
        pair: u64,
        /// Attempt at the pair.
        attempt: u32,
        /// Its games that are played together.
        #[serde(default, skip_serializing_if = "PairPart::is_both")]
        part: PairPart,
    },
    /// A game ended.
    Game(Box<GameEntry>),
    /// A pair does not count because of a failure of the host.
    Void {
        /// Index of the pair in the schedule.
        pair: u64,
        /// Attempt at the pair.
        attempt: u32,
        /// Its games that were played together.
        #[serde(default, skip_serializing_if = "PairPart::is_both")]
        part: PairPart,
        /// The reason.
        #[serde(flatten)]
        reason: VoidReason,
        /// The machine on which it became void, if it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A pair was in progress when its process ended.
    Abandoned {
        /// Index of the pair in the schedule.
        pair: u64,
        /// Attempt at the pair.
        attempt: u32,
        /// Its games that were played together.
        #[serde(default, skip_serializing_if = "PairPart::is_both")]
        part: PairPart,
    },
    /// A machine of the fleet began to play a pair.
    Claimed {
        /// Index of the pair in the schedule.
        pair: u64,
        /// Attempt at the pair.
        attempt: u32,
        /// The machine and its claim.
        #[serde(flatten)]
        claim: Claim,
    },
    /// A machine of the fleet plays for this run.
    Worker(WorkerFacts),
    /// A machine of the fleet is excluded: it gets no more pairs; or it is admitted again.
    #[serde(rename = "quarantined")]
    WorkerExcluded {
        /// Name of the machine.
        worker: String,
        /// The reason; absent if it was admitted again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Evidence about the fault of an engine.
    Fault {
        /// The fault bundle.
        bundle: Box<FaultBundle>,
    },
    /// A sequential test ended.
    Decision {
        /// The accepted hypothesis.
        accepted: Hypothesis,
        /// The log-likelihood ratio that crossed its bound.
        llr: f64,
        /// Number of pairs on which the decision is based: the first ones of the schedule.
        pairs: u64,
        /// Counts of these pairs.
        pentanomial: Pentanomial,
    },
    /// The run is complete; no entry follows.
    Finished,
}

impl Entry {
    /// Parses the entry of a validated record.
    pub fn from_frame(frame: &Frame<'_>, detail: EntryDetail) -> serde_json::Result<Self> {
        // Most entries are games, and parsing them through the enum's tag would copy every text twice.
        if !is_game(frame.json) {
            return frame.payload::<Self>()?.checked();
        }
        if let EntryDetail::ResultsBefore(pair) = detail {
            let result: GameEntry = frame.payload::<GameOutline>()?.into();
            if result.pair < pair {
                return Self::Game(Box::new(result)).checked();
            }
        }
        frame.payload().map(|game| Self::Game(Box::new(game)))?.checked()
    }

    /// Refuses numbers that no run writes, so that nothing that is computed from them overflows.
    fn checked(self) -> serde_json::Result<Self> {
        let (pair, attempt) = match &self {
            Self::PairStarted { pair, attempt, .. }
            | Self::Void { pair, attempt, .. }
            | Self::Abandoned { pair, attempt, .. }
            | Self::Claimed { pair, attempt, .. } => (*pair, *attempt),
            Self::Game(game) => (game.pair.max(game.opening), game.attempt),
            Self::Fault { bundle } => (bundle.pair, bundle.attempt),
            Self::Decision { pairs, .. } => (*pairs, 0),
            Self::Run { .. }
            | Self::Session { .. }
            | Self::Worker(_)
            | Self::WorkerExcluded { .. }
            | Self::Finished => (0, 0),
        };
        if pair > MAX_PAIR || attempt > MAX_ATTEMPT {
            return Err(Error::custom("it has a number that no run writes"));
        }
        Ok(self)
    }
}

/// How much of each game is read from a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryDetail {
    /// All fields.
    Full,
    /// For pairs before this one, only the engines and the result, without position and moves. Several times faster
    /// for a caller that already has the moves.
    ResultsBefore(u64),
}

/// Returns whether the type of a line, which follows its time, is that of a game.
fn is_game(line: &[u8]) -> bool {
    let head = &line[..line.len().min(96)];
    head.windows(14).any(|window| window == b",\"type\":\"game\"")
}
