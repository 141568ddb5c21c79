//! A parameter without an order: a switch, or one of several named values.
//!
//! Each value has a strength of its own, normally distributed around that of the start. A pair between two values measures the
//! difference of their strengths. Values for a pair are drawn from the posterior, so that good ones are played more often.

use serde::{Deserialize, Serialize};

use crate::stats::Random;

/// Prior standard deviation of the strength of a value relative to the start, in Elo.
const PRIOR_DEVIATION: f64 = 8.0;
/// Samples from which the expected loss is estimated.
const SAMPLES: u64 = 200;

/// Strengths of the values of one parameter, as sums that determine a normal distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Choice {
    start: usize,
    /// Information about differences, and its product with the measured differences.
    information: Vec<Vec<f64>>,
    products: Vec<f64>,
    /// Mean of each strength, and a triangular factor of the covariance.
    means: Vec<f64>,
    factor: Vec<Vec<f64>>,
}

impl Choice {
    /// Creates a parameter with `count` values, of which `start` is the one before tuning.
    pub(super) fn new(count: usize, start: usize) -> Self {
        let mut choice = Self {
            start,
            information: vec![vec![0.0; count]; count],
            products: vec![0.0; count],
            means: vec![0.0; count],
            factor: Vec::new(),
        };
        choice.fit(1.0);
        choice
    }

    /// Returns the expected advantage of one value over another, in Elo.
    pub(super) fn gap(&self, plus: usize, minus: usize) -> f64 {
        self.means[plus] - self.means[minus]
    }

    /// Adds a pair with a measured advantage of `elo` for `plus`, with `information` relative to a pair between equal sides.
    /// The weight of all pairs so far is multiplied by `decay`.
    pub(super) fn learn(&mut self, plus: usize, minus: usize, elo: f64, information: f64, decay: f64) {
        self.information.iter_mut().flatten().chain(&mut self.products).for_each(|sum| *sum *= decay);
        if plus == minus {
            return;
        }
        for (side, sign) in [(plus, 1.0), (minus, -1.0)] {
            self.information[side][side] += information;
            self.products[side] += sign * information * elo;
        }
        self.information[plus][minus] -= information;
        self.information[minus][plus] -= information;
    }

    /// Updates the strengths; a pair has the variance `pair_variance` in Elo².
    pub(super) fn fit(&mut self, pair_variance: f64) {
        let count = self.means.len();
        // The start is the origin: it has no uncertainty.
        let prior = |index: usize| if index == self.start { 1e9 } else { PRIOR_DEVIATION.powi(-2) };
        let precision = |row: usize, column: usize| {
            self.information[row][column] / pair_variance + if row == column { prior(row) } else { 0.0 }
        };
        let lower = cholesky(count, precision);
        let products: Vec<f64> = self.products.iter().map(|product| product / pair_variance).collect();
        let inner = forward(&lower, &products);
        self.means = backward(&lower, &inner);
        self.factor = lower;
    }

    /// Draws two different values, each the best one in a sample of the strengths.
    pub(super) fn draw(&self, random: &mut Random) -> [usize; 2] {
        let first = best(&self.sample(random));
        for _ in 0..4 {
            let second = best(&self.sample(random));
            if second != first {
                return [first, second];
            }
        }
        // One value is clearly the best: it is compared with a random other one.
        let count = self.means.len();
        let other = (first + 1 + (random.unit() * (count - 1) as f64) as usize) % count;
        if random.sign() > 0.0 { [first, other] } else { [other, first] }
    }

    /// Returns the value with the largest expected strength; the start if no other one is better.
    pub(super) fn best(&self) -> usize {
        let best = best(&self.means);
        if self.means[best] > self.means[self.start] { best } else { self.start }
    }

    /// Returns the expected gain of the best value over the start.
    pub(super) fn gain(&self) -> f64 {
        self.gap(self.best(), self.start)
    }

    /// Returns the expected Elo between the best value and the one that is truly best.
    pub(super) fn remaining_loss(&self) -> f64 {
        let mut random = Random::new(self.means.len() as u64);
        let chosen = self.best();
        let loss = |_| {
            let sample = self.sample(&mut random);
            sample[best(&sample)] - sample[chosen]
        };
        (0..SAMPLES).map(loss).sum::<f64>() / SAMPLES as f64
    }

    /// Draws strengths from their distribution.
    fn sample(&self, random: &mut Random) -> Vec<f64> {
        let noise: Vec<f64> = self.means.iter().map(|_| random.normal()).collect();
        backward(&self.factor, &noise)
            .iter()
            .zip(&self.means)
            .map(|(deviation, mean)| mean + deviation)
            .collect()
    }
}

fn best(strengths: &[f64]) -> usize {
    let better = |one: &usize, other: &usize| strengths[*one].total_cmp(&strengths[*other]);
    (0..strengths.len()).max_by(better).unwrap_or(0)
}

/// Returns the lower triangular factor of a positive definite matrix.
fn cholesky(count: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut lower = vec![vec![0.0; count]; count];
    for row in 0..count {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
            let rest = entry(row, column) - known;
            lower[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
        }
    }
    lower
}

/// Solves `lower x = right`.
fn forward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; right.len()];
    for row in 0..right.len() {
        let known: f64 = (0..row).map(|at| lower[row][at] * x[at]).sum();
        x[row] = (right[row] - known) / lower[row][row];
    }
    x
}

/// Solves `transposed(lower) x = right`.
fn backward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; right.len()];
    for row in (0..right.len()).rev() {
        let known: f64 = (row + 1..right.len()).map(|at| lower[at][row] * x[at]).sum();
        x[row] = (right[row] - known) / lower[row][row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Elo, GameModel};
    use crate::tuning::bayes::observation::{ELO_PER_SCORE, Observation};

    /// Plays pairs between values of these strengths.
    fn played(strengths: &[f64], pairs: u64) -> (Choice, Vec<u64>) {
        let (mut choice, mut random) = (Choice::new(strengths.len(), 0), Random::new(5));
        let mut counts = vec![0; strengths.len()];
        for pair in 1..=pairs {
            let [plus, minus] = choice.draw(&mut random);
            assert_ne!(plus, minus);
            counts[plus] += 1;
            counts[minus] += 1;
            let gap = strengths[plus] - strengths[minus];
            let score = GameModel::unbalanced().odds(Elo(gap)).draw(&mut random);
            let observed = Observation::new(score, choice.gap(plus, minus));
            choice.learn(plus, minus, observed.elo, observed.information, 1.0);
            if pair % 50 == 0 {
                choice.fit(0.0325 * ELO_PER_SCORE * ELO_PER_SCORE);
            }
        }
        (choice, counts)
    }

    #[test]
    fn the_strongest_value_is_found_and_played_most() {
        let (choice, counts) = played(&[0.0, -20.0, 15.0, 3.0], 3_000);
        assert_eq!(choice.best(), 2);
        assert!((choice.gain() - 15.0).abs() < 8.0, "{}", choice.gain());
        assert!(counts[2] > 2 * counts[1], "{counts:?}");
        assert!(choice.remaining_loss() < 1.0, "{}", choice.remaining_loss());
    }

    #[test]
    fn a_switch_without_evidence_stays_where_it_was() {
        let fresh = Choice::new(2, 1);
        assert_eq!((fresh.best(), fresh.gain()), (1, 0.0));
        assert!(fresh.remaining_loss() > 1.0);
    }
}
