//! A local quadratic regression, after CLOP (Coulom, "Confident Local Optimization for Noisy Black-Box Parameter Tuning",
//! 2011).
//!
//! Every pair is played against the start. A logistic regression of the score on a quadratic function of the parameters is fitted
//! to all pairs; pairs whose settings are predicted to be clearly weaker than the mean count less, so that the regression
//! becomes local. Settings are drawn near the optimum in the same way.
//! CLOP also fits products of two parameters; here there are none, because hundreds of parameters have too many.

use serde::{Deserialize, Serialize};

use crate::stats::{PairScore, Random};
use crate::tuning::space::{Parameter, Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// CLOP's localisation constant: how many standard deviations below the mean a prediction counts less.
const LOCALITY: f64 = 3.0;
/// Prior precision of every coefficient, in pairs.
const RIDGE: f64 = 4.0;
/// Newton steps of a fit; each begins at the coefficients of the last.
const NEWTON_STEPS: usize = 2;
/// Draws of a setting until one is likely enough to be good.
const DRAWS: usize = 20;
/// Pairs before the first fit, and the share of pairs after which the next one follows.
const FIRST_FIT: usize = 64;
const FIT_INTERVAL_DIVISOR: usize = 20;

/// A run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::tuning) struct Clop {
    /// Positions in the ranges, from -1 to 1, with their scores from 0 to 1.
    pairs: Vec<(Vec<f64>, f64)>,
    /// Constant, slopes and curvatures in the logarithm of the odds.
    model: Vec<f64>,
    /// Mean and standard deviation of the predictions, weighted.
    level: (f64, f64),
    next_fit: usize,
}

impl Clop {
    /// Creates a run without scores.
    pub(in crate::tuning) fn new(space: &Space) -> Self {
        let model = vec![0.0; 2 * space.len() + 1];
        Self { pairs: Vec::new(), model, level: (0.0, 0.0), next_fit: FIRST_FIT }
    }

    pub(in crate::tuning) fn propose(&self, space: &Space, id: TrialId, seed: u64) -> Trial {
        let mut random = Random::of_item(seed, id.0);
        let mut at = Vec::new();
        for _ in 0..DRAWS {
            at = (0..space.len()).map(|_| 2.0 * random.unit() - 1.0).collect();
            if random.unit() < self.weight(&at) {
                break;
            }
        }
        let values: Vec<f64> = space
            .parameters()
            .iter()
            .zip(&at)
            .map(|(parameter, at)| {
                let value = parameter.min + (at + 1.0) / 2.0 * parameter.range();
                parameter.rounded(value, random.unit())
            })
            .collect();
        Trial { id, plus: Settings(values), minus: space.start() }
    }

    pub(in crate::tuning) fn learn(&mut self, space: &Space, trial: &Trial, score: PairScore) {
        let position =
            |(parameter, value): (&Parameter, &f64)| 2.0 * (value - parameter.min) / parameter.range() - 1.0;
        let at = space.parameters().iter().zip(&trial.plus.0).map(position).collect();
        self.pairs.push((at, score.points() / 2.0));
        if self.pairs.len() >= self.next_fit {
            self.next_fit = self.pairs.len() + FIRST_FIT.max(self.pairs.len() / FIT_INTERVAL_DIVISOR);
            self.fit();
        }
    }

    /// Returns the maximum of the regression. CLOP returns the weighted mean of all settings; the ranges of many landscapes are
    /// centred on their optimum, and there the mean of no information at all would be the optimum.
    pub(in crate::tuning) fn best(&self, space: &Space) -> Settings {
        let (slopes, curvatures) = self.model[1..].split_at(space.len());
        let value = |(parameter, (slope, curvature)): (&Parameter, (&f64, &f64))| {
            if *curvature >= 0.0 {
                return parameter.start;
            }
            let at = (-slope / (2.0 * curvature)).clamp(-1.0, 1.0);
            parameter.min + (at + 1.0) / 2.0 * parameter.range()
        };
        let values: Vec<f64> =
            space.parameters().iter().zip(slopes.iter().zip(curvatures)).map(value).collect();
        space.nearest(&values)
    }

    fn predict(&self, at: &[f64]) -> f64 {
        let (slopes, curvatures) = self.model[1..].split_at(at.len());
        let parts = at
            .iter()
            .zip(slopes.iter().zip(curvatures))
            .map(|(at, (slope, curvature))| slope * at + curvature * at * at);
        self.model[0] + parts.sum::<f64>()
    }

    /// Returns how much a pair at this position counts.
    fn weight(&self, at: &[f64]) -> f64 {
        let (mean, deviation) = self.level;
        if deviation <= 0.0 {
            1.0
        } else {
            ((self.predict(at) - mean) / (LOCALITY * deviation)).min(0.0).exp()
        }
    }

    fn fit(&mut self) {
        let size = self.model.len();
        for _ in 0..NEWTON_STEPS {
            let mut matrix = vec![0.0; size * size];
            let mut vector = vec![0.0; size];
            for (at, score) in &self.pairs {
                let weight = self.weight(at);
                let expected = 1.0 / (1.0 + (-self.predict(at)).exp());
                let features: Vec<f64> = std::iter::once(1.0)
                    .chain(at.iter().copied())
                    .chain(at.iter().map(|at| at * at))
                    .collect();
                let curvature = weight * (expected * (1.0 - expected)).max(1e-3);
                for (row, feature) in features.iter().enumerate() {
                    vector[row] += weight * (score - expected) * feature;
                    for (column, other) in features[..=row].iter().enumerate() {
                        matrix[row * size + column] += curvature * feature * other;
                    }
                }
            }
            for row in 0..size {
                matrix[row * size + row] += RIDGE;
                vector[row] -= RIDGE * self.model[row];
            }
            let step = solve(matrix, vector);
            self.model.iter_mut().zip(step).for_each(|(value, step)| *value += step);
        }
        // The mean of the predictions, and the error of that mean.
        let (mut total, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (at, _) in &self.pairs {
            let (weight, predicted) = (self.weight(at), self.predict(at));
            total += weight;
            sum += weight * predicted;
            squares += weight * predicted * predicted;
        }
        let mean = sum / total;
        let error = 2.0 / total.sqrt();
        self.level = (mean, (squares / total - mean * mean).max(0.0).sqrt().min(error * LOCALITY).max(error));
    }
}

/// Solves a positive definite system, given by its lower triangle, by Cholesky's method.
fn solve(mut matrix: Vec<f64>, mut vector: Vec<f64>) -> Vec<f64> {
    let size = vector.len();
    for row in 0..size {
        for column in 0..=row {
            let earlier: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
            let value = matrix[row * size + column] - earlier;
            matrix[row * size + column] =
                if row == column { value.max(1e-12).sqrt() } else { value / matrix[column * size + column] };
        }
    }
    for row in 0..size {
        let earlier: f64 = (0..row).map(|k| matrix[row * size + k] * vector[k]).sum();
        vector[row] = (vector[row] - earlier) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let later: f64 = (row + 1..size).map(|k| matrix[k * size + row] * vector[k]).sum();
        vector[row] = (vector[row] - later) / matrix[row * size + row];
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_system_is_solved() {
        // The lower triangle of [[4, 2], [2, 3]].
        let found = solve(vec![4.0, 0.0, 2.0, 3.0], vec![10.0, 9.0]);
        assert!((found[0] - 1.5).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12, "{found:?}");
    }
}
