//! Reconstruction of a run from its journal.

use std::io::Read;

use crate::journal::{Entry, EntryDetail, FORMAT, Frame, JournalEnd, ReadError, read_parallel};

use crate::run::effect::Effect;
use crate::run::event::{RunEvent, RunView};
use crate::run::plan::Plan;
use crate::run::playing_time::PlayingTime;
use crate::run::state::RunState;

/// A run reconstructed from its journal.
#[derive(Debug)]
pub struct Replayed {
    /// The state.
    pub state: RunState,
    /// The playing time.
    pub time: PlayingTime,
    /// How the journal ends.
    pub ending: JournalEnd,
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
    /// The plan beside it is not the one that was played.
    #[error("plan.toml has changed since the run began; a changed plan is a new run")]
    PlanChanged {
        /// The plan that was played, if the journal records it.
        played: String,
    },
    /// A record that this program cannot have written.
    #[error("record {seq} of the journal cannot be understood: {why}")]
    Strange {
        /// Its number.
        seq: u64,
        /// The error of the parser.
        why: serde_json::Error,
    },
}

/// What derived files already contain, so that it need not be computed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Pairs before this one are reported without their moves.
    pub games: u64,
    /// Pairs before this one are reported without the log-likelihood ratio: they are known not to have decided the test.
    pub llr: u64,
}

/// Replays the journal in `source`, whose plan has the SHA-256 `plan_hash`; `visit` receives every counted pair and
/// every fault, in order. Every byte is checked, whatever is `known`. A journal without a single record is that of a
/// run killed before it began.
pub fn replay(
    source: impl Read,
    plan: &Plan,
    plan_hash: &str,
    known: Known,
    mut visit: impl FnMut(&RunEvent, &RunView<'_>),
) -> Result<Replayed, ReplayError> {
    let mut state = RunState::new(plan).without_llr_before(known.llr);
    let mut time = PlayingTime::default();
    let detail = if known.games > 0 { EntryDetail::ResultsBefore(known.games) } else { EntryDetail::Full };
    let parse = |frame: Frame<'_>| {
        check_first_record(&frame, plan_hash)?;
        let entry = Entry::from_frame(&frame, detail);
        let entry = entry.map_err(|why| ReplayError::Strange { seq: frame.seq, why })?;
        Ok((frame.at(), entry))
    };
    let ending = read_parallel(source, parse, |(at, entry)| {
        time.note(&entry, at);
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

/// Checks that the first record of a journal is one that this program understands and that it names the plan with the SHA-256
/// `plan_hash`. Accepts all other records.
pub fn check_first_record(frame: &Frame<'_>, plan_hash: &str) -> Result<(), ReplayError> {
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
        Some(_) => match Entry::from_frame(frame, EntryDetail::Full) {
            Ok(Entry::Run { plan, .. }) if plan == plan_hash => Ok(()),
            Ok(Entry::Run { plan_text, .. }) => Err(ReplayError::PlanChanged { played: plan_text }),
            _ => Err(ReplayError::NoRun),
        },
        None => Err(ReplayError::NoRun),
    }
}
