//! Tuners on landscapes: how much strength they find in how many games.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::thread;

use crate::stats::{Elo, Random};
use crate::tuning::simulation::landscape::{Landscape, SimulatedGames};
use crate::tuning::trial::Trial;
use crate::tuning::tuner::{Ask, Lookahead, Method, Tuner, TunerPlan};

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
    /// Intervals told for parameters that matter; where the optimum lies beyond the range, its end is what they should hold.
    pub intervals: u32,
    /// Those that held it.
    pub covering_intervals: u32,
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
        self.judge(&self.play(run))
    }

    fn play(&self, run: u64) -> Tuner {
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
                    tuner.record(trial.id, score).expect("a trial is told once, after it was asked for");
                }
            }
        }
        tuner.finish();
        tuner
    }

    fn judge(&self, tuner: &Tuner) -> SimulatedRun {
        let report = tuner.report();
        let told = report.parameters.iter().zip(self.landscape.best_allowed()).zip(self.landscape.slopes());
        // A parameter that does nothing has no optimum to hold.
        let held: Vec<bool> = told
            .filter(|(_, slope)| slope.above > 0.0)
            .filter_map(|((parameter, best), _)| {
                let ([low, high], best) = parameter.interval.zip(best)?;
                Some(low <= best && best <= high)
            })
            .collect();
        SimulatedRun {
            start: self.landscape.strength(&self.landscape.space().start()),
            end: self.landscape.strength(&tuner.best()),
            pairs: tuner.pairs_scored(),
            intervals: held.len() as u32,
            covering_intervals: held.iter().filter(|right| **right).count() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::GameModel;
    use crate::tuning::{Kind, Parabola, ParameterEffect, standard_landscapes};

    /// Runs of 40,000 games on the standard landscape of this name.
    fn tuned(name: &str, runs: u64) -> Vec<SimulatedRun> {
        let exhibit = standard_landscapes().into_iter().find(|exhibit| exhibit.name == name).unwrap();
        let (landscape, games, pairs) = (exhibit.landscape, exhibit.games, 20_000);
        let method = Method::named("bayes", landscape.space(), pairs).unwrap();
        let lookahead = Lookahead::default();
        TuneSimulation { landscape, games, method, pairs, lookahead, seed: 11 }.run(runs)
    }

    fn share_right(runs: &[SimulatedRun]) -> f64 {
        let sum = |count: fn(&SimulatedRun) -> u32| f64::from(runs.iter().map(count).sum::<u32>());
        sum(|run| run.covering_intervals) / sum(|run| run.intervals)
    }

    #[test]
    fn intervals_hold_optima_on_straight_turned_and_broken_landscapes_alike() {
        for name in ["L2", "L3", "L9"] {
            let runs = tuned(name, 6);
            assert_eq!(runs[0].intervals, 8);
            // 48 intervals, some of one run right or wrong together: 95 in 100, give or take three times 4.
            assert!(share_right(&runs) >= 0.83, "{name}: {}", share_right(&runs));
        }
    }

    #[test]
    fn runs_end_far_above_their_start_or_at_it() {
        for (name, least) in [("L2", -0.9), ("L7", -0.15)] {
            let runs = tuned(name, 6);
            let mean = runs.iter().map(|run| run.end.0).sum::<f64>() / 6.0;
            assert!(mean >= least, "{name}: {mean}");
            assert!(runs.iter().all(|run| run.end.0 >= run.start.0 - 0.2), "{name}: {runs:?}");
            // Where there is nothing to win, nearly every run knows better than to leave the start.
            assert!(runs.iter().filter(|run| run.end.0 < run.start.0).count() <= 1, "{name}: {runs:?}");
        }
    }

    #[test]
    fn weights_worth_hundreds_of_elo_are_seen_to_matter_and_their_gain_is_told() {
        // Perturbed as far as weights usually may be, sides are so far apart at first that scores hardly tell how far.
        let weight = |(name, start, steepness)| {
            Parabola::symmetric(name, [0.0, 400.0], start, 200.0, steepness, Kind::Integer)
        };
        let weights = [
            ("knight", 100.0, 170.0),
            ("bishop", 310.0, 150.0),
            ("rook", 65.0, 110.0),
            ("queen", 80.0, 140.0),
            ("nothing", 100.0, 0.0),
            ("nothing else", 300.0, 0.0),
        ];
        let landscape = Landscape::new(weights.map(weight).to_vec()).unwrap();
        let method = Method::named("bayes", landscape.space(), 4_000).unwrap();
        let games = vec![SimulatedGames::new(&GameModel::new(0.4, Elo(0.0)).unwrap())];
        let (pairs, lookahead) = (4_000, Lookahead::default());
        let simulation = TuneSimulation { landscape, games, method, pairs, lookahead, seed: 5 };
        for run in 0..4 {
            let tuner = simulation.play(run);
            let (report, run) = (tuner.report(), simulation.judge(&tuner));
            let effects: Vec<ParameterEffect> =
                report.parameters.iter().map(|weight| weight.effect).collect();
            assert_eq!(effects[..4], [ParameterEffect::Clear; 4]);
            assert!(!effects[4..].contains(&ParameterEffect::Clear), "{effects:?}");
            let (won, told) = (run.end.0 - run.start.0, report.gain.unwrap());
            assert!(won > 180.0, "{won}");
            assert!((told.elo.0 - won).abs() < 1.5 * told.error.0, "{won}, told {told:?}");
        }
    }
}
