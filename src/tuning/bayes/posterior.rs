//! The posterior of one parameter on its own: its optimum, and how steeply strength falls away from it.
//!
//! A value at offset `x` loses `steepness * (x - optimum)²` Elo. A pair between two values is a noisy measurement of the
//! slope at their midpoint, so five sums are a sufficient statistic for optimum and steepness. The posterior is computed
//! on a grid of optima and steepnesses.

use serde::{Deserialize, Serialize};

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
/// Optima farther than this from the middle of the range have no prior probability; the range ends at 1.
const MAX_POSITION: f64 = 1.5;
/// Grid of steepnesses, in Elo at half a range: a geometric sequence from almost no effect to hardly playable.
const STEEPNESSES: usize = 31;
const MIN_STEEPNESS: f64 = 0.03;
const STEEPNESS_RATIO: f64 = 1.4;
/// Log-normal prior of a steepness: median 2 Elo, standard deviation 1.5 of its logarithm.
const MEDIAN_STEEPNESS: f64 = 2.0;
const LOG_STEEPNESS_DEVIATION: f64 = 1.5;

/// Scales of the prior of the optimum: typical distances of starting values from their optima, in half ranges. The scale
/// is common to all parameters, and its posterior is estimated from all of them.
pub(super) const SCALES: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0];

/// Difference in log-likelihood beyond which a grid cell is skipped.
const NEGLIGIBLE: f64 = 30.0;

/// Posterior probability outside each end of an interval.
///
/// Chosen by simulation: parameters with little effect keep intervals as wide as their prior, which nearly always contain
/// the optimum, so that the coverage over all parameters is 95 % with tails a little above 2.5 %.
const TAIL: f64 = 0.03;

/// The grid of optima and steepnesses, shared by all parameters.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    offsets: [f64; OFFSETS],
    widths: [f64; OFFSETS],
    steepnesses: [f64; STEEPNESSES],
    /// Unnormalised logarithm of the prior of each steepness.
    steepness_log_priors: [f64; STEEPNESSES],
}

impl Grid {
    pub(super) fn new() -> Self {
        let middle = (OFFSETS - 1) as f64 / 2.0;
        let offset = |index: f64| {
            MAX_OFFSET * (GRID_CONCENTRATION * (index - middle) / middle).sinh() / GRID_CONCENTRATION.sinh()
        };
        let steepnesses = std::array::from_fn(|index| MIN_STEEPNESS * STEEPNESS_RATIO.powi(index as i32));
        Self {
            offsets: std::array::from_fn(|index| offset(index as f64)),
            widths: std::array::from_fn(|index| offset(index as f64 + 0.5) - offset(index as f64 - 0.5)),
            steepnesses,
            steepness_log_priors: steepnesses.map(|steepness: f64| {
                let deviation = (steepness / MEDIAN_STEEPNESS).ln() / LOG_STEEPNESS_DEVIATION;
                -deviation * deviation / 2.0
            }),
        }
    }

    /// Computes the likelihood of every offset for one parameter that starts at `start`, from -1 to 1 across its range.
    pub(super) fn likelihood(&self, evidence: &Evidence, pair_variance: f64, start: f64) -> Likelihood {
        let log_density = |offset: f64, index: usize| {
            self.steepness_log_priors[index]
                + evidence.scaled_log_likelihood(offset, self.steepnesses[index]) / pair_variance
        };
        let possible = |offset: f64| (start + offset).abs() <= MAX_POSITION;
        let mut log_densities = vec![[f64::NEG_INFINITY; STEEPNESSES]; OFFSETS];
        let mut best = f64::NEG_INFINITY;
        for (row, &offset) in
            log_densities.iter_mut().zip(&self.offsets).filter(|(_, offset)| possible(**offset))
        {
            for (index, cell) in row.iter_mut().enumerate() {
                *cell = log_density(offset, index);
                best = best.max(*cell);
            }
        }
        let (mut mass, mut steepness, mut squared_steepness) =
            ([0.0; OFFSETS], [0.0; OFFSETS], [0.0; OFFSETS]);
        for (index, row) in log_densities.iter().enumerate() {
            for (&steep, cell) in
                self.steepnesses.iter().zip(row).filter(|(_, cell)| **cell > best - NEGLIGIBLE)
            {
                let cell_mass = (cell - best).exp() * self.widths[index];
                mass[index] += cell_mass;
                steepness[index] += cell_mass * steep;
                squared_steepness[index] += cell_mass * steep * steep;
            }
        }
        let steepness_total: f64 = self.steepness_log_priors.iter().map(|log| log.exp()).sum();
        let log_evidences: [f64; SCALES.len()] = SCALES.map(|scale| {
            let total: f64 =
                self.offsets.iter().zip(mass).map(|(&offset, mass)| prior(offset, scale) * mass).sum();
            total.ln()
        });
        let log_factor = best - steepness_total.ln();
        Likelihood { mass, steepness, squared_steepness, log_evidences, log_factor }
    }

    /// Estimates a parameter, given its likelihood and the probabilities of the scales.
    pub(super) fn estimate(
        &self,
        likelihood: &Likelihood,
        scale_probabilities: &[f64; SCALES.len()],
    ) -> Estimate {
        let mut posterior = [0.0; OFFSETS];
        let (mut steepness, mut moment, mut second) = (0.0, 0.0, 0.0);
        for (index, &offset) in self.offsets.iter().enumerate() {
            let prior = likelihood.mixed_prior(offset, scale_probabilities);
            posterior[index] = prior * likelihood.mass[index];
            let steep = prior * likelihood.steepness[index];
            steepness += steep;
            moment += steep * offset;
            second += steep * offset * offset;
        }
        let optimum = moment / steepness;
        let evidence: f64 = scale_probabilities
            .iter()
            .zip(likelihood.log_evidences)
            .map(|(probability, log_evidence)| probability * log_evidence.exp())
            .sum();
        Estimate {
            log_evidence: evidence.ln() + likelihood.log_factor,
            optimum,
            steepness,
            remaining_loss: (second - moment * optimum).max(0.0),
            interval: [TAIL, 1.0 - TAIL].map(|share| self.quantile(&posterior, share)),
        }
    }

    /// Returns the expected Elo gained by moving a parameter from the start to the offset `best`, and its variance.
    pub(super) fn gain(
        &self,
        likelihood: &Likelihood,
        scale_probabilities: &[f64; SCALES.len()],
        best: f64,
    ) -> (f64, f64) {
        let (mut mean, mut square) = (0.0, 0.0);
        for (index, &offset) in self.offsets.iter().enumerate() {
            let prior = likelihood.mixed_prior(offset, scale_probabilities);
            let gain = best * (2.0 * offset - best);
            mean += prior * likelihood.steepness[index] * gain;
            square += prior * likelihood.squared_steepness[index] * gain * gain;
        }
        (mean, (square - mean * mean).max(0.0))
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

/// The likelihood of one parameter at every grid offset, integrated over its steepness.
#[derive(Clone, Debug)]
pub(super) struct Likelihood {
    /// Likelihood times the width of the grid cell, up to a common factor.
    mass: [f64; OFFSETS],
    /// Mass times steepness.
    steepness: [f64; OFFSETS],
    /// Mass times squared steepness.
    squared_steepness: [f64; OFFSETS],
    /// Logarithm of the evidence for each scale, up to a common factor.
    log_evidences: [f64; SCALES.len()],
    /// Logarithm of the common factor; with it, an evidence is relative to that of a parameter without effect.
    log_factor: f64,
}

impl Likelihood {
    /// Returns the prior density of an offset, mixed over the scales, divided by the evidence of each.
    fn mixed_prior(&self, offset: f64, scale_probabilities: &[f64; SCALES.len()]) -> f64 {
        SCALES
            .iter()
            .zip(scale_probabilities)
            .zip(self.log_evidences)
            .map(|((&scale, probability), log_evidence)| {
                probability * prior(offset, scale) / log_evidence.exp()
            })
            .sum()
    }
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
    /// Logarithm of the odds, given by the pairs, that the parameter has an effect.
    pub(super) log_evidence: f64,
    /// Interval of the optimum if there are no interactions between parameters.
    pub(super) interval: [f64; 2],
}

impl Estimate {
    /// Returns the expected Elo advantage of the offset `plus` over `minus`.
    pub(super) fn gap(&self, plus: f64, minus: f64) -> f64 {
        self.steepness * (minus - plus) * (plus + minus - 2.0 * self.optimum)
    }
}

/// Returns the posterior probabilities of the scales, given all parameters.
pub(super) fn scale_posterior(parameters: &[Likelihood]) -> [f64; SCALES.len()] {
    let mut logs = [0.0; SCALES.len()];
    for likelihood in parameters {
        for (log, log_evidence) in logs.iter_mut().zip(likelihood.log_evidences) {
            *log += log_evidence;
        }
    }
    let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let evidences = logs.map(|log| (log - max).exp());
    let total: f64 = evidences.iter().sum();
    evidences.map(|evidence| evidence / total)
}
