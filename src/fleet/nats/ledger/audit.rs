//! Audits: some pairs are played by a second worker, where engines play the same moves everywhere. They never count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Action, Ledger, LedgerPhase, Publication};
use crate::fleet::nats::WorkerName;
use crate::fleet::nats::messages::{Token, TokenTuple, WorkerReport};
use crate::fleet::{FleetEvent, PairJob};
use crate::game::{GameResult, PairId};
use crate::journal::GameEntry;

/// The attempt that marks the job of an audit; no pair is ever tried as often.
pub(super) const ATTEMPT: u32 = u32::MAX;

/// Workers with which another one must disagree before it is excluded.
const FEWEST_DIFFERING: usize = 2;

/// A pair that is played twice.
#[derive(Debug)]
struct PairAudit {
    job: Arc<PairJob>,
    games: Vec<(String, GameResult)>,
    by: WorkerName,
    /// Whether its job was published.
    open: bool,
}

/// The audits of a run.
#[derive(Debug)]
pub(super) struct Audits {
    part: f64,
    pairs: BTreeMap<u64, PairAudit>,
    /// Workers that played the same games, and those that played others.
    agree: BTreeSet<(WorkerName, WorkerName)>,
    differ: BTreeSet<(WorkerName, WorkerName)>,
}

impl Audits {
    pub(super) fn new(part: f64) -> Self {
        Self { part, pairs: BTreeMap::new(), agree: BTreeSet::new(), differ: BTreeSet::new() }
    }

    /// Notes the games of a pair, if it is to be played again.
    pub(super) fn note(&mut self, job: &PairJob, games: &[GameEntry], worker: &WorkerName) {
        // The number of the pair decides, so no worker can know which of its results will be compared.
        let point = job.id.index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        if point as f64 / (1_u64 << 53) as f64 >= self.part {
            return;
        }
        let id = PairId { attempt: ATTEMPT, ..job.id };
        let job = Arc::new(PairJob { id, ..job.clone() });
        let audit = PairAudit { job, games: played(games), by: worker.clone(), open: false };
        self.pairs.insert(id.index, audit);
    }

    pub(super) fn wants(&self, pair: u64, attempt: u32) -> bool {
        attempt == ATTEMPT && self.pairs.get(&pair).is_some_and(|audit| audit.open)
    }

    /// Returns whether a worker plays other games than workers that agree with each other.
    fn is_contradicted(&self, worker: &WorkerName) -> bool {
        let agrees = |one: &WorkerName, but: &WorkerName| {
            self.agree.iter().any(|(a, b)| (a == one && b != but) || (b == one && a != but))
        };
        let differing = self.differ.iter().filter_map(|(a, b)| match (a == worker, b == worker) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        });
        let credible: BTreeSet<&WorkerName> = differing.filter(|other| agrees(other, worker)).collect();
        credible.len() >= FEWEST_DIFFERING && !self.agree.iter().any(|(a, b)| a == worker || b == worker)
    }
}

impl Ledger {
    /// Publishes the job of an audit once its pair is on record, if there is a second worker.
    pub(super) fn begin_audit(&mut self, id: PairId) {
        let others = self.members.values().filter(|presence| presence.joined.is_some()).count() > 1;
        if self.phase != LedgerPhase::Open || !others {
            self.audits.pairs.remove(&id.index);
        } else if let Some(audit) = self.audits.pairs.get_mut(&id.index) {
            audit.open = true;
            let job = Arc::clone(&audit.job);
            self.actions.push(Action::Publish { job, base: 0, first: Publication::First });
        }
    }

    /// Forgets all audits. Their jobs are deleted with those of the run, or at the next comparison.
    pub(super) fn end_audits(&mut self) {
        self.audits.pairs.clear();
    }

    /// Applies a report about an audit.
    pub(super) fn audited(&mut self, token: Token, worker: &WorkerName, report: WorkerReport) {
        let Some(audit) = self.audits.pairs.get(&token.pair).filter(|audit| audit.open) else {
            return self.answer(worker).over.push(TokenTuple(token));
        };
        let by = audit.by.clone();
        match report {
            WorkerReport::Claim { .. } if by != *worker => return,
            WorkerReport::Pair { games, .. } if by != *worker => {
                let same = played(&games) == audit.games;
                let couple =
                    if by < *worker { (by.clone(), worker.clone()) } else { (worker.clone(), by.clone()) };
                if same {
                    self.audits.agree.insert(couple);
                } else if self.audits.differ.insert(couple) {
                    let text = format!("pair {} was played differently by {by} and {worker}", token.pair + 1);
                    self.event(FleetEvent::Warning(text));
                }
                for suspect in [&by, worker] {
                    if self.audits.is_contradicted(suspect) {
                        let why = "other workers play other games from the same pairs".to_owned();
                        self.exclude_if(suspect, Some(why));
                    }
                }
            }
            // It got its own pair, or could not play it.
            _ => {}
        }
        self.audits.pairs.remove(&token.pair);
        self.answer(worker).over.push(TokenTuple(token));
    }
}

/// What must be equal: moves and results, not times.
fn played(games: &[GameEntry]) -> Vec<(String, GameResult)> {
    games.iter().map(|game| (game.moves.clone(), game.ending.result)).collect()
}
