//! Simulated tuning runs: the strength that a tuner gains on a landscape in a number of games.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::thread;

use crate::stats::{Elo, Random};
use crate::tuning::earlier::EarlierPairs;
use crate::tuning::report::GainEstimate;
use crate::tuning::simulation::landscape::{Landscape, SimulatedGames};
use crate::tuning::trial::Trial;
use crate::tuning::tuner::{Ask, Lookahead, Method, Tuner, TunerPlan};

/// The configuration of simulated tuning runs.
#[derive(Clone, Debug)]
pub struct TuneSimulation {
    /// Strength of settings.
    pub landscape: Landscape,
    /// Models of the games; each covers an equal part of the run.
    pub games: Vec<SimulatedGames>,
    /// The tuning method.
    pub method: Method,
    /// Maximum number of pairs of a run.
    pub pairs: u64,
    /// Maximum number of pairs in play at once.
    pub lookahead: Lookahead,
    /// Random seed.
    pub seed: u64,
}

/// The result of one simulated run.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedRun {
    /// Strength before tuning.
    pub start: Elo,
    /// Strength after tuning.
    pub end: Elo,
    /// Number of pairs played.
    pub pairs: u64,
    /// Estimated gain of the best settings over the start; `None` if the method does not estimate it.
    pub gain: Option<GainEstimate>,
    /// Number of intervals reported for parameters with an effect.
    pub intervals: u32,
    /// How many of them contain the optimum, or the nearer end of the range if the optimum lies outside.
    pub covering_intervals: u32,
}

impl TuneSimulation {
    /// Simulates `runs` runs on all cores; run `k` is the same on any machine.
    pub fn run(&self, runs: u64) -> Vec<SimulatedRun> {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get) as u64;
        thread::scope(|scope| {
            let share =
                |worker| move || (worker..runs).step_by(workers as usize).map(|run| self.tune(run)).collect();
            let started: Vec<_> = (0..workers).map(|worker| scope.spawn(share(worker))).collect();
            let mut results: Vec<std::vec::IntoIter<SimulatedRun>> = started
                .into_iter()
                .map(|worker| worker.join().map(Vec::into_iter).expect("a simulated run does not panic"))
                .collect();
            // Worker w has done runs w, w + workers, …; taking one from each in turn restores the order.
            (0..runs).filter_map(|run| results[(run % workers) as usize].next()).collect()
        })
    }

    /// Simulates run number `run`.
    pub fn tune(&self, run: u64) -> SimulatedRun {
        self.evaluate(&self.play(run))
    }

    fn play(&self, run: u64) -> Tuner {
        let mut seeds = Random::of_item(self.seed, run);
        let mut tuner = Tuner::new(TunerPlan {
            space: self.landscape.space().clone(),
            method: self.method.clone(),
            pairs: self.pairs,
            seed: seeds.bits(),
            lookahead: self.lookahead,
            earlier: EarlierPairs::default(),
        });
        let mut random = Random::new(seeds.bits());
        let mut in_play: VecDeque<Trial> = VecDeque::new();
        loop {
            match tuner.ask() {
                Ask::Play(trial) => in_play.push_back(trial),
                Ask::Wait | Ask::Finished => {
                    let Some(trial) = in_play.pop_front() else { break };
                    let model = trial.id.0 * self.games.len() as u64 / self.pairs.max(1);
                    let gap =
                        self.landscape.strength(&trial.plus).0 - self.landscape.strength(&trial.minus).0;
                    let score = self.games[model as usize].play(Elo(gap), &mut random);
                    tuner.record(trial.id, score).expect("every proposed trial is scored once");
                }
            }
        }
        tuner.finish();
        tuner
    }

    fn evaluate(&self, tuner: &Tuner) -> SimulatedRun {
        let report = tuner.report();
        let parameters =
            report.parameters.iter().zip(self.landscape.best_allowed()).zip(self.landscape.parabolas());
        // A parameter without effect has no optimum that its interval could contain.
        let covers: Vec<bool> = parameters
            .filter(|(_, parabola)| parabola.above > 0.0)
            .filter_map(|((parameter, best), _)| {
                let ([low, high], best) = parameter.interval.zip(best)?;
                Some(low <= best && best <= high)
            })
            .collect();
        SimulatedRun {
            start: self.landscape.strength(&self.landscape.space().start()),
            end: self.landscape.strength(&tuner.best()),
            pairs: tuner.pairs_scored(),
            gain: report.gain,
            intervals: covers.len() as u32,
            covering_intervals: covers.iter().filter(|covers| **covers).count() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::GameModel;
    use crate::tuning::{Kind, Parabola, ParameterEffect, standard_landscapes};

    /// Simulates runs of 40,000 games on a standard landscape.
    fn tuned(name: &str, runs: u64) -> Vec<SimulatedRun> {
        let standard = standard_landscapes().into_iter().find(|standard| standard.name == name).unwrap();
        let (landscape, games, pairs) = (standard.landscape, standard.games, 20_000);
        let method = Method::named("bayes", landscape.space(), pairs).unwrap();
        let lookahead = Lookahead::default();
        TuneSimulation { landscape, games, method, pairs, lookahead, seed: 11 }.run(runs)
    }

    fn coverage(runs: &[SimulatedRun]) -> f64 {
        let sum = |count: fn(&SimulatedRun) -> u32| f64::from(runs.iter().map(count).sum::<u32>());
        sum(|run| run.covering_intervals) / sum(|run| run.intervals)
    }

    fn covers_gain(run: &SimulatedRun) -> bool {
        let gain = run.gain.unwrap();
        (gain.elo.0 - (run.end.0 - run.start.0)).abs() <= gain.error.0
    }

    #[test]
    fn intervals_cover_the_optima_on_axis_aligned_rotated_discontinuous_and_skewed_landscapes() {
        for name in ["L2", "L3", "L9", "N3"] {
            let runs = tuned(name, 6);
            assert_eq!(runs[0].intervals, 8);
            // 48 intervals, correlated within a run: 95 % minus three standard errors of 4 %.
            assert!(coverage(&runs) >= 0.83, "{name}: {}", coverage(&runs));
        }
    }

    #[test]
    fn runs_end_far_above_their_start_or_close_to_an_optimal_start() {
        for (name, min_mean) in [("L2", -0.9), ("L7", -0.1)] {
            let runs = tuned(name, 6);
            let mean = runs.iter().map(|run| run.end.0).sum::<f64>() / 6.0;
            assert!(mean >= min_mean, "{name}: {mean}");
            assert!(runs.iter().all(|run| run.end.0 >= run.start.0 - 0.25), "{name}: {runs:?}");
        }
    }

    #[test]
    fn runs_leave_a_start_that_loses_strength_however_ranges_and_starts_were_chosen() {
        // A run that keeps its start leaves 3, 18, 3.3 and 4.8 Elo.
        for (name, max_loss) in [("N1", 0.3), ("N2", 1.5), ("N6", 0.8), ("N7", 1.5)] {
            let runs = tuned(name, 2);
            let mean = runs.iter().map(|run| -run.end.0).sum::<f64>() / 2.0;
            assert!(mean <= max_loss, "{name}: {mean}");
        }
    }

    #[test]
    fn short_runs_on_interacting_piece_values_end_above_those_of_a_rival() {
        let standard = standard_landscapes().into_iter().find(|standard| standard.name == "N9").unwrap();
        for pairs in [500, 1_000] {
            let [ours, rival] = ["bayes", "weather-factory"].map(|method| {
                let (landscape, games) = (standard.landscape.clone(), standard.games.clone());
                let method = Method::named(method, landscape.space(), pairs).unwrap();
                let lookahead = Lookahead::default();
                let runs = TuneSimulation { landscape, games, method, pairs, lookahead, seed: 11 }.run(4);
                runs.iter().map(|run| run.end.0).sum::<f64>() / 4.0
            });
            assert!(ours > -10.0 && ours > rival, "{pairs} pairs: {ours}, rival {rival}");
        }
    }

    #[test]
    fn intervals_of_a_short_run_are_reported_and_cover_the_optima() {
        let standard = standard_landscapes().into_iter().find(|standard| standard.name == "L2").unwrap();
        let (landscape, games, pairs) = (standard.landscape, standard.games, 1_000);
        let method = Method::named("bayes", landscape.space(), pairs).unwrap();
        let lookahead = Lookahead::default();
        let runs = TuneSimulation { landscape, games, method, pairs, lookahead, seed: 11 }.run(6);
        assert!(coverage(&runs) >= 0.9, "{}", coverage(&runs));
        assert!(runs.iter().filter(|run| covers_gain(run)).count() >= 5, "{runs:?}");
    }

    #[test]
    fn reported_gains_hold_the_true_one_for_a_single_parameter_and_for_interacting_ones() {
        for name in ["N1", "N9"] {
            let runs = tuned(name, 6);
            assert!(runs.iter().filter(|run| covers_gain(run)).count() >= 5, "{name}: {runs:?}");
        }
    }

    #[test]
    fn parameters_worth_hundreds_of_elo_have_a_clear_effect_and_a_correct_gain() {
        // Perturbed as far as usual, the sides differ so much at first that scores hardly depend on the difference.
        let weight = |(name, start, curvature)| {
            Parabola::symmetric(name, [0.0, 400.0], start, 200.0, curvature, Kind::Integer)
        };
        let weights = [
            ("knight", 100.0, 170.0),
            ("bishop", 310.0, 150.0),
            ("rook", 65.0, 110.0),
            ("queen", 80.0, 140.0),
            ("unused", 100.0, 0.0),
            ("also unused", 300.0, 0.0),
        ];
        let landscape = Landscape::new(weights.map(weight).to_vec()).unwrap();
        let method = Method::named("bayes", landscape.space(), 4_000).unwrap();
        let games = vec![SimulatedGames::new(&GameModel::new(0.4, Elo(0.0)).unwrap())];
        let (pairs, lookahead) = (4_000, Lookahead::default());
        let simulation = TuneSimulation { landscape, games, method, pairs, lookahead, seed: 5 };
        for run in 0..4 {
            let tuner = simulation.play(run);
            let (report, run) = (tuner.report(), simulation.evaluate(&tuner));
            let effects: Vec<ParameterEffect> =
                report.parameters.iter().map(|weight| weight.effect).collect();
            assert_eq!(effects[..4], [ParameterEffect::Clear; 4]);
            assert!(!effects[4..].contains(&ParameterEffect::Clear), "{effects:?}");
            let (gain, reported) = (run.end.0 - run.start.0, report.gain.unwrap());
            assert!(gain > 180.0, "{gain}");
            assert!((reported.elo.0 - gain).abs() < 1.5 * reported.error.0, "{gain}, reported {reported:?}");
        }
    }
}
