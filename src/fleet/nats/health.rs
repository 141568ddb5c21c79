//! Which workers are fit to play. Pure: counts in, judgements out.
//!
//! A judgement only decides who plays pairs that have not begun, so it may look at results; it never takes a counted
//! pair back.

use std::collections::BTreeMap;

use crate::fleet::nats::WorkerName;
use crate::fleet::nats::messages::Refusal;
use crate::game::VoidReason;
use crate::journal::GameEntry;

/// A worker is excluded if its rate of events would occur with a smaller probability at the rate of the others.
const UNLIKELY: f64 = 1e-4;

/// Events and games below which a rate means nothing.
const FEWEST_EVENTS: u64 = 5;
const FEWEST_GAMES: u64 = 40;

/// Void pairs of a worker, as a part of all its pairs, above which it is excluded.
const MOST_VOIDS: f64 = 0.05;

/// Failures of the program itself after which a worker is excluded.
const MOST_HARNESS_ERRORS: u64 = 3;

/// Workers that must refuse a run before it stops.
const AGREEING_REFUSALS: usize = 3;

/// What is known about the conduct of one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// Accepted pairs.
    pub pairs: u64,
    /// Games of accepted pairs.
    pub games: u64,
    /// Games that an engine lost on time.
    pub forfeits: u64,
    /// Games that an engine lost by a failure.
    pub faults: u64,
    /// Void pairs.
    pub voids: u64,
    /// Void pairs because of a failure of the program itself.
    pub harness_errors: u64,
    /// Why it is excluded.
    pub excluded: Option<String>,
    /// Why it refused the run.
    pub refusal: Option<String>,
}

/// Games and events of several workers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    games: u64,
    forfeits: u64,
    faults: u64,
}

/// The conduct of all workers of a run.
#[derive(Clone, Debug, Default)]
pub struct Health {
    workers: BTreeMap<WorkerName, Conduct>,
    /// Sums over all workers: a judgement about one of ten thousand must not look at all.
    all: Totals,
}

impl Health {
    /// Returns the conduct of a worker.
    pub fn of(&self, worker: &WorkerName) -> Conduct {
        self.workers.get(worker).cloned().unwrap_or_default()
    }

    /// Returns whether a worker is excluded.
    pub fn excludes(&self, worker: &WorkerName) -> bool {
        self.workers.get(worker).is_some_and(|conduct| conduct.excluded.is_some())
    }

    /// Returns the excluded workers.
    pub fn excluded(&self) -> Vec<WorkerName> {
        let excluded = self.workers.iter().filter(|(_, conduct)| conduct.excluded.is_some());
        excluded.map(|(name, _)| name.clone()).collect()
    }

    /// Excludes a worker; returns whether that is new.
    pub fn exclude(&mut self, worker: &WorkerName, why: String) -> bool {
        let conduct = self.workers.entry(worker.clone()).or_default();
        let new = conduct.excluded.is_none();
        conduct.excluded.get_or_insert(why);
        new
    }

    /// Admits a worker again, with a clean record; returns whether it was excluded.
    pub fn admit(&mut self, worker: &WorkerName) -> bool {
        let was = self.excludes(worker);
        if was && let Some(conduct) = self.workers.remove(worker) {
            self.all = self.all_but(&conduct);
        }
        was
    }

    /// Records an accepted pair; returns why its worker is to be excluded, if it is.
    pub fn pair(&mut self, worker: &WorkerName, games: &[GameEntry]) -> Option<String> {
        let conduct = self.workers.entry(worker.clone()).or_default();
        conduct.pairs += 1;
        for game in games {
            let termination = &game.ending.termination;
            let (forfeit, fault) = (termination.is_time_loss(), termination.is_engine_fault());
            for (own, all, event) in [
                (&mut conduct.games, &mut self.all.games, true),
                (&mut conduct.forfeits, &mut self.all.forfeits, forfeit),
                (&mut conduct.faults, &mut self.all.faults, fault),
            ] {
                *own += u64::from(event);
                *all += u64::from(event);
            }
        }
        self.judge(worker)
    }

    /// Records a void pair; returns why its worker is to be excluded, if it is.
    pub fn void(&mut self, worker: &WorkerName, reason: &VoidReason) -> Option<String> {
        let conduct = self.workers.entry(worker.clone()).or_default();
        conduct.voids += 1;
        let own = matches!(reason, VoidReason::HarnessError { .. } | VoidReason::BothFailed { .. });
        conduct.harness_errors += u64::from(own);
        self.judge(worker)
    }

    /// Records that a worker refuses the run; returns why the run must stop, if enough of them agree.
    pub fn refuse(&mut self, worker: &WorkerName, refusal: &Refusal) -> Option<String> {
        self.workers.entry(worker.clone()).or_default().refusal = Some(refusal.why.clone());
        let refusals = self.refusals();
        (refusals.len() >= AGREEING_REFUSALS).then(|| {
            let list: Vec<String> = refusals.iter().map(|(name, why)| format!("{name}: {why}")).collect();
            format!("{} workers refuse this run:\n{}", list.len(), list.join("\n"))
        })
    }

    /// Returns the workers that refuse the run, with their reasons.
    pub fn refusals(&self) -> Vec<(&WorkerName, &str)> {
        let with_reason = self.workers.iter().map(|(name, conduct)| (name, conduct.refusal.as_deref()));
        with_reason.filter_map(|(name, why)| Some((name, why?))).collect()
    }

    /// Returns the sums over all workers but one.
    fn all_but(&self, own: &Conduct) -> Totals {
        Totals {
            games: self.all.games - own.games,
            forfeits: self.all.forfeits - own.forfeits,
            faults: self.all.faults - own.faults,
        }
    }

    fn judge(&self, worker: &WorkerName) -> Option<String> {
        let own = &self.workers[worker];
        if own.excluded.is_some() {
            return None;
        }
        if own.harness_errors >= MOST_HARNESS_ERRORS {
            return Some(format!("{} pairs failed on it", own.harness_errors));
        }
        let pairs = own.pairs + own.voids;
        if own.voids >= FEWEST_EVENTS
            && 2 * pairs >= FEWEST_GAMES
            && own.voids as f64 > MOST_VOIDS * pairs as f64
        {
            return Some(format!("{} of its {pairs} pairs are void", own.voids));
        }
        let Totals { games, forfeits, faults } = self.all_but(own);
        for (what, events, elsewhere) in
            [("lost on time", own.forfeits, forfeits), ("lost by failures", own.faults, faults)]
        {
            if events < FEWEST_EVENTS || own.games < FEWEST_GAMES || games < FEWEST_GAMES {
                continue;
            }
            // Half an event more: no rate is known to be zero.
            let rate = (elsewhere as f64 + 0.5) / (games as f64 + 1.0);
            if upper_tail(own.games, events, rate) < UNLIKELY {
                return Some(format!(
                    "{events} of its {} games were {what}, {elsewhere} of {games} elsewhere",
                    own.games
                ));
            }
        }
        None
    }
}

/// Returns the probability of at least `events` successes in `trials` of probability `rate`.
fn upper_tail(trials: u64, events: u64, rate: f64) -> f64 {
    if events == 0 || rate >= 1.0 {
        return 1.0;
    }
    // The probability of each number of events from the one before, in logarithms against underflow.
    let (mut log_term, mut below) = (trials as f64 * (-rate).ln_1p(), 0.0);
    for number in 0..events.min(trials + 1) {
        below += log_term.exp();
        log_term += ((trials - number) as f64 / (number + 1) as f64 * (rate / (1.0 - rate))).ln();
    }
    (1.0_f64 - below).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, EngineIndex, GameOfPair, GameRecord, GameResult, Termination, Variant};

    fn name(text: &str) -> WorkerName {
        WorkerName::try_from(text.to_owned()).unwrap()
    }

    fn game(termination: Termination) -> GameEntry {
        let record = GameRecord {
            white: EngineIndex(0),
            black: EngineIndex(1),
            opening: 0,
            start_fen: String::new(),
            variant: Variant::Standard,
            moves: Vec::new(),
            ending: Ending { result: GameResult::WhiteWins, termination },
            started_unix_ms: 0,
            duration_ms: 0,
            warnings: Vec::new(),
        };
        GameEntry::pack(0, 0, GameOfPair::First, &record)
    }

    /// Plays pairs on four workers, `bad(worker, pair)` of which lose a game on time.
    fn excluded(pairs: u64, bad: impl Fn(&str, u64) -> bool) -> Vec<String> {
        let mut health = Health::default();
        let mut excluded = Vec::new();
        for pair in 0..pairs {
            for worker in ["ash", "elm", "fir", "oak"] {
                let ending = if bad(worker, pair) {
                    Termination::TimeForfeit { over_us: 1 }
                } else {
                    Termination::Checkmate
                };
                let games = [game(ending), game(Termination::Checkmate)];
                if let Some(why) = health.pair(&name(worker), &games) {
                    assert!(health.exclude(&name(worker), why));
                    excluded.push(worker.to_owned());
                }
            }
        }
        excluded
    }

    /// Row 230.
    #[test]
    fn row_230_a_worker_that_loses_on_time_much_more_often_than_the_others_is_excluded_once() {
        assert_eq!(excluded(200, |worker, pair| worker == "fir" && pair % 4 == 0), ["fir"]);
    }

    #[test]
    fn a_candidate_that_fails_everywhere_excludes_nobody() {
        assert!(excluded(300, |_, pair| pair % 3 == 0).is_empty());
        assert!(excluded(300, |_, _| false).is_empty());
    }

    #[test]
    fn few_events_or_few_games_exclude_nobody() {
        assert!(excluded(4, |worker, _| worker == "fir").is_empty());
        assert!(excluded(400, |worker, pair| worker == "fir" && pair == 50).is_empty());
    }

    #[test]
    fn voids_and_harness_errors_exclude_a_worker() {
        let mut health = Health::default();
        let oak = name("oak");
        let error = VoidReason::HarnessError { message: "boom".to_owned() };
        assert_eq!((health.void(&oak, &error), health.void(&oak, &error)), (None, None));
        assert_eq!(health.void(&oak, &error).as_deref(), Some("3 pairs failed on it"));
        let elm = name("elm");
        let delay = VoidReason::HostDelay { gap_ms: 50 };
        let judged: Vec<Option<String>> = (0..20).map(|_| health.void(&elm, &delay)).collect();
        assert!(judged[..19].iter().all(Option::is_none) && judged[19].is_some(), "{judged:?}");
    }

    #[test]
    fn three_workers_that_refuse_stop_the_run() {
        let mut health = Health::default();
        let refusal =
            Refusal { code: crate::fleet::nats::messages::RefusalCode::Target, why: "no program".to_owned() };
        assert_eq!(health.refuse(&name("ash"), &refusal), None);
        assert_eq!(health.refuse(&name("ash"), &refusal), None);
        assert_eq!(health.refuse(&name("elm"), &refusal), None);
        let why = health.refuse(&name("oak"), &refusal).unwrap();
        assert!(why.starts_with("3 workers refuse this run") && why.contains("no program"), "{why}");
    }

    #[test]
    fn tails_of_the_binomial_distribution_are_those_of_the_tables() {
        for (trials, events, rate, expected) in
            [(10, 1, 0.5, 0.999_023), (10, 5, 0.5, 0.623_047), (20, 10, 0.1, 7.151e-6), (40, 41, 0.1, 0.0)]
        {
            let tail = upper_tail(trials, events, rate);
            assert!(
                (tail - expected).abs() < 1e-5_f64.min(0.01 * expected + 1e-9),
                "{trials} {events}: {tail}"
            );
        }
    }
}
