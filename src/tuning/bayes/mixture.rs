//! The prior that all parameters share: how far starts are from optima, and how steeply strength falls.
//!
//! Both are mixtures whose weights are estimated from all parameters: of scales for the distance, and of levels for the
//! steepness. Each parameter has its own scale and its own level, so that one wrong start among seven right ones, or
//! ten steep parameters among a hundred flat ones, are expected as soon as the games show them.

use crate::tuning::bayes::posterior::Likelihood;

/// Scales of the prior of the optimum: typical distances of starting values from their optima, in half ranges.
pub(super) const SCALES: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0];
/// Number of parameters that the prior of the weight of each scale counts for.
const SCALE_PRIOR_COUNT: f64 = 0.1;

/// Levels of steepness: medians of log-normal distributions, in Elo at half a range.
///
/// There is no level below the first one. With a level of 0.3 Elo, or one of exactly zero, weak evidence of an effect
/// counted as evidence of none, and runs ended early: L2 0.63 instead of 0.46, N7 3.0 instead of 1.8 Elo left.
pub(super) const LEVELS: [f64; 3] = [2.0, 12.0, 80.0];
/// Number of parameters that the prior of the weight of each level counts for.
const LEVEL_PRIOR_COUNTS: [f64; LEVELS.len()] = [1.0, 0.3, 0.1];
/// Standard deviation of the logarithm of a steepness within a level.
pub(super) const LOG_STEEPNESS_DEVIATION: f64 = 1.5;

/// Iterations of the fit.
const ITERATIONS: usize = 30;

/// Weights of the scales and levels in the prior of one parameter.
#[derive(Clone, Debug)]
pub(super) struct Mixture {
    pub(super) scales: [f64; SCALES.len()],
    pub(super) levels: [f64; LEVELS.len()],
}

impl Mixture {
    /// Estimates the weights for each parameter from all *other* parameters, each of which counts for every scale and
    /// level in proportion to the evidence of its games for it. A parameter that counted in its own prior would confirm
    /// any accident of its own games.
    pub(super) fn fit(parameters: &[Likelihood]) -> Vec<Self> {
        let mut totals = Self { scales: [SCALE_PRIOR_COUNT; SCALES.len()], levels: LEVEL_PRIOR_COUNTS };
        let mut shares: Vec<Self> =
            vec![Self { scales: [0.0; SCALES.len()], levels: [0.0; LEVELS.len()] }; parameters.len()];
        for _ in 0..ITERATIONS {
            for (likelihood, share) in parameters.iter().zip(&mut shares) {
                totals.add(share, -1.0);
                *share = totals.share(likelihood);
                totals.add(share, 1.0);
            }
        }
        let without = |share: &Self| {
            let mut others = totals.clone();
            others.add(share, -1.0);
            Self { scales: normalised(others.scales), levels: normalised(others.levels) }
        };
        shares.iter().map(without).collect()
    }

    fn add(&mut self, share: &Self, factor: f64) {
        self.scales.iter_mut().zip(share.scales).for_each(|(sum, part)| *sum += factor * part);
        self.levels.iter_mut().zip(share.levels).for_each(|(sum, part)| *sum += factor * part);
    }

    /// Returns the posterior probabilities of the scales and levels of a parameter, given these weights.
    fn share(&self, likelihood: &Likelihood) -> Self {
        let joint = self.joint(likelihood);
        let levels = joint.map(|row| row.iter().sum::<f64>());
        let scales = std::array::from_fn(|scale| joint.iter().map(|row| row[scale]).sum::<f64>());
        Self { scales: normalised(scales), levels: normalised(levels) }
    }

    /// Returns the evidence of a parameter for each level and scale, times the weights of both.
    fn joint(&self, likelihood: &Likelihood) -> [[f64; SCALES.len()]; LEVELS.len()] {
        std::array::from_fn(|level| {
            std::array::from_fn(|scale| {
                self.levels[level] * self.scales[scale] * likelihood.evidences[level][scale]
            })
        })
    }

    /// Returns the logarithm of the odds that a parameter has an effect, given by the pairs.
    pub(super) fn effect_log_odds(&self, likelihood: &Likelihood) -> f64 {
        let with_effect: f64 = self.joint(likelihood).iter().flatten().sum();
        with_effect.ln() - likelihood.log_without_effect
    }
}

fn normalised<const N: usize>(weights: [f64; N]) -> [f64; N] {
    let weights = weights.map(|weight| weight.max(0.0));
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}
