//! Simulation of sequential tests, to verify the error rates and the counting rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroUsize;
use std::thread;

use super::game_model::PairOdds;
use super::random::Random;
use super::sprt::{Bounds, Hypothesis, SprtConfig, TestReading};
use super::tally::{PairScore, Pentanomial};

/// A repeated simulation of a test with random pairs.
#[derive(Clone, Copy, Debug)]
pub struct SprtSimulation {
    /// The test.
    pub config: SprtConfig,
    /// The probabilities of the pair scores.
    pub odds: PairOdds,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of pairs played concurrently.
    pub concurrency: NonZeroUsize,
    /// The order in which pairs are counted.
    pub counting: Counting,
}

/// The order in which a test counts pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// In the order of their start; a finished pair waits for all earlier ones.
    Schedule,
    /// In the order of completion. This is wrong, because short pairs finish first and length depends on the result.
    Completion,
}

/// The result of one simulated test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedTest {
    /// The accepted hypothesis.
    pub accepted: Hypothesis,
    /// The counts of pairs at the decision.
    pub seen: Pentanomial,
}

impl SprtSimulation {
    /// Runs `runs` tests on all cores. Test number `k` is the same on every machine.
    pub fn run(&self, runs: u64) -> Vec<SimulatedTest> {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
        thread::scope(|scope| {
            let job =
                |worker| move || (worker..runs).step_by(workers as usize).map(|run| self.test(run)).collect();
            let started: Vec<_> = (0..workers).map(|worker| scope.spawn(job(worker))).collect();
            let mut done: Vec<std::vec::IntoIter<SimulatedTest>> = started
                .into_iter()
                .map(|worker| worker.join().map(Vec::into_iter).expect("a simulated test does not panic"))
                .collect();
            // Worker w did runs w, w + workers, …; taking from each in turn restores the order.
            (0..runs).filter_map(|run| done[(run % workers) as usize].next()).collect()
        })
    }

    /// Simulates test number `run` up to its decision.
    pub fn test(&self, run: u64) -> SimulatedTest {
        let seed = Random::of_item(self.seed, run).bits();
        let mut test = LazySprt::new(self.config);
        if self.concurrency.get() == 1 {
            let mut random = Random::new(seed);
            loop {
                if let Some(accepted) = test.count(self.odds.draw(&mut random)) {
                    return SimulatedTest { accepted, seen: test.seen };
                }
            }
        }
        let mut pairs = ConcurrentPairs::start_all(self.odds, seed, self.concurrency);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        loop {
            let (index, pair) = pairs.next_finished();
            if self.counting == Counting::Completion {
                if let Some(accepted) = test.count(pair) {
                    return SimulatedTest { accepted, seen: test.seen };
                }
                continue;
            }
            waiting.insert(index, pair);
            while let Some(pair) = waiting.remove(&next) {
                next += 1;
                if let Some(accepted) = test.count(pair) {
                    return SimulatedTest { accepted, seen: test.seen };
                }
            }
        }
    }
}

/// Concurrently played pairs. The score and the length of a pair depend only on the seed and its index.
struct ConcurrentPairs {
    odds: PairOdds,
    scores: Random,
    lengths: Random,
    next: u64,
    in_play: BinaryHeap<Reverse<(u64, u64, PairScore)>>,
}

impl ConcurrentPairs {
    fn start_all(odds: PairOdds, seed: u64, slots: NonZeroUsize) -> Self {
        // The scores come from the same stream as without concurrency.
        let (scores, lengths) = (Random::new(seed), Random::of_item(seed, 1));
        let mut pairs = Self { odds, scores, lengths, next: 0, in_play: BinaryHeap::new() };
        for _ in 0..slots.get() {
            pairs.start(0);
        }
        pairs
    }

    fn start(&mut self, now: u64) {
        let pair = self.odds.draw(&mut self.scores);
        // Lost pairs end soonest: the length in ticks grows with the score and varies randomly by a factor of two.
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

/// The ratio is computed after each of the first pairs up to this number; only later computations may be skipped.
const ALWAYS_COMPUTED: u64 = 200;
/// Assumed maximum factor by which the ratio changes faster than its current gradient while computations are skipped.
const SAFETY_FACTOR: f64 = 1.5;

/// A test that skips the computation of its ratio while no bound can be near. Its decisions are the same at a
/// fraction of the cost.
struct LazySprt {
    config: SprtConfig,
    start: Bounds,
    seen: Pentanomial,
    skip: u64,
}

impl LazySprt {
    fn new(config: SprtConfig) -> Self {
        Self { config, start: config.bounds(), seen: Pentanomial::default(), skip: 0 }
    }

    fn count(&mut self, pair: PairScore) -> Option<Hypothesis> {
        let is_first_of_score = self.seen.0[usize::from(pair.half_points())] == 0;
        self.seen.count(pair);
        if self.skip > 0 && !is_first_of_score {
            self.skip -= 1;
            return None;
        }
        let (reading, gradient) = self.config.reading_between(&self.seen, self.start);
        let accepted = reading.accepted();
        if accepted.is_none() && self.seen.pairs() >= ALWAYS_COMPUTED {
            let TestReading { llr, bounds } = reading;
            let distance = (bounds.upper - llr).min(llr - bounds.lower);
            let max_change = gradient.iter().fold(0.0f64, |max, step| max.max(step.abs()));
            let narrowing = (bounds.lower - self.start.lower) / self.seen.pairs() as f64;
            self.skip = (distance / (SAFETY_FACTOR * (max_change + narrowing))) as u64;
        }
        accepted
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
    fn skipped_computations_do_not_change_a_decision() {
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
    fn runs_are_returned_in_order_on_any_number_of_cores() {
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
