//! Tuners on landscapes: how much strength they find in how many games.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::thread;

use super::landscape::{Landscape, SimulatedGames};
use super::trial::Trial;
use super::tuner::{Ask, Lookahead, Method, Tuner, TunerPlan};
use crate::stats::{Elo, Random};

/// A tuner to be tried on a landscape again and again.
#[derive(Clone, Debug)]
pub struct TuneSimulation {
    /// Where strength lies.
    pub landscape: Landscape,
    /// How pairs end over the course of a run: one model, or several that take equal turns.
    pub games: Vec<SimulatedGames>,
    /// The tuner.
    pub method: Method,
    /// The most pairs of a run.
    pub pairs: u64,
    /// Pairs the tuner may have in play at once.
    pub lookahead: Lookahead,
    /// All that is random follows from it.
    pub seed: u64,
}

/// How one simulated run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedRun {
    /// Strength before.
    pub start: Elo,
    /// Strength after.
    pub end: Elo,
    /// Pairs played.
    pub pairs: u64,
    /// Intervals told for parameters that have an optimum inside their range.
    pub intervals: u32,
    /// Those that held it.
    pub intervals_right: u32,
}

impl TuneSimulation {
    /// Runs the tuner `runs` times on all cores; run `k` is the same on any machine.
    pub fn run(&self, runs: u64) -> Vec<SimulatedRun> {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
        thread::scope(|scope| {
            let share =
                |worker| move || (worker..runs).step_by(workers as usize).map(|run| self.tune(run)).collect();
            let started: Vec<_> = (0..workers).map(|worker| scope.spawn(share(worker))).collect();
            let mut done: Vec<std::vec::IntoIter<SimulatedRun>> = started
                .into_iter()
                .map(|worker| worker.join().map(Vec::into_iter).expect("a simulated run does not panic"))
                .collect();
            // Worker w did runs w, w + workers, …: dealing them back in turn restores the order.
            (0..runs).filter_map(|run| done[(run % workers) as usize].next()).collect()
        })
    }

    /// Run number `run`, to its end.
    pub fn tune(&self, run: u64) -> SimulatedRun {
        let mut seeds = Random::of_item(self.seed, run);
        let mut tuner = Tuner::new(TunerPlan {
            space: self.landscape.space().clone(),
            method: self.method.clone(),
            pairs: self.pairs,
            seed: seeds.bits(),
            lookahead: self.lookahead,
        });
        let mut chance = Random::new(seeds.bits());
        let mut waiting: VecDeque<Trial> = VecDeque::new();
        loop {
            match tuner.ask() {
                Ask::Play(trial) => waiting.push_back(trial),
                Ask::Wait | Ask::Finished => {
                    let Some(trial) = waiting.pop_front() else { break };
                    let turn = trial.id.0 * self.games.len() as u64 / self.pairs.max(1);
                    let gap =
                        self.landscape.strength(&trial.plus).0 - self.landscape.strength(&trial.minus).0;
                    let score = self.games[turn as usize].play(Elo(gap), &mut chance);
                    tuner.tell(trial.id, score).expect("a trial is told once, after it was asked for");
                }
            }
        }
        tuner.finish();
        self.judge(&tuner)
    }

    fn judge(&self, tuner: &Tuner) -> SimulatedRun {
        let report = tuner.report();
        let optimum = self.landscape.optimum();
        let told = report.parameters.iter().zip(&optimum.0).zip(self.landscape.slopes());
        let held = told.filter(|((_, optimum), slope)| {
            let inside = (slope.parameter.min..=slope.parameter.max).contains(*optimum);
            inside && slope.above > 0.0
        });
        let held: Vec<bool> = held
            .filter_map(|((parameter, optimum), _)| {
                parameter.interval.map(|[low, high]| low <= *optimum && *optimum <= high)
            })
            .collect();
        SimulatedRun {
            start: self.landscape.strength(&self.landscape.space().start()),
            end: self.landscape.strength(&tuner.best()),
            pairs: tuner.pairs_told(),
            intervals: held.len() as u32,
            intervals_right: held.iter().filter(|right| **right).count() as u32,
        }
    }
}
