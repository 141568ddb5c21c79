//! Whether a run is complete, why it ended, and what went wrong in it.

use serde::{Deserialize, Serialize};

use crate::game::EngineIndex;
use crate::report::files::tuning_summary::AcceptanceState;
use crate::run::{RunOutcome, RunView};
use crate::stats::{Decision, Hypothesis};

/// The end of a run for scripts. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// Whether anything is left to play.
    pub status: CompletionStatus,
    /// Why the run ended or is not complete.
    pub reason: CompletionReason,
    /// The fault that stopped the run, or the engines that were excluded.
    pub why: Option<String>,
    /// Whether there are no anomalies.
    pub clean: bool,
    /// What went wrong, without the fault that stopped the run.
    pub anomalies: Vec<AnomalyCount>,
}

/// Whether anything is left to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionStatus {
    /// Nothing is left to play.
    Complete,
    /// The run is played, or can be resumed.
    Incomplete,
}

/// Why a run ended or is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionReason {
    /// All pairs were played.
    AllPairsPlayed,
    /// The test accepted H1.
    H1Accepted,
    /// The test accepted H0.
    H0Accepted,
    /// The test reached its last pair without a decision.
    LimitReached,
    /// All pairs were played but those of excluded engines.
    EnginesQuarantined,
    /// The run was in play when the summary was written.
    Playing,
    /// The user or the system stopped the run.
    Interrupted,
    /// A fault stopped the run.
    Fault,
    /// The tuning has finished; its acceptance test has not.
    AcceptanceTest,
}

/// Something that went wrong without ending the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnomalyCount {
    /// What went wrong.
    pub kind: AnomalyKind,
    /// The engine that caused it; `None` if it was the host.
    pub engine: Option<String>,
    /// How often.
    pub count: u64,
}

/// What can go wrong without ending a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// Games lost on time.
    TimeLosses,
    /// Games lost by a crash, a stall or a violation of the protocol.
    Crashes,
    /// Games lost by an illegal move.
    IllegalMoves,
    /// Games in which the engine waited for a processor while its clock ran.
    StarvedGames,
    /// Pairs that the host disturbed and that were played again.
    VoidPairs,
    /// Pairs that equal earlier ones and do not count.
    RepeatedPairs,
}

impl Completion {
    /// Returns the completion of a run that ended as `outcome` states, or is played if there is none.
    pub(super) fn of(view: &RunView<'_>, outcome: Option<&RunOutcome>) -> Self {
        let (reason, why) = match outcome {
            None => (CompletionReason::Playing, None),
            Some(RunOutcome::Finished) => (CompletionReason::AllPairsPlayed, None),
            Some(RunOutcome::Decided(Decision { accepted: Hypothesis::Alternative, .. })) => {
                (CompletionReason::H1Accepted, None)
            }
            Some(RunOutcome::Decided(Decision { accepted: Hypothesis::Null, .. })) => {
                (CompletionReason::H0Accepted, None)
            }
            Some(RunOutcome::Undecided) => (CompletionReason::LimitReached, None),
            Some(RunOutcome::Quarantined(who)) => (CompletionReason::EnginesQuarantined, Some(who.clone())),
            Some(RunOutcome::Interrupted) => (CompletionReason::Interrupted, None),
            Some(RunOutcome::Faulty(why)) => (CompletionReason::Fault, Some(why.clone())),
        };
        let status = if outcome.is_some_and(RunOutcome::is_final) {
            CompletionStatus::Complete
        } else {
            CompletionStatus::Incomplete
        };
        let anomalies = anomalies(view);
        Self { status, reason, why, clean: anomalies.is_empty(), anomalies }
    }

    /// Takes the acceptance test of a tuning run into account, which is part of the run.
    pub(super) fn take_acceptance(&mut self, acceptance: AcceptanceState) {
        let awaits_test = match acceptance {
            AcceptanceState::NotStarted | AcceptanceState::Unfinished => true,
            AcceptanceState::NotPlanned
            | AcceptanceState::Tuning
            | AcceptanceState::NothingToTest
            | AcceptanceState::Accepted
            | AcceptanceState::Rejected
            | AcceptanceState::Undecided => false,
        };
        if awaits_test {
            (self.status, self.reason) = (CompletionStatus::Incomplete, CompletionReason::AcceptanceTest);
        } else if self.reason == CompletionReason::AcceptanceTest {
            (self.status, self.reason) = (CompletionStatus::Complete, CompletionReason::AllPairsPlayed);
        }
    }
}

fn anomalies(view: &RunView<'_>) -> Vec<AnomalyCount> {
    let RunView { plan, state, .. } = *view;
    let mut found = Vec::new();
    for index in 0..plan.engines.len() {
        let engine = EngineIndex(index as u16);
        let faults = state.standings().faults_of(engine);
        let kinds = [
            (AnomalyKind::TimeLosses, faults.timeouts),
            (AnomalyKind::Crashes, faults.crashes),
            (AnomalyKind::IllegalMoves, faults.illegal_moves),
            (AnomalyKind::StarvedGames, state.standings().starved_games_of(engine)),
        ];
        let name = plan.name_of(engine);
        found.extend(kinds.map(|(kind, count)| AnomalyCount { kind, engine: Some(name.to_owned()), count }));
    }
    let of_run =
        [(AnomalyKind::VoidPairs, state.voids()), (AnomalyKind::RepeatedPairs, state.repeated_pairs())];
    found.extend(of_run.map(|(kind, count)| AnomalyCount { kind, engine: None, count }));
    found.retain(|anomaly| anomaly.count > 0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuning_run_is_complete_once_its_acceptance_test_is() {
        let mut completion = Completion {
            status: CompletionStatus::Complete,
            reason: CompletionReason::AllPairsPlayed,
            why: None,
            clean: true,
            anomalies: Vec::new(),
        };
        let tuned = completion.clone();
        completion.take_acceptance(AcceptanceState::Unfinished);
        assert_eq!(completion.status, CompletionStatus::Incomplete);
        assert_eq!(completion.reason, CompletionReason::AcceptanceTest);
        completion.take_acceptance(AcceptanceState::Rejected);
        assert_eq!(completion, tuned);
    }
}
