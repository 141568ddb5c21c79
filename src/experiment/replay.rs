//! A run taken up from its journal.

use std::io::Read;

use crate::journal::{Ending, Entry, FORMAT, Frame, ReadError, read_all};

use super::event::{RunEvent, RunView};
use super::plan::Plan;
use super::playing_time::PlayingTime;
use super::state::{Effect, RunState};

/// A run as its journal tells it.
#[derive(Debug)]
pub struct Replayed {
    /// Where it stands.
    pub state: RunState,
    /// How long it has been played.
    pub time: PlayingTime,
    /// How the journal ends.
    pub ending: Ending,
}

/// Why a journal cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It is damaged, or cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A newer program wrote it.
    #[error(
        "the journal has format {found}, this program knows formats up to {FORMAT}: use the program that wrote it"
    )]
    Newer {
        /// The format it states.
        found: u32,
    },
    /// It does not begin as a journal does.
    #[error("the journal does not begin with the record of a run")]
    NoRun,
    /// The plan beside it is not the one it was played by.
    #[error("plan.toml has changed since the run began; a changed plan is a new run")]
    PlanChanged,
    /// A record that this program cannot have written.
    #[error("record {seq} of the journal cannot be understood: {why}")]
    Strange {
        /// Its number.
        seq: u64,
        /// What the parser said.
        why: serde_json::Error,
    },
}

/// Replays the journal in `source`, whose plan has the SHA-256 `plan_hash`; `visit` is told every counted pair and
/// every fault, in order. The test's ratio is worked out from pair `llr_from` on; earlier pairs, known not to have
/// decided anything, are told without it. A journal without a single record is that of a run killed before it began.
pub fn replay(
    source: impl Read,
    plan: &Plan,
    plan_hash: &str,
    llr_from: u64,
    mut visit: impl FnMut(&RunEvent, &RunView<'_>),
) -> Result<Replayed, ReplayError> {
    let mut state = RunState::new(plan).without_llr_before(llr_from);
    let mut time = PlayingTime::default();
    let ending = read_all(source, |frame| {
        let strange = |why| ReplayError::Strange { seq: frame.seq, why };
        check_first(&frame, plan_hash)?;
        let entry = Entry::from_frame(&frame).map_err(strange)?;
        time.note(&entry, frame.at());
        if let Entry::Fault { bundle } = &entry {
            let view = RunView { plan, state: &state, seconds: time.seconds() };
            visit(&RunEvent::Fault(bundle.clone()), &view);
        }
        for effect in state.replay(entry) {
            if let Effect::Counted(pair) = effect {
                let view = RunView { plan, state: &state, seconds: time.seconds() };
                visit(&RunEvent::Counted(pair), &view);
            }
        }
        Ok::<_, ReplayError>(())
    })?;
    state.update_llr();
    Ok(Replayed { state, time, ending })
}

fn check_first(frame: &Frame<'_>, plan_hash: &str) -> Result<(), ReplayError> {
    #[derive(serde::Deserialize)]
    struct Format {
        format: Option<u32>,
    }
    if frame.seq > 0 {
        return Ok(());
    }
    let stated: Format = frame.payload().map_err(|_| ReplayError::NoRun)?;
    match stated.format {
        Some(found) if found > FORMAT => Err(ReplayError::Newer { found }),
        Some(_) => match Entry::from_frame(frame) {
            Ok(Entry::Run { plan, .. }) if plan == plan_hash => Ok(()),
            Ok(Entry::Run { .. }) => Err(ReplayError::PlanChanged),
            _ => Err(ReplayError::NoRun),
        },
        None => Err(ReplayError::NoRun),
    }
}
