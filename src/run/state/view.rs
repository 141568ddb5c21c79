//! What a run in progress can be asked.

use super::{Phase, RunState};
use crate::game::PairId;
use crate::journal::GameEntry;
use crate::run::control::RunPhase;
use crate::run::effect::NextPair;
use crate::run::fault_breaker::Breaker;
use crate::run::fleet_history::FleetHistory;
use crate::run::outcome::RunOutcome;
use crate::run::repeats::Repeats;
use crate::run::standings::Standings;
use crate::stats::{Bounds, Decision};
use crate::tuning::Tuner;

impl RunState {
    /// Whether it starts no more pairs and will end.
    pub fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Draining | Phase::Faulty(_))
    }

    /// What it is doing, as it is reported.
    pub fn phase(&self) -> RunPhase {
        match self.phase {
            Phase::Playing if !self.held => RunPhase::Playing,
            Phase::Playing | Phase::Paused => RunPhase::Paused,
            Phase::Draining | Phase::Faulty(_) => RunPhase::Stopping,
        }
    }

    /// Whether the run is paused.
    pub fn is_paused(&self) -> bool {
        self.phase == Phase::Paused
    }

    /// Pairs in flight.
    pub fn flying(&self) -> impl ExactSizeIterator<Item = PairId> {
        self.flying.iter().map(|(&(index, part), &attempt)| PairId { index, attempt, part })
    }

    /// How the run ended, once nothing is in flight and nothing waits for the journal.
    pub fn outcome(&self) -> Option<RunOutcome> {
        if !self.flying.is_empty() {
            None
        } else if let (Breaker::First, Phase::Faulty(why)) = (self.breaker, &self.phase) {
            // The first failure ends the run even if it happened in its last game.
            Some(RunOutcome::Faulty(why.clone()))
        } else if let Some(decision) = self.decision {
            Some(RunOutcome::Decided(decision))
        } else if self.finished || self.max_pairs.is_some_and(|max| self.counted >= max) {
            let out = self.quarantine.members();
            if out.len() > 0 {
                let quarantined = out.map(|(engine, why)| format!("{} ({why})", self.names[engine.get()]));
                return Some(RunOutcome::Quarantined(quarantined.collect::<Vec<_>>().join(", ")));
            }
            Some(if self.sprt.is_some() { RunOutcome::Undecided } else { RunOutcome::Finished })
        } else {
            match &self.phase {
                Phase::Playing | Phase::Paused => None,
                Phase::Draining => Some(RunOutcome::Interrupted),
                Phase::Faulty(why) => Some(RunOutcome::Faulty(why.clone())),
            }
        }
    }

    /// Finished games of pairs that do not count yet.
    pub fn uncounted_games(&self) -> impl Iterator<Item = &GameEntry> {
        self.halves.values().map(Box::as_ref).chain(self.ready.values().flatten())
    }

    /// Whether the journal records the end of the run.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The results so far.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// Pairs counted: the length of the contiguous prefix.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Pairs played in full that do not count, because the decision was made without them.
    pub fn after_stop(&self) -> u64 {
        self.after_stop
    }

    /// The machines that played the run, in the order of their first session.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The other machines that played the run.
    pub fn fleet(&self) -> &FleetHistory {
        &self.fleet
    }

    /// Whether the first game of this pair is on record and the second is not.
    pub fn has_half(&self, pair: u64) -> bool {
        self.halves.contains_key(&pair)
    }

    /// Returns a pair in flight as it is to be played.
    pub fn in_flight(&self, id: PairId) -> NextPair {
        NextPair { id, trial: self.trials.get(&id.index).cloned(), half: None }
    }

    /// Pairs that were played but not counted, because they repeat earlier ones move for move.
    pub fn repeated_pairs(&self) -> u64 {
        self.repeats.as_ref().map_or(0, Repeats::skipped)
    }

    /// Void pairs: those that the host disturbed.
    pub fn voids(&self) -> u64 {
        self.voids
    }

    /// The tuner, in a tuning run.
    pub fn tuner(&self) -> Option<&Tuner> {
        self.tuner.as_ref()
    }

    /// The log-likelihood ratio, if the run is a test.
    pub fn llr(&self) -> Option<f64> {
        self.reading.map(|reading| reading.llr)
    }

    /// The bounds of the test at the pairs counted so far.
    pub fn bounds(&self) -> Option<Bounds> {
        self.reading.map(|reading| reading.bounds)
    }

    /// Whether the test decided at its limit of pairs, without reaching a bound.
    pub fn decided_at_limit(&self) -> bool {
        self.at_limit && self.decision.is_some()
    }

    /// The test's decision, if it has been made and is not on record: the program was killed in between.
    pub fn unrecorded_decision(&self) -> Option<Decision> {
        self.decision.filter(|_| !self.decision_is_recorded)
    }

    /// The test's decision, if it has been made.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }
}
