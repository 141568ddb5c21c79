//! Simultaneous perturbation stochastic approximation (SPSA), with the gain schedules of fishtest, OpenBench and
//! weather-factory.
//!
//! Every iteration perturbs all parameters at once, each up or down at random, plays the plus side against the minus
//! side, and moves the centre along the perturbation in proportion to the score.

use serde::{Deserialize, Serialize};

use crate::stats::{NormalizedElo, PairScore, Random};
use crate::tuning::space::{Kind, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// Perturbation and learning rate of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The perturbation at the end of the run (`c_end` of fishtest and OpenBench), or `step` of weather-factory.
    pub perturbation: f64,
    /// The learning rate at the end of the run (`r_end`): a won game moves the centre by this fraction of the
    /// perturbation.
    pub rate: f64,
}

/// Perturbation and learning rate over the course of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GainSchedule {
    /// Gains are given for the last iteration. An iteration is a pair in fishtest and a batch of pairs in OpenBench.
    #[serde(rename = "ends")]
    FinalGains {
        /// Number of iterations of the whole run.
        iterations: f64,
        /// SPSA's stability constant `A`, which delays the decay of the step size, as a fraction of `iterations`.
        stability_ratio: f64,
        /// Decay exponent of the step size.
        alpha: f64,
        /// Decay exponent of the perturbation.
        gamma: f64,
    },
    /// Gains are given for the start, and time is counted in games, as in weather-factory.
    #[serde(rename = "starts")]
    InitialGains {
        /// Scale of the step size.
        a: f64,
        /// Scale of the perturbation.
        c: f64,
        /// SPSA's stability constant `A`, which delays the decay of the step size, in games.
        stability: f64,
        /// Decay exponent of the step size.
        alpha: f64,
        /// Decay exponent of the perturbation.
        gamma: f64,
    },
}

impl GainSchedule {
    /// Returns the schedule of fishtest and OpenBench for a run of `iterations` iterations.
    pub fn fishtest(iterations: f64) -> Self {
        Self::FinalGains { iterations, stability_ratio: 0.1, alpha: 0.602, gamma: 0.101 }
    }

    /// Returns a schedule without decay, as proposed by fishtest's automatic selection.
    pub fn constant(iterations: f64) -> Self {
        Self::FinalGains { iterations, stability_ratio: 0.0, alpha: 0.0, gamma: 0.0 }
    }

    /// Returns the schedule of weather-factory.
    pub fn weather_factory() -> Self {
        Self::InitialGains { a: 1.0, c: 1.0, stability: 100_000.0, alpha: 0.601, gamma: 0.102 }
    }

    /// Returns the perturbation, and the shift of the centre per game won, in `iteration` (from 0), which starts after
    /// `games` games.
    fn at(self, gain: Gain, iteration: u64, games: u64) -> StepSize {
        match self {
            Self::FinalGains { iterations, stability_ratio, alpha, gamma } => {
                let (count, stability) = (iteration as f64 + 1.0, stability_ratio * iterations);
                let perturbation = gain.perturbation * (iterations / count).powf(gamma);
                let step = gain.rate
                    * gain.perturbation.powi(2)
                    * ((stability + iterations) / (stability + count)).powf(alpha);
                StepSize { perturbation, shift: step / perturbation }
            }
            Self::InitialGains { a, c, stability, alpha, gamma } => {
                let scale = c / (games as f64).powf(gamma);
                let step = a / (games as f64 + stability).powf(alpha);
                StepSize { perturbation: gain.perturbation * scale, shift: gain.perturbation * step / scale }
            }
        }
    }
}

/// How perturbed values of integer parameters are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// To the nearest integer, as in weather-factory.
    Nearest,
    /// Down after adding the same random number to both sides, as in OpenBench.
    SharedNoise,
    /// Down after adding a different random number to each side, as in fishtest.
    OwnNoise,
}

/// The configuration of an SPSA run, apart from the parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaPlan {
    /// One gain per parameter.
    pub gains: Vec<Gain>,
    /// How gains change over the run.
    pub schedule: GainSchedule,
    /// How values of integer parameters are rounded.
    pub rounding: Rounding,
    /// Number of pairs played with the same perturbation.
    pub pairs_per_iteration: u32,
    /// Smallest perturbation of an integer parameter.
    pub least_integer_perturbation: f64,
}

impl SpsaPlan {
    /// Returns fishtest's defaults for a run of `pairs` pairs.
    pub fn fishtest(gains: Vec<Gain>, pairs: u64) -> Self {
        Self {
            gains,
            schedule: GainSchedule::fishtest(pairs as f64),
            rounding: Rounding::OwnNoise,
            pairs_per_iteration: 1,
            least_integer_perturbation: 0.0,
        }
    }

    /// Returns OpenBench's defaults for a run of `pairs` pairs, in batches of eight pairs.
    pub fn open_bench(gains: Vec<Gain>, pairs: u64) -> Self {
        Self {
            gains,
            schedule: GainSchedule::fishtest(pairs as f64 / 8.0),
            rounding: Rounding::SharedNoise,
            pairs_per_iteration: 8,
            least_integer_perturbation: 0.5,
        }
    }

    /// Returns weather-factory's defaults: sixteen games per iteration; [`Gain::rate`] is not used.
    pub fn weather_factory(gains: Vec<Gain>) -> Self {
        Self {
            gains,
            schedule: GainSchedule::weather_factory(),
            rounding: Rounding::Nearest,
            pairs_per_iteration: 8,
            least_integer_perturbation: 0.0,
        }
    }

    /// Returns constant gains as proposed by fishtest's automatic selection, for a precision of 0.5 Elo.
    pub fn automatic(space: &Space, pairs: u64) -> Self {
        let count = space.len() as f64;
        // The 95 % quantile of chi-square, by the Wilson-Hilferty approximation; 0.26 is four times the variance of a
        // game with a typical book.
        let ratio = 2.0 / (9.0 * count);
        let chi_square = count * (1.0 - ratio + 1.644_853_627 * ratio.sqrt()).powi(3);
        let rate = 0.5 / (NormalizedElo::PER_DEVIATION * chi_square * 0.26 / 8.0);
        let gain = |range: f64| Gain { perturbation: range / 6.0, rate };
        let gains = space.parameters().iter().map(|parameter| gain(parameter.range())).collect();
        Self { schedule: GainSchedule::constant(pairs as f64), ..Self::fishtest(gains, pairs) }
    }

    /// Returns the default gains of fishtest and Stockfish: perturbation range / 20, rate 0.002.
    pub fn default_gains(space: &Space) -> Vec<Gain> {
        let gain = |range: f64| Gain { perturbation: range / 20.0, rate: 0.002 };
        space.parameters().iter().map(|parameter| gain(parameter.range())).collect()
    }
}

/// The perturbation of one parameter, and the shift of its centre per game won.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct StepSize {
    perturbation: f64,
    shift: f64,
}

/// A perturbation in play; it stays as it was when its first trial was proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Iteration {
    number: u64,
    /// Signed shift of each parameter per half point above an even pair.
    shifts: Vec<f64>,
    plus: Settings,
    minus: Settings,
    pairs_scored: u32,
    /// Half points of the scored pairs above an even score.
    balance: i64,
}

/// An SPSA run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    plan: SpsaPlan,
    centre: Vec<f64>,
    iterations: Vec<Iteration>,
}

impl Spsa {
    /// Creates a run without scores.
    pub fn new(space: &Space, plan: SpsaPlan) -> Self {
        Self { plan, centre: space.start().0, iterations: Vec::new() }
    }

    /// Returns the current values, before rounding.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    pub(super) fn propose(&mut self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let number = id.0 / u64::from(self.plan.pairs_per_iteration);
        if self.iterations.last().is_none_or(|last| last.number != number) {
            let iteration = self.perturb(space, number, seed);
            self.iterations.push(iteration);
        }
        let last = self.iterations.last().expect("an iteration was pushed if there was none");
        Trial { id, plus: last.plus.clone(), minus: last.minus.clone() }
    }

    /// Adds a score. Scores arrive in the order of trials; the last one of an iteration moves the centre.
    pub(super) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        let number = trial.id.0 / u64::from(self.plan.pairs_per_iteration);
        let Some(at) = self.iterations.iter().position(|iteration| iteration.number == number) else {
            return;
        };
        let iteration = &mut self.iterations[at];
        iteration.balance += i64::from(score.half_points()) - 2;
        iteration.pairs_scored += 1;
        if iteration.pairs_scored == self.plan.pairs_per_iteration {
            let done = self.iterations.remove(at);
            for ((value, shift), parameter) in self.centre.iter_mut().zip(done.shifts).zip(space.parameters())
            {
                *value = parameter.clamp(*value + shift * done.balance as f64);
            }
        }
    }

    fn perturb(&self, space: &Space, number: u64, seed: u64) -> Iteration {
        let mut random = Random::of_item(seed, number);
        let per_iteration = u64::from(self.plan.pairs_per_iteration);
        let games = 2 * per_iteration * (number + 1);
        let (mut plus, mut minus, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
        for ((parameter, gain), &centre) in space.parameters().iter().zip(&self.plan.gains).zip(&self.centre)
        {
            let mut step_size = self.plan.schedule.at(*gain, number, games);
            if parameter.kind != Kind::Real {
                step_size.perturbation = step_size.perturbation.max(self.plan.least_integer_perturbation);
            }
            let sign = random.sign();
            let (first, second) = (random.unit(), random.unit());
            let (first, second) = match (parameter.kind, self.plan.rounding) {
                (Kind::Real, _) => (None, None),
                (_, Rounding::Nearest) => (Some(0.5), Some(0.5)),
                (_, Rounding::SharedNoise) => (Some(first), Some(first)),
                (_, Rounding::OwnNoise) => (Some(first), Some(second)),
            };
            let rounded = |value: f64, noise: Option<f64>| {
                parameter.clamp(noise.map_or(value, |noise| (parameter.clamp(value) + noise).floor()))
            };
            plus.push(rounded(centre + sign * step_size.perturbation, first));
            minus.push(rounded(centre - sign * step_size.perturbation, second));
            shifts.push(sign * step_size.shift);
        }
        Iteration {
            number,
            shifts,
            plus: Settings(plus),
            minus: Settings(minus),
            pairs_scored: 0,
            balance: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Parameter;

    const GAIN: Gain = Gain { perturbation: 10.0, rate: 0.002 };

    #[test]
    fn fishtest_gains_follow_the_published_schedule() {
        // Ratios to the final values in a run of 30,000 pairs.
        for (pair, rate, perturbation) in
            [(0, 0.53, 2.83), (2999, 1.75, 1.26), (14_999, 1.25, 1.07), (29_999, 1.0, 1.0)]
        {
            let step_size = GainSchedule::fishtest(30_000.0).at(GAIN, pair, 0);
            // The shift per game won is the rate times the perturbation.
            let found = step_size.shift / step_size.perturbation / GAIN.rate;
            assert!((found - rate).abs() < 0.006, "pair {pair}: rate {found}");
            assert!((step_size.perturbation / GAIN.perturbation - perturbation).abs() < 0.006, "pair {pair}");
        }
    }

    #[test]
    fn weather_factory_gains_follow_the_published_schedule() {
        let at = |games| GainSchedule::weather_factory().at(Gain { perturbation: 1.0, rate: 0.0 }, 0, games);
        assert!((at(16).perturbation - 0.75).abs() < 0.005);
        assert!((at(100_000).perturbation - 0.31).abs() < 0.005);
        // step * a_t / c_t with a_t = 1 / (t + 100000)^0.601.
        assert!((at(16).shift - (100_016f64).powf(-0.601) / 0.753_695).abs() < 1e-6);
    }

    #[test]
    fn a_won_batch_moves_the_centre_once_by_the_sum() {
        let space = Space::new(vec![Parameter::real("a", 0.0, 200.0, 100.0)]).unwrap();
        let mut spsa = Spsa::new(&space, SpsaPlan::open_bench(vec![GAIN], 80));
        let expected = GainSchedule::fishtest(10.0).at(GAIN, 0, 0);
        for pair in 0..8 {
            assert_eq!(spsa.centre(), [100.0]);
            let trial = spsa.propose(&space, TrialId(pair), 3);
            assert!((trial.plus.0[0] - trial.minus.0[0]).abs() - 2.0 * expected.perturbation < 1e-9);
            let score = if trial.plus.0[0] > trial.minus.0[0] { PairScore::WON } else { PairScore::LOST };
            spsa.learn(&space, &trial, score);
        }
        // Sixteen games won.
        assert!((spsa.centre()[0] - 100.0 - 16.0 * expected.shift).abs() < 1e-9);
    }

    #[test]
    fn shared_noise_never_rounds_a_perturbation_away() {
        let space = Space::new(vec![Parameter::integer("a", 0.0, 8.0, 4.0)]).unwrap();
        let gain = Gain { perturbation: 0.5, rate: 0.002 };
        let mut spsa = Spsa::new(
            &space,
            SpsaPlan { schedule: GainSchedule::constant(100.0), ..SpsaPlan::open_bench(vec![gain], 800) },
        );
        for iteration in 0..50 {
            let trial = spsa.propose(&space, TrialId(8 * iteration), 9);
            assert_eq!((trial.plus.0[0] - trial.minus.0[0]).abs(), 1.0);
        }
    }
}
