//! Sequential tests on simulated games: proof of the error rates, and of the rule for counting.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroUsize;
use std::thread;

use super::game_model::PairOdds;
use super::random::Random;
use super::sprt::{Bounds, Hypothesis, SprtConfig};
use super::tally::{PairScore, Pentanomial};

/// Tests run again and again on simulated pairs.
#[derive(Clone, Copy, Debug)]
pub struct SprtSimulation {
    /// The test.
    pub config: SprtConfig,
    /// How pairs end.
    pub odds: PairOdds,
    /// All that is random follows from it.
    pub seed: u64,
    /// Pairs in play at once.
    pub concurrency: NonZeroUsize,
    /// Which pairs a test looks at while others are still being played.
    pub counting: Counting,
}

/// The order in which a test looks at pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// As they were started; a finished pair waits for all earlier ones.
    Schedule,
    /// As they happen to finish: wrong, because short pairs come first and length depends on the result.
    Completion,
}

/// How one simulated test ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedTest {
    /// The claim accepted.
    pub accepted: Hypothesis,
    /// What it rests on.
    pub seen: Pentanomial,
}

impl SprtSimulation {
    /// Runs `runs` tests on all cores; test `k` is the same on any machine.
    pub fn run(&self, runs: u64) -> Vec<SimulatedTest> {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
        thread::scope(|scope| {
            let share =
                |worker| move || (worker..runs).step_by(workers as usize).map(|run| self.test(run)).collect();
            let started: Vec<_> = (0..workers).map(|worker| scope.spawn(share(worker))).collect();
            let mut done: Vec<std::vec::IntoIter<SimulatedTest>> = started
                .into_iter()
                .map(|worker| worker.join().map(Vec::into_iter).expect("a simulated test does not panic"))
                .collect();
            // Worker w did runs w, w + workers, …: dealing them back in turn restores the order.
            (0..runs).filter_map(|run| done[(run % workers) as usize].next()).collect()
        })
    }

    /// Test number `run`, played to its decision.
    pub fn test(&self, run: u64) -> SimulatedTest {
        let seed = Random::of_item(self.seed, run).bits();
        let mut watch = Watch::new(self.config);
        if self.concurrency.get() == 1 {
            let mut random = Random::new(seed);
            loop {
                if let Some(accepted) = watch.count(self.odds.draw(&mut random)) {
                    return SimulatedTest { accepted, seen: watch.seen };
                }
            }
        }
        let mut hall = PlayingHall::open(self.odds, seed, self.concurrency);
        let mut early = BTreeMap::new();
        let mut due = 0;
        loop {
            let (index, pair) = hall.next_finished();
            if self.counting == Counting::Completion {
                if let Some(accepted) = watch.count(pair) {
                    return SimulatedTest { accepted, seen: watch.seen };
                }
                continue;
            }
            early.insert(index, pair);
            while let Some(pair) = early.remove(&due) {
                due += 1;
                if let Some(accepted) = watch.count(pair) {
                    return SimulatedTest { accepted, seen: watch.seen };
                }
            }
        }
    }
}

/// Pairs in play at once, each with a result and a length that belong to its number.
struct PlayingHall {
    odds: PairOdds,
    scores: Random,
    lengths: Random,
    next: u64,
    in_play: BinaryHeap<Reverse<(u64, u64, PairScore)>>,
}

impl PlayingHall {
    fn open(odds: PairOdds, seed: u64, slots: NonZeroUsize) -> Self {
        // The scores are drawn as they are without concurrency, from the same stream.
        let (scores, lengths) = (Random::new(seed), Random::of_item(seed, 1));
        let mut hall = Self { odds, scores, lengths, next: 0, in_play: BinaryHeap::new() };
        for _ in 0..slots.get() {
            hall.start(0);
        }
        hall
    }

    fn start(&mut self, now: u64) {
        let pair = self.odds.draw(&mut self.scores);
        // Lost pairs end soonest: a length in ticks that grows with the score, within a factor of two by chance.
        let ticks = 400 + 200 * u64::from(pair.half_points());
        let length = ticks + (self.lengths.unit() * ticks as f64) as u64;
        self.in_play.push(Reverse((now + length, self.next, pair)));
        self.next += 1;
    }

    fn next_finished(&mut self) -> (u64, PairScore) {
        let Reverse((now, index, pair)) = self.in_play.pop().expect("every slot holds a pair");
        self.start(now);
        (index, pair)
    }
}

/// Pairs always looked at one by one before the watch may skip any.
const LOOKED_AT: u64 = 200;
/// How much faster than its present pace the ratio is allowed to change while nobody looks.
const CAUTION: f64 = 1.5;

/// A test that skips looking at its ratio while no bound can be near: the same decisions, at a fraction of the work.
struct Watch {
    config: SprtConfig,
    bounds: Bounds,
    seen: Pentanomial,
    skip: u64,
}

impl Watch {
    fn new(config: SprtConfig) -> Self {
        Self { config, bounds: config.bounds(), seen: Pentanomial::default(), skip: 0 }
    }

    fn count(&mut self, pair: PairScore) -> Option<Hypothesis> {
        let first_of_its_kind = self.seen.0[usize::from(pair.half_points())] == 0;
        self.seen.count(pair);
        if self.skip > 0 && !first_of_its_kind {
            self.skip -= 1;
            return None;
        }
        let ratio = self.config.ratio(&self.seen);
        let verdict = self.config.judge(ratio.llr);
        if verdict.is_none() && self.seen.pairs() >= LOOKED_AT {
            let distance = (self.bounds.upper - ratio.llr).min(ratio.llr - self.bounds.lower);
            let pace = ratio.gradient.iter().fold(0.0f64, |most, step| most.max(step.abs()));
            self.skip = (distance / (CAUTION * pace)) as u64;
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::stats::{Elo, EloModel, GameModel, Hypotheses, Sprt};

    fn simulation(model: EloModel, truth: f64) -> SprtSimulation {
        let games = GameModel::unbalanced();
        SprtSimulation {
            config: SprtConfig { model, ..SprtConfig::usual(Hypotheses::new(0.0, 10.0).unwrap()) },
            odds: games.odds(games.difference(model, truth)),
            seed: 11,
            concurrency: NonZeroUsize::MIN,
            counting: Counting::Schedule,
        }
    }

    #[test]
    fn skipping_never_changes_a_decision() {
        for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
            for truth in [-5.0, 5.0, 30.0] {
                let simulation = simulation(model, truth);
                for run in 0..2 {
                    let skipped = simulation.test(run);
                    let mut random = Random::new(Random::of_item(simulation.seed, run).bits());
                    let mut test = Sprt::new(simulation.config);
                    let decision = loop {
                        match test.observe(simulation.odds.draw(&mut random)) {
                            ControlFlow::Continue(next) => test = next,
                            ControlFlow::Break(decision) => break decision,
                        }
                    };
                    assert_eq!(
                        (skipped.accepted, skipped.seen),
                        (decision.accepted, decision.seen),
                        "{model} {truth}"
                    );
                }
            }
        }
    }

    #[test]
    fn runs_come_back_in_order_on_any_number_of_cores() {
        let simulation = simulation(EloModel::Normalized, 20.0);
        let alone: Vec<_> = (0..9).map(|run| simulation.test(run)).collect();
        assert_eq!(simulation.run(9), alone);
    }

    #[test]
    fn a_stronger_candidate_passes_more_often() {
        let passes = |truth| {
            let done = simulation(EloModel::Logistic, truth).run(40);
            done.iter().filter(|test| test.accepted == Hypothesis::Alternative).count()
        };
        assert!(passes(-5.0) < passes(5.0) && passes(5.0) < passes(15.0));
        assert_eq!(GameModel::unbalanced().difference(EloModel::Logistic, 3.0).0.round(), Elo(3.0).0);
    }
}
