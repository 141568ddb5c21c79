//! What the journal records: the kinds of its entries.

use serde::{Deserialize, Serialize};

use crate::game::{FaultBundle, VoidReason};
use crate::stats::{Hypothesis, Pentanomial};

use super::frame::Frame;
use super::game_entry::{GameEntry, GameGist};

/// The version of the entries below; a journal with a higher one is refused.
pub const FORMAT: u32 = 2;

/// One record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// The first record: what this journal belongs to.
    Run {
        /// [`FORMAT`] when it was written.
        format: u32,
        /// The version of the program.
        program: String,
        /// SHA-256 of the run's `plan.toml`.
        plan: String,
        /// Its text, to tell what was changed in it; not kept by old versions.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        plan_text: String,
    },
    /// A process took up the run.
    Session,
    /// A pair went to a slot.
    PairStarted {
        /// Its place in the schedule.
        pair: u64,
        /// The try at it.
        attempt: u32,
    },
    /// A game ended.
    Game(Box<GameEntry>),
    /// A pair does not count, by the host's fault.
    Void {
        /// Its place in the schedule.
        pair: u64,
        /// The try at it.
        attempt: u32,
        /// Why.
        #[serde(flatten)]
        reason: VoidReason,
    },
    /// A pair was in flight when its process ended.
    Abandoned {
        /// Its place in the schedule.
        pair: u64,
        /// The try at it.
        attempt: u32,
    },
    /// What an engine's fault left behind.
    Fault {
        /// All that is known about it.
        bundle: Box<FaultBundle>,
    },
    /// A sequential test ended.
    Decision {
        /// The claim accepted.
        accepted: Hypothesis,
        /// The ratio that crossed its bound.
        llr: f64,
        /// The pairs it rests on: the first of the schedule, so many.
        pairs: u64,
        /// Their counts.
        pentanomial: Pentanomial,
    },
    /// The run is over; nothing follows.
    Finished,
}

impl Entry {
    /// Reads the entry of a checked record.
    pub fn from_frame(frame: &Frame<'_>, detail: EntryDetail) -> serde_json::Result<Self> {
        // Games are nearly all of a journal, and reading them through the tag would copy every text twice.
        if !is_game(frame.json) {
            return frame.payload();
        }
        if let EntryDetail::ResultsBefore(pair) = detail {
            let result: GameEntry = frame.payload::<GameGist>()?.into();
            if result.pair < pair {
                return Ok(Self::Game(Box::new(result)));
            }
        }
        frame.payload().map(|game| Self::Game(Box::new(game)))
    }
}

/// How much of a journal's games is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryDetail {
    /// Everything.
    Full,
    /// Of pairs before this one only who played and how it ended: no position, no moves. For whoever has their moves
    /// already, it is several times faster.
    ResultsBefore(u64),
}

/// Whether a line's type, which follows its time, is that of a game.
fn is_game(line: &[u8]) -> bool {
    let head = &line[..line.len().min(96)];
    head.windows(14).any(|window| window == b",\"type\":\"game\"")
}
