//! What the journal of a run records about the machines that play it.

use std::collections::BTreeMap;

use crate::fleet::Member;
use crate::journal::{Claim, Entry, FleetSession, GameEntry, WorkerFacts};
use crate::stats::{PairScore, Pentanomial};

/// Pairs of a machine before its results are compared with those of the others.
const FEWEST_PAIRS: u64 = 64;

/// Probability, for all machines together, of a warning about results that differ by chance.
const UNLIKELY: f64 = 0.001;

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
    /// Why it is excluded.
    pub excluded: Option<String>,
    /// Whether the user was warned about its results.
    suspicious: bool,
}

impl WorkerHistory {
    /// Returns chi-squared of its results and those of all others, and both, given those of all; `None` if there are too few.
    fn against_the_others(&self, all: [u64; 5]) -> Option<(f64, [u64; 5], [u64; 5])> {
        let own = self.pentanomial.0;
        let rest = std::array::from_fn(|class| all[class] - own[class]);
        Some((two_samples(own, rest)?, own, rest))
    }
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
            Entry::WorkerExcluded { worker, why } => self.worker(worker).excluded.clone_from(why),
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

    /// Counts a pair for the machine that played it. Returns a warning for the user if its results do not fit those of the
    /// other machines.
    pub(super) fn count(&mut self, games: &[GameEntry], score: Option<PairScore>) -> Option<String> {
        let name = games.first().and_then(|game| game.by.clone())?;
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
        self.alarm(&name)
    }

    /// Looks at the results of a machine each time that their number has doubled.
    fn alarm(&mut self, name: &str) -> Option<String> {
        let pairs = self.workers[name].pentanomial.pairs();
        if pairs < FEWEST_PAIRS || !pairs.is_power_of_two() || self.workers[name].suspicious {
            return None;
        }
        let all = self.results_of_all();
        let (chi, own, rest) = self.workers[name].against_the_others(all)?;
        // The machine that differs most makes all others differ from the rest, too.
        let mut others = self.workers.iter().filter(|(other, _)| *other != name);
        let worse =
            others.any(|(_, other)| other.against_the_others(all).is_some_and(|(other, ..)| other > chi));
        if worse || upper_tail(chi) >= UNLIKELY / self.workers.len() as f64 {
            return None;
        }
        self.worker(name).suspicious = true;
        Some(format!(
            "the results of worker {name} do not fit those of the others: {own:?} against {rest:?} pairs by points, \
             chi-squared {chi:.1}"
        ))
    }

    fn results_of_all(&self) -> [u64; 5] {
        self.workers.values().fold([0; 5], |mut sum: [u64; 5], worker| {
            sum.iter_mut().zip(worker.pentanomial.0).for_each(|(sum, count)| *sum += count);
            sum
        })
    }

    /// Returns the machines with how much the results of each differ from those of all: chi-squared, with four degrees of
    /// freedom; `None` without pairs.
    pub fn residuals(&self) -> impl Iterator<Item = (&WorkerHistory, Option<f64>)> {
        let all = self.results_of_all();
        self.workers.values().map(move |worker| (worker, residual(worker.pentanomial.0, all)))
    }

    /// Adds to members of the fleet what was recorded about them, in all sessions.
    pub fn complete(&self, mut members: Vec<Member>) -> Vec<Member> {
        let all = self.results_of_all();
        for member in &mut members {
            if let Some(worker) = self.workers.get(&member.name) {
                (member.pairs, member.voids) = (worker.pairs, worker.voids);
                (member.forfeits, member.faults) = (worker.forfeits, worker.faults);
                member.residual = residual(worker.pentanomial.0, all);
            }
        }
        members
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

/// Returns chi-squared of the counts of one machine against the proportions of all; `None` without pairs.
fn residual(own: [u64; 5], all: [u64; 5]) -> Option<f64> {
    let [pairs, total] = [own, all].map(|counts| counts.iter().sum::<u64>() as f64);
    let part = |(observed, of_all): (u64, u64)| {
        let expected = pairs * of_all as f64 / total;
        if expected > 0.0 { (observed as f64 - expected).powi(2) / expected } else { 0.0 }
    };
    let sum: f64 = own.into_iter().zip(all).map(part).sum();
    (pairs > 0.0).then_some((sum * 1000.0).round() / 1000.0)
}

/// Returns chi-squared of two samples of the same five classes, with at most four degrees of freedom; `None` if one of
/// them is too small.
fn two_samples(one: [u64; 5], other: [u64; 5]) -> Option<f64> {
    let [first, second] = [one, other].map(|counts| counts.iter().sum::<u64>() as f64);
    let classes = one.into_iter().zip(other).map(|(a, b)| (a as f64, b as f64));
    let part = |(a, b): (f64, f64)| match a + b {
        0.0 => 0.0,
        both => (a * (second / first).sqrt() - b * (first / second).sqrt()).powi(2) / both,
    };
    let enough = FEWEST_PAIRS as f64 / 2.0;
    (first >= enough && second >= enough).then(|| classes.map(part).sum())
}

/// Returns the probability of a larger chi-squared with four degrees of freedom.
fn upper_tail(chi: f64) -> f64 {
    (-chi / 2.0).exp() * (1.0 + chi / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, EngineIndex, GameOfPair, GameRecord, GameResult, Termination, Variant};

    fn games(worker: &str) -> [GameEntry; 2] {
        GameOfPair::BOTH.map(|game| {
            let record = GameRecord {
                white: EngineIndex(0),
                black: EngineIndex(1),
                opening: 0,
                start_fen: String::new(),
                variant: Variant::Standard,
                moves: Vec::new(),
                ending: Ending { result: GameResult::Draw, termination: Termination::AgreedDraw },
                started_unix_ms: 0,
                duration_ms: 0,
                warnings: Vec::new(),
            };
            let mut entry = GameEntry::pack(0, 0, game, &record);
            entry.by = Some(worker.to_owned());
            entry
        })
    }

    /// Row 232, with clocks: results that are all possible, and far from those of the others.
    #[test]
    fn row_232_results_that_do_not_fit_those_of_the_others_raise_one_alarm() {
        let scores = [PairScore::ALL[1], PairScore::ALL[2], PairScore::ALL[2], PairScore::ALL[3]];
        let mut history = FleetHistory::default();
        let mut alarms = Vec::new();
        for round in 0..600_usize {
            for worker in ["ash", "elm", "oak"] {
                let score = if worker == "oak" { PairScore::ALL[4] } else { scores[round * 7 % 4] };
                alarms.extend(history.count(&games(worker), Some(score)));
            }
        }
        assert_eq!(alarms.len(), 1, "{alarms:?}");
        assert!(alarms[0].contains("worker oak"), "{alarms:?}");
    }

    #[test]
    fn a_machine_with_other_results_than_the_rest_has_a_large_residual() {
        let all = [40, 80, 160, 80, 40];
        assert_eq!(residual([10, 20, 40, 20, 10], all), Some(0.0));
        assert!(residual([0, 5, 25, 40, 30], all).unwrap() > 60.0);
        assert_eq!(residual([0; 5], all), None);
    }

    #[test]
    fn chi_squared_of_two_samples_is_that_of_the_tables() {
        let chi = two_samples([10, 20, 40, 20, 10], [20, 40, 80, 40, 20]).unwrap();
        assert!(chi.abs() < 1e-9, "{chi}");
        let chi = two_samples([0, 0, 50, 50, 0], [0, 0, 75, 25, 0]).unwrap();
        assert!((chi - 13.333).abs() < 0.001, "{chi}");
        assert!((upper_tail(18.467) - 0.001).abs() < 1e-5);
    }
}
