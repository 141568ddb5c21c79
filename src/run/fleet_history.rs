//! What the journal of a run records about the machines that play it.

use std::collections::BTreeMap;

use crate::journal::{Claim, Entry, FleetSession, GameEntry, WorkerFacts};
use crate::stats::{PairScore, Pentanomial};

/// The machines that played pairs of a run: a fold of its journal.
#[derive(Clone, Debug, Default)]
pub struct FleetHistory {
    session: Option<FleetSession>,
    remote: bool,
    claims: BTreeMap<(u64, u32), Claim>,
    workers: BTreeMap<String, WorkerHistory>,
}

/// One machine.
#[derive(Clone, Debug, Default)]
pub struct WorkerHistory {
    /// What it is.
    pub facts: WorkerFacts,
    /// Pairs of it that count.
    pub pairs: u64,
    /// Their scores, from the side of the candidate.
    pub pentanomial: Pentanomial,
    /// Games that an engine lost on time.
    pub forfeits: u64,
    /// Games that an engine lost by a failure.
    pub faults: u64,
    /// Pairs that became void.
    pub voids: u64,
    /// Why it gets no more pairs.
    pub quarantined: Option<String>,
}

impl FleetHistory {
    /// Applies an entry.
    pub(super) fn note(&mut self, entry: &Entry) {
        match entry {
            Entry::Session { fleet: Some(fleet), .. } => {
                self.session = Some(fleet.clone());
                self.remote = true;
            }
            Entry::Session { host: Some(_), fleet: None } => self.remote = false,
            Entry::Claimed { pair, attempt, claim } => {
                self.claims.insert((*pair, *attempt), claim.clone());
            }
            Entry::Worker(facts) => self.worker(&facts.worker).facts = facts.clone(),
            Entry::Quarantined { worker, why } => self.worker(worker).quarantined.clone_from(why),
            Entry::Void { pair, attempt, by, .. } => {
                self.claims.remove(&(*pair, *attempt));
                if let Some(by) = by {
                    self.worker(by).voids += 1;
                }
            }
            Entry::Abandoned { pair, attempt, .. } => {
                self.claims.remove(&(*pair, *attempt));
            }
            Entry::Game(game) => {
                self.claims.remove(&(game.pair, game.attempt));
            }
            _ => {}
        }
    }

    /// Counts a pair for the machine that played it.
    pub(super) fn count(&mut self, games: &[GameEntry], score: Option<PairScore>) {
        let Some(name) = games.first().and_then(|game| game.by.clone()) else { return };
        let worker = self.worker(&name);
        worker.pairs += 1;
        if let Some(score) = score {
            worker.pentanomial.count(score);
        }
        for game in games {
            let termination = &game.ending.termination;
            worker.forfeits += u64::from(termination.is_time_loss());
            worker.faults += u64::from(termination.is_engine_fault());
        }
    }

    fn worker(&mut self, name: &str) -> &mut WorkerHistory {
        let worker = self.workers.entry(name.to_owned()).or_default();
        if worker.facts.worker.is_empty() {
            name.clone_into(&mut worker.facts.worker);
        }
        worker
    }

    /// Returns whether other machines played the latest session.
    pub fn is_remote(&self) -> bool {
        self.remote
    }

    /// Returns the latest fleet, if other machines ever played.
    pub fn session(&self) -> Option<&FleetSession> {
        self.session.as_ref()
    }

    /// Returns the latest claims to pairs that have not ended.
    pub fn claims(&self) -> impl Iterator<Item = ((u64, u32), &Claim)> {
        self.claims.iter().map(|(&place, claim)| (place, claim))
    }

    /// Returns the machines, by name.
    pub fn workers(&self) -> impl ExactSizeIterator<Item = &WorkerHistory> {
        self.workers.values()
    }
}
