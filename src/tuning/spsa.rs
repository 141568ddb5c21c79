//! Simultaneous perturbation, with the schedules that others made known.
//!
//! Every iteration moves all parameters at once, each a perturbation up or down by the toss of a coin, plays plus
//! against minus, and shifts the centre along the perturbation by the score.

use serde::{Deserialize, Serialize};

use crate::stats::{NormalizedElo, PairScore, Random};
use crate::tuning::space::{Kind, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// How far a parameter is perturbed and how fast it learns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The perturbation: at the end of the run, or weather-factory's `step`.
    pub perturbation: f64,
    /// The share of a perturbation that a won game moves the centre by, at the end of the run.
    pub rate: f64,
}

/// How perturbation and learning rate change over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GainSchedule {
    /// Gains are given for the last of `iterations`; fishtest counts pairs, OpenBench batches of pairs.
    #[serde(rename = "ends")]
    FinalGains {
        /// Length of the whole run.
        iterations: f64,
        /// Share of the run by which the learning rate's decay is held back.
        stability_ratio: f64,
        /// Decay of the step.
        alpha: f64,
        /// Decay of the perturbation.
        gamma: f64,
    },
    /// Gains are given for the start, and time is counted in games; weather-factory.
    #[serde(rename = "starts")]
    InitialGains {
        /// Scale of the step.
        a: f64,
        /// Scale of the perturbation.
        c: f64,
        /// Games by which the learning rate's decay is held back.
        stability: f64,
        /// Decay of the step.
        alpha: f64,
        /// Decay of the perturbation.
        gamma: f64,
    },
}

impl GainSchedule {
    /// fishtest's constants for a run of so many pairs; OpenBench's for so many iterations.
    pub fn fishtest(iterations: f64) -> Self {
        Self::FinalGains { iterations, stability_ratio: 0.1, alpha: 0.602, gamma: 0.101 }
    }

    /// No decay at all, as fishtest's automatic selection proposes.
    pub fn constant(iterations: f64) -> Self {
        Self::FinalGains { iterations, stability_ratio: 0.0, alpha: 0.0, gamma: 0.0 }
    }

    /// weather-factory's constants.
    pub fn weather_factory() -> Self {
        Self::InitialGains { a: 1.0, c: 1.0, stability: 100_000.0, alpha: 0.601, gamma: 0.102 }
    }

    /// Perturbation, and shift of the centre per game won, in `iteration` (from 0) that starts after `games`.
    fn at(self, gain: Gain, iteration: u64, games: u64) -> Stride {
        match self {
            Self::FinalGains { iterations, stability_ratio, alpha, gamma } => {
                let (count, stability) = (iteration as f64 + 1.0, stability_ratio * iterations);
                let perturbation = gain.perturbation * (iterations / count).powf(gamma);
                let step = gain.rate
                    * gain.perturbation.powi(2)
                    * ((stability + iterations) / (stability + count)).powf(alpha);
                Stride { perturbation, shift: step / perturbation }
            }
            Self::InitialGains { a, c, stability, alpha, gamma } => {
                let scale = c / (games as f64).powf(gamma);
                let step = a / (games as f64 + stability).powf(alpha);
                Stride { perturbation: gain.perturbation * scale, shift: gain.perturbation * step / scale }
            }
        }
    }
}

/// How perturbed values become whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// To the nearest; weather-factory.
    Nearest,
    /// Down after adding one random number to both sides; OpenBench.
    SharedNoise,
    /// Down after adding a random number to each side; fishtest.
    OwnNoise,
}

/// Everything a run of simultaneous perturbation agrees on beforehand, beside the parameters themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaPlan {
    /// One gain for each parameter.
    pub gains: Vec<Gain>,
    /// How gains change.
    pub schedule: GainSchedule,
    /// How values become whole.
    pub rounding: Rounding,
    /// Pairs that share a perturbation.
    pub pairs_per_iteration: u32,
    /// The smallest perturbation of a whole-number parameter.
    pub least_integer_perturbation: f64,
}

impl SpsaPlan {
    /// fishtest with its usual constants; `pairs` is the length of the run.
    pub fn fishtest(gains: Vec<Gain>, pairs: u64) -> Self {
        Self {
            gains,
            schedule: GainSchedule::fishtest(pairs as f64),
            rounding: Rounding::OwnNoise,
            pairs_per_iteration: 1,
            least_integer_perturbation: 0.0,
        }
    }

    /// OpenBench with its usual constants: batches of eight pairs.
    pub fn open_bench(gains: Vec<Gain>, pairs: u64) -> Self {
        Self {
            gains,
            schedule: GainSchedule::fishtest(pairs as f64 / 8.0),
            rounding: Rounding::SharedNoise,
            pairs_per_iteration: 8,
            least_integer_perturbation: 0.5,
        }
    }

    /// weather-factory with its usual constants: sixteen games an iteration; a gain's rate is not used.
    pub fn weather_factory(gains: Vec<Gain>) -> Self {
        Self {
            gains,
            schedule: GainSchedule::weather_factory(),
            rounding: Rounding::Nearest,
            pairs_per_iteration: 8,
            least_integer_perturbation: 0.0,
        }
    }

    /// Constant gains as fishtest's automatic selection proposes them, for half an Elo of precision.
    pub fn automatic(space: &Space, pairs: u64) -> Self {
        let count = space.len() as f64;
        // The 95 % point of chi-square, by Wilson and Hilferty; 0.26 is four times a game's variance with a usual book.
        let share = 2.0 / (9.0 * count);
        let chi_square = count * (1.0 - share + 1.644_853_627 * share.sqrt()).powi(3);
        let rate = 0.5 / (NormalizedElo::PER_DEVIATION * chi_square * 0.26 / 8.0);
        let gain = |range: f64| Gain { perturbation: range / 6.0, rate };
        let gains = space.parameters().iter().map(|parameter| gain(parameter.range())).collect();
        Self { schedule: GainSchedule::constant(pairs as f64), ..Self::fishtest(gains, pairs) }
    }

    /// The gains that fishtest and Stockfish propose when nobody chose: a twentieth of the range, rate 0.002.
    pub fn usual_gains(space: &Space) -> Vec<Gain> {
        let gain = |range: f64| Gain { perturbation: range / 20.0, rate: 0.002 };
        space.parameters().iter().map(|parameter| gain(parameter.range())).collect()
    }
}

/// One parameter's perturbation, and what a won game moves its centre by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Stride {
    perturbation: f64,
    shift: f64,
}

/// A perturbation in play, frozen when it was first asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Iteration {
    number: u64,
    /// Each parameter's signed shift per half point above an even pair.
    shifts: Vec<f64>,
    plus: Settings,
    minus: Settings,
    pairs_scored: u32,
    balance: i64,
}

/// Simultaneous perturbation in the middle of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    plan: SpsaPlan,
    centre: Vec<f64>,
    iterations: Vec<Iteration>,
}

impl Spsa {
    /// A run at its start.
    pub fn new(space: &Space, plan: SpsaPlan) -> Self {
        Self { plan, centre: space.start().0, iterations: Vec::new() }
    }

    /// Where the run stands, before rounding.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    pub(super) fn propose(&mut self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let number = id.0 / u64::from(self.plan.pairs_per_iteration);
        if self.iterations.last().is_none_or(|last| last.number != number) {
            let iteration = self.perturb(space, number, seed);
            self.iterations.push(iteration);
        }
        let last = self.iterations.last().expect("an iteration was just made sure of");
        Trial { id, plus: last.plus.clone(), minus: last.minus.clone() }
    }

    /// Scores arrive in the order of trials; the last of an iteration moves the centre.
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
            let mut stride = self.plan.schedule.at(*gain, number, games);
            if parameter.kind == Kind::Integer {
                stride.perturbation = stride.perturbation.max(self.plan.least_integer_perturbation);
            }
            let sign = random.sign();
            let (first, second) = (random.unit(), random.unit());
            let (first, second) = match (parameter.kind, self.plan.rounding) {
                (Kind::Real, _) => (None, None),
                (Kind::Integer, Rounding::Nearest) => (Some(0.5), Some(0.5)),
                (Kind::Integer, Rounding::SharedNoise) => (Some(first), Some(first)),
                (Kind::Integer, Rounding::OwnNoise) => (Some(first), Some(second)),
            };
            let rounded = |value: f64, noise: Option<f64>| {
                parameter.clamp(noise.map_or(value, |noise| (parameter.clamp(value) + noise).floor()))
            };
            plus.push(rounded(centre + sign * stride.perturbation, first));
            minus.push(rounded(centre - sign * stride.perturbation, second));
            shifts.push(sign * stride.shift);
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
        // Ratios to the final values for a run of 30,000 pairs.
        for (pair, rate, perturbation) in
            [(0, 0.53, 2.83), (2999, 1.75, 1.26), (14_999, 1.25, 1.07), (29_999, 1.0, 1.0)]
        {
            let stride = GainSchedule::fishtest(30_000.0).at(GAIN, pair, 0);
            // The shift per game won is the rate times the perturbation.
            let found = stride.shift / stride.perturbation / GAIN.rate;
            assert!((found - rate).abs() < 0.006, "pair {pair}: rate {found}");
            assert!((stride.perturbation / GAIN.perturbation - perturbation).abs() < 0.006, "pair {pair}");
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
