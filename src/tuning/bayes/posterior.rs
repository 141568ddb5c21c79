//! The posterior of one parameter on its own: its optimum, and how steeply strength falls away from it.
//!
//! A value at offset `x` loses `steepness * (x - optimum)²` Elo. A pair between two values is a noisy measurement of the
//! slope at their midpoint, so five sums are a sufficient statistic for optimum and steepness. The posterior is computed
//! on a grid of optima and steepnesses.

use serde::{Deserialize, Serialize};

use crate::tuning::bayes::lanes::{dot, exponentials, largest};
use crate::tuning::bayes::mixture::{LEVELS, LOG_STEEPNESS_DEVIATION, Mixture, SCALES};

/// Sufficient statistic of the pairs for one parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Evidence {
    weight: f64,
    weight_at: f64,
    weight_at_squared: f64,
    slope: f64,
    slope_at: f64,
}

impl Evidence {
    /// Adds a pair between the offsets `plus` and `minus`, with an observed advantage of `elo` for plus and `information`
    /// relative to a pair between equal sides.
    pub(super) fn add(&mut self, plus: f64, minus: f64, elo: f64, information: f64) {
        let (at, distance) = ((plus + minus) / 2.0, plus - minus);
        let weight = information * distance * distance;
        let elo = information * elo;
        self.weight += weight;
        self.weight_at += weight * at;
        self.weight_at_squared += weight * at * at;
        self.slope += distance * elo;
        self.slope_at += distance * elo * at;
    }

    /// Multiplies the weight of all pairs so far by `factor`.
    pub(super) fn decay(&mut self, factor: f64) {
        for sum in [
            &mut self.weight,
            &mut self.weight_at,
            &mut self.weight_at_squared,
            &mut self.slope,
            &mut self.slope_at,
        ] {
            *sum *= factor;
        }
    }

    /// Returns the inverse variance of the measured slope, in units of the inverse variance of a pair.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// Returns the log-likelihood of an optimum and a steepness, times the variance of a pair.
    fn scaled_log_likelihood(&self, optimum: f64, steepness: f64) -> f64 {
        let squares = optimum * (optimum * self.weight - 2.0 * self.weight_at) + self.weight_at_squared;
        let product = optimum * self.slope - self.slope_at;
        2.0 * steepness * (product - steepness * squares)
    }
}

/// Number of grid offsets for an optimum; they are densest around the start.
pub(super) const OFFSETS: usize = 201;
/// Largest grid offset: a whole range and a little more.
pub(super) const MAX_OFFSET: f64 = 2.2;
/// How much denser the grid is at the start than far away: the argument range of the `sinh` that spaces it.
const GRID_CONCENTRATION: f64 = 4.0;
/// How far outside its range an optimum may lie, relative to the distance of the start from that bound.
///
/// A start at a bound is there because values beyond make no sense. If they were as likely as those inside, the
/// estimate would stay at the bound, where no pair has room on both sides.
const BEYOND_BOUND: f64 = 0.5;
/// Grid of steepnesses, in Elo at half a range: a geometric sequence from almost no effect to hardly playable.
/// The number of steepnesses is a multiple of four (see `lanes`).
const STEEPNESSES: usize = 40;
const MIN_STEEPNESS: f64 = 0.03;
const STEEPNESS_RATIO: f64 = 1.4;

/// Difference in log-likelihood beyond which a grid cell is skipped.
const NEGLIGIBLE: f64 = 30.0;

/// Posterior probability outside each end of an interval.
///
/// Chosen by simulation: parameters with little effect keep intervals as wide as their prior, which nearly always contain
/// the optimum, so that the coverage over all parameters is 95 % with tails a little above 2.5 %.
const TAIL: f64 = 0.03;

/// Weights of the scales for intervals: an optimum may be anywhere in the range.
const INTERVAL_SCALES: [f64; SCALES.len()] = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// The grid of optima and steepnesses, shared by all parameters.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    offsets: [f64; OFFSETS],
    widths: [f64; OFFSETS],
    steepnesses: [f64; STEEPNESSES],
    /// Prior probability of each steepness at each level.
    steepness_priors: [[f64; STEEPNESSES]; LEVELS.len()],
    /// The same times the steepness, and times its square.
    steepness_moments: [[f64; STEEPNESSES]; LEVELS.len()],
    steepness_squares: [[f64; STEEPNESSES]; LEVELS.len()],
    /// Prior density of each offset at each scale.
    offset_priors: [[f64; OFFSETS]; SCALES.len()],
}

impl Grid {
    pub(super) fn new() -> Self {
        let middle = (OFFSETS - 1) as f64 / 2.0;
        let offset = |index: f64| {
            MAX_OFFSET * (GRID_CONCENTRATION * (index - middle) / middle).sinh() / GRID_CONCENTRATION.sinh()
        };
        let offsets = std::array::from_fn(|index| offset(index as f64));
        let steepnesses = std::array::from_fn(|index| MIN_STEEPNESS * STEEPNESS_RATIO.powi(index as i32));
        let level_priors = |level: usize| {
            let density = steepnesses.map(|steepness: f64| {
                let deviation = (steepness / LEVELS[level]).ln() / LOG_STEEPNESS_DEVIATION;
                (-deviation * deviation / 2.0).exp()
            });
            let total: f64 = density.iter().sum();
            density.map(|density| density / total)
        };
        let steepness_priors: [[f64; STEEPNESSES]; LEVELS.len()] = std::array::from_fn(level_priors);
        let times_steepness =
            |values: &[f64; STEEPNESSES]| std::array::from_fn(|at| values[at] * steepnesses[at]);
        let steepness_moments = steepness_priors.each_ref().map(times_steepness);
        Self {
            offsets,
            widths: std::array::from_fn(|index| offset(index as f64 + 0.5) - offset(index as f64 - 0.5)),
            steepnesses,
            steepness_priors,
            steepness_squares: steepness_moments.each_ref().map(times_steepness),
            steepness_moments,
            offset_priors: SCALES.map(|scale| offsets.map(|offset| prior(offset, scale))),
        }
    }

    /// Computes the likelihood of every offset for one parameter that starts at `start`, from -1 to 1 across its range.
    pub(super) fn likelihood(&self, evidence: &Evidence, pair_variance: f64, start: f64) -> Likelihood {
        let lowest = -1.0 - BEYOND_BOUND * (1.0 + start);
        let highest = 1.0 + BEYOND_BOUND * (1.0 - start);
        let possible = |offset: f64| (lowest..=highest).contains(&(start + offset));
        let mut rows = vec![[f64::NEG_INFINITY; STEEPNESSES]; OFFSETS];
        let mut best = f64::NEG_INFINITY;
        for (row, &offset) in rows.iter_mut().zip(&self.offsets).filter(|(_, offset)| possible(**offset)) {
            for (cell, &steepness) in row.iter_mut().zip(&self.steepnesses) {
                *cell = evidence.scaled_log_likelihood(offset, steepness) / pair_variance;
            }
            best = best.max(largest(row));
        }
        let mut mass = [[0.0; OFFSETS]; LEVELS.len()];
        let mut moments = vec![[0.0; OFFSETS]; LEVELS.len()];
        let mut squares = vec![[0.0; OFFSETS]; LEVELS.len()];
        for (index, row) in rows.iter_mut().enumerate().filter(|(index, _)| possible(self.offsets[*index])) {
            if largest(row) <= best - NEGLIGIBLE {
                continue;
            }
            row.iter_mut().for_each(|cell| *cell -= best);
            exponentials(row);
            for level in 0..LEVELS.len() {
                mass[level][index] = self.widths[index] * dot(row, &self.steepness_priors[level]);
                moments[level][index] = self.widths[index] * dot(row, &self.steepness_moments[level]);
                squares[level][index] = self.widths[index] * dot(row, &self.steepness_squares[level]);
            }
        }
        let evidences = mass.each_ref().map(|mass| {
            let evidence =
                |priors: &[f64; OFFSETS]| priors.iter().zip(mass).map(|(prior, mass)| prior * mass).sum();
            self.offset_priors.each_ref().map(evidence)
        });
        // A parameter without effect has the log-likelihood 0.
        Likelihood { mass, moments, squares, evidences, log_without_effect: -best }
    }

    /// Returns, for every offset, the posterior mass and its products with the steepness and the square of the steepness.
    fn posterior(&self, likelihood: &Likelihood, mixture: &Mixture) -> Vec<[f64; 3]> {
        let cell = |index: usize| {
            let prior: f64 = mixture
                .scales
                .iter()
                .zip(&self.offset_priors)
                .map(|(weight, priors)| weight * priors[index])
                .sum();
            let mut sums = [0.0; 3];
            for (level, weight) in mixture.levels.iter().enumerate() {
                let parts = [
                    likelihood.mass[level][index],
                    likelihood.moments[level][index],
                    likelihood.squares[level][index],
                ];
                for (sum, part) in sums.iter_mut().zip(parts) {
                    *sum += prior * weight * part;
                }
            }
            sums
        };
        let cells: Vec<[f64; 3]> = (0..OFFSETS).map(cell).collect();
        let total: f64 = cells.iter().map(|cell| cell[0]).sum();
        cells.into_iter().map(|cell| cell.map(|sum| sum / total)).collect()
    }

    /// Estimates all parameters, given their likelihoods.
    pub(super) fn estimates(&self, likelihoods: &[Likelihood]) -> Vec<Estimate> {
        let mixtures = Mixture::fit(likelihoods);
        likelihoods
            .iter()
            .zip(&mixtures)
            .map(|(likelihood, mixture)| self.estimate(likelihood, mixture))
            .collect()
    }

    /// Estimates a parameter, given its likelihood and the prior that all parameters share.
    fn estimate(&self, likelihood: &Likelihood, mixture: &Mixture) -> Estimate {
        let (mut steepness, mut moment, mut second) = (0.0, 0.0, 0.0);
        let posterior = self.posterior(likelihood, mixture);
        for (cell, offset) in posterior.iter().zip(self.offsets) {
            steepness += cell[1];
            moment += cell[1] * offset;
            second += cell[1] * offset * offset;
        }
        let optimum = if steepness > 0.0 { moment / steepness } else { 0.0 };
        // The gain is the steepness times the difference of two squared distances from the optimum.
        let distances = |offset: f64| offset * offset - (offset - optimum) * (offset - optimum);
        let square: f64 = posterior
            .iter()
            .zip(self.offsets)
            .map(|(cell, offset)| cell[2] * distances(offset).powi(2))
            .sum();
        let gain = steepness * optimum * optimum;
        Estimate {
            effect_log_odds: mixture.effect_log_odds(likelihood),
            optimum,
            steepness,
            remaining_loss: (second - moment * optimum).max(0.0),
            gain,
            gain_variance: (square - gain * gain).max(0.0),
            interval: self.interval(likelihood, mixture),
        }
    }

    /// Returns the interval of the optimum. It does not use the scales that the games suggest: early in a run they
    /// suggest that starts are good, because nothing else has been seen yet, and short intervals around the starts held
    /// 14 % of the optima after 1,000 games.
    fn interval(&self, likelihood: &Likelihood, mixture: &Mixture) -> [f64; 2] {
        let unlearned = Mixture { scales: INTERVAL_SCALES, ..mixture.clone() };
        let mut masses = [0.0; OFFSETS];
        let posterior = self.posterior(likelihood, &unlearned);
        masses.iter_mut().zip(posterior).for_each(|(mass, cell)| *mass = cell[0]);
        [TAIL, 1.0 - TAIL].map(|share| self.quantile(&masses, share))
    }

    /// Adds a normal distribution to the masses of all grid offsets.
    pub(super) fn add_normal(&self, masses: &mut [f64; OFFSETS], mean: f64, variance: f64) {
        let height = 1.0 / variance.sqrt();
        for ((mass, offset), width) in masses.iter_mut().zip(self.offsets).zip(self.widths) {
            let exponent = (offset - mean) * (offset - mean) / (2.0 * variance);
            if exponent < NEGLIGIBLE {
                *mass += width * height * (-exponent).exp();
            }
        }
    }

    /// Returns the offset below which the fraction `share` of the total mass lies.
    pub(super) fn quantile(&self, masses: &[f64; OFFSETS], share: f64) -> f64 {
        let total: f64 = masses.iter().sum();
        let mut below = 0.0;
        for (index, mass) in masses.iter().enumerate() {
            let mass = mass / total;
            if below + mass >= share && mass > 0.0 {
                let inside = (share - below) / mass - 0.5;
                return self.offsets[index] + inside * self.widths[index];
            }
            below += mass;
        }
        MAX_OFFSET
    }
}

/// Density of Student's t-distribution with three degrees of freedom at its centre.
const STUDENT_AT_0: f64 = 0.367_552_596_947_861_4;

/// Returns the prior density of an optimum at `offset`: Student's t-distribution with three degrees of freedom, whose
/// heavy tails allow for a single parameter far from its optimum.
fn prior(offset: f64, scale: f64) -> f64 {
    let distance = offset / scale;
    STUDENT_AT_0 * (1.0 + distance * distance / 3.0).powi(-2) / scale
}

/// The likelihood of one parameter at every grid offset and level of steepness, up to a common factor.
#[derive(Clone, Debug)]
pub(super) struct Likelihood {
    /// Likelihood times the width of the grid cell.
    mass: [[f64; OFFSETS]; LEVELS.len()],
    /// Mass times steepness.
    moments: Vec<[f64; OFFSETS]>,
    /// Mass times the square of the steepness.
    squares: Vec<[f64; OFFSETS]>,
    /// Evidence for each level and scale.
    pub(super) evidences: [[f64; SCALES.len()]; LEVELS.len()],
    /// Logarithm of the evidence for a parameter without effect.
    pub(super) log_without_effect: f64,
}

/// Posterior estimates of one parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Estimate {
    /// Offset with the smallest expected loss.
    pub(super) optimum: f64,
    /// Expected Elo lost at half a range from the optimum.
    pub(super) steepness: f64,
    /// Expected Elo lost at `optimum` compared with the true optimum.
    pub(super) remaining_loss: f64,
    /// Expected Elo gained at `optimum` over the start.
    pub(super) gain: f64,
    /// Variance of that gain, in Elo².
    pub(super) gain_variance: f64,
    /// Logarithm of the odds, given by the pairs, that the parameter has an effect.
    pub(super) effect_log_odds: f64,
    /// Interval of the optimum if there are no interactions between parameters.
    pub(super) interval: [f64; 2],
}

impl Estimate {
    /// Returns the expected Elo advantage of the offset `plus` over `minus`.
    pub(super) fn gap(&self, plus: f64, minus: f64) -> f64 {
        self.steepness * (minus - plus) * (plus + minus - 2.0 * self.optimum)
    }
}
