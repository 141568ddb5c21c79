//! The outcome of a tuning run: its values, its estimated gain and the test of its values.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::journal::{LockedFile, is_finished};
use crate::report::number_text::{counted, signed};
use crate::report::{Summary, Verdict};
use crate::run::{AfterRun, RunReader, RunView, plan_from_toml};
use crate::stats::Elo;
use crate::store::{RunFolder, open_own, read_own};
use crate::tuning::{GainEstimate, ParameterReport, Tuner};

/// The longest plan of an acceptance test; one of 10,000 weights has a tenth of it.
const MAX_PLAN: u64 = 32 << 20;

/// How far the test of tuned values has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceState {
    /// The plan has no test.
    #[default]
    NotPlanned,
    /// The tuning has not finished.
    Tuning,
    /// The tuner found nothing better than the start.
    NothingToTest,
    /// The tuning has finished and its test has not begun.
    NotStarted,
    /// The test has begun and not ended.
    Unfinished,
    /// The test accepted the values.
    Accepted,
    /// The test rejected the values.
    Rejected,
    /// The test reached its last pair without a decision.
    Undecided,
}

impl AcceptanceState {
    /// Returns the state in a word or two, or `None` without a test.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::NotPlanned => None,
            Self::Tuning => Some("tuning"),
            Self::NothingToTest => Some("nothing to test"),
            Self::NotStarted => Some("not tested"),
            Self::Unfinished => Some("in test"),
            Self::Accepted => Some("accepted"),
            Self::Rejected => Some("rejected"),
            Self::Undecided => Some("undecided"),
        }
    }
}

/// The outcome of a tuning run in numbers. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct TuningSummary {
    pub gain: Option<GainEstimate>,
    pub remaining_loss: Option<Elo>,
    pub parameters: Vec<ParameterReport>,
    pub acceptance: AcceptanceState,
    /// The summary of the test, as far as it was played.
    pub test: Option<Box<Summary>>,
}

impl TuningSummary {
    /// Returns the outcome of a run whose acceptance test, if any, is in `folder`. Returns `None` for any other run.
    pub fn of(view: &RunView<'_>, folder: &RunFolder) -> Option<Self> {
        let report = view.state.tuner().map(Tuner::final_report)?;
        let follows = view.state.outcome().map(|outcome| AfterRun::of(view.plan, view.state, &outcome));
        let acceptance = match (view.plan.acceptance(), follows) {
            (None, _) => AcceptanceState::NotPlanned,
            (Some(_), Some(AfterRun::NothingToTest)) => AcceptanceState::NothingToTest,
            (Some(_), Some(AfterRun::Test(_))) => AcceptanceState::NotStarted,
            (Some(_), Some(AfterRun::Nothing) | None) => AcceptanceState::Tuning,
        };
        let mut summary = Self {
            gain: report.gain,
            remaining_loss: report.remaining_loss,
            parameters: report.parameters,
            acceptance,
            test: None,
        };
        summary.read_test(folder);
        Some(summary)
    }

    /// Updates the state of the test from its folder.
    pub(super) fn read_test(&mut self, folder: &RunFolder) {
        if !matches!(self.acceptance, AcceptanceState::NotStarted | AcceptanceState::Unfinished) {
            return;
        }
        // A link may lead to any folder.
        let is_own = fs::symlink_metadata(folder.acceptance()).is_ok_and(|about| about.is_dir());
        let Some(test) = RunFolder::open(&folder.acceptance()).ok().filter(|_| is_own) else { return };
        let summary = test_summary(&test).ok();
        self.acceptance = match summary.as_ref().map(|summary| summary.verdict) {
            Some(Verdict::Accepted) => AcceptanceState::Accepted,
            Some(Verdict::Rejected) => AcceptanceState::Rejected,
            Some(Verdict::Undecided | Verdict::NoTest) if is_finished(&test) => AcceptanceState::Undecided,
            Some(Verdict::Undecided | Verdict::NoTest) | None => AcceptanceState::Unfinished,
        };
        self.test = summary.map(Box::new);
    }

    /// Returns the outcome in one sentence.
    pub fn sentence(&self, pairs: u64) -> String {
        let tuned = match self.gain {
            // The best values are those of the start.
            Some(gain) if gain.error.0 <= 0.0 => format!("No gain yet after {}", counted(pairs, "pair")),
            Some(gain) => {
                let gain = format!("{} ± {:.1} Elo estimated", signed(gain.elo.0, 1), gain.error.0);
                format!("{gain} gain after {}", counted(pairs, "pair"))
            }
            None => {
                let weights = counted(self.parameters.len() as u64, "weight");
                format!("{weights} tuned over {}", counted(pairs, "pair"))
            }
        };
        let measured = self.test.as_ref().map(|test| {
            let strength =
                if test.elo.is_some() { format!("{} Elo", test.elo_text()) } else { "no Elo".to_owned() };
            format!("{strength} over the start in {} of the acceptance test", counted(test.pairs, "pair"))
        });
        match (self.acceptance, measured) {
            (AcceptanceState::NotPlanned, _) => format!("{tuned}; not tested"),
            (AcceptanceState::Tuning, _) => tuned,
            (AcceptanceState::NothingToTest, _) => {
                format!("Nothing better than the start was found in {}", counted(pairs, "pair"))
            }
            (AcceptanceState::NotStarted, _) | (AcceptanceState::Unfinished, None) => {
                format!("{tuned}; the acceptance test has not been played")
            }
            (AcceptanceState::Unfinished, Some(measured)) => format!("In test: {measured} so far"),
            (AcceptanceState::Accepted, measured) => {
                let is_at_limit = self.test.as_ref().is_some_and(|test| test.is_decided_at_limit());
                let limit = if is_at_limit { " at the limit of pairs" } else { "" };
                format!("Accepted{limit}: {}", measured.unwrap_or(tuned))
            }
            (AcceptanceState::Rejected, measured) => format!("Rejected: {}", measured.unwrap_or(tuned)),
            (AcceptanceState::Undecided, measured) => format!("Undecided: {}", measured.unwrap_or(tuned)),
        }
    }
}

/// Returns the summary of an acceptance test: `summary.json` while a process keeps it up to date, otherwise that of the
/// journal, which is ahead of the file after a kill.
fn test_summary(test: &RunFolder) -> io::Result<Summary> {
    if is_current(test) {
        let summary: Summary = serde_json::from_str(&read_own(&test.summary(), Summary::MAX_BYTES)?)?;
        return Ok(summary.with_interval());
    }
    summary_of_journal(test)
}

/// Returns whether `summary.json` contains all that the journal does, or is kept up to date by a process.
fn is_current(run: &RunFolder) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    match (changed(&run.summary()), changed(&run.journal())) {
        (Ok(summary), Ok(journal)) => summary >= journal || is_held(run),
        (Ok(_), Err(_)) => true,
        (Err(_), _) => false,
    }
}

fn summary_of_journal(run: &RunFolder) -> io::Result<Summary> {
    let text = read_own(&run.plan(), MAX_PLAN)?;
    let plan = plan_from_toml(&text).map_err(io::Error::other)?;
    let reader = RunReader::read_whole(run.clone(), plan, &text, |_, _| {})?;
    Ok(Summary::of(&reader.view()))
}

impl Summary {
    /// Largest journal that is read for a list of runs.
    const MAX_JOURNAL: u64 = 64 << 20;

    /// Returns the summary of a run that may have been killed: that of its journal, if the journal is ahead of
    /// `summary.json` and short enough to be read at once. The tuner of a tuning run is not repeated for it.
    pub fn read_latest(run: &RunFolder) -> io::Result<Self> {
        let is_short = fs::metadata(run.journal()).is_ok_and(|about| about.len() <= Self::MAX_JOURNAL);
        if is_short && !run.is_tuning() && !is_current(run) {
            return summary_of_journal(run);
        }
        Self::read(run)
    }
}

/// Returns whether a process plays the run. A pipe in place of the journal is not opened.
fn is_held(run: &RunFolder) -> bool {
    open_own(&run.journal()).is_ok() && LockedFile::is_held(&run.journal())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(acceptance: AcceptanceState) -> TuningSummary {
        TuningSummary {
            gain: Some(GainEstimate { elo: Elo(12.34), error: Elo(5.0) }),
            remaining_loss: None,
            parameters: Vec::new(),
            acceptance,
            test: None,
        }
    }

    #[test]
    fn the_sentence_states_whether_the_values_passed_their_test() {
        for (state, expected) in [
            (AcceptanceState::NotPlanned, "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs; not tested"),
            (AcceptanceState::Tuning, "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs"),
            (AcceptanceState::NothingToTest, "Nothing better than the start was found in 1,500 pairs"),
            (
                AcceptanceState::NotStarted,
                "+12.3 ± 5.0 Elo estimated gain after 1,500 pairs; the acceptance test has not been played",
            ),
        ] {
            assert_eq!(summary(state).sentence(1500), expected);
        }
        let unmoved = GainEstimate { elo: Elo(0.0), error: Elo(0.0) };
        let unmoved = TuningSummary { gain: Some(unmoved), ..summary(AcceptanceState::Tuning) };
        assert_eq!(unmoved.sentence(50), "No gain yet after 50 pairs");
    }

    #[test]
    fn a_test_that_cannot_be_read_is_unfinished() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("accept")).unwrap();
        std::fs::write(root.path().join("plan.toml"), "").unwrap();
        std::fs::write(root.path().join("accept/plan.toml"), "").unwrap();
        let mut found = summary(AcceptanceState::NotStarted);
        found.read_test(&RunFolder::open(root.path()).unwrap());
        assert_eq!((found.acceptance, found.test), (AcceptanceState::Unfinished, None));
    }
}
