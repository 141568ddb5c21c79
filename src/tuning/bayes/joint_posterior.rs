//! The joint posterior of all optima with interactions between parameters: the intervals that a run reports.
//!
//! At the offsets `x`, strength falls by `(x - optimum)' H (x - optimum)` Elo. The diagonal of `H` holds the steepnesses.
//! The other entries are interactions between two parameters, relative to the geometric mean of their steepnesses; their
//! scale is estimated too, so that interactions count only where the games are evidence for them. Engine authors set
//! parameters one at a time, so the prior places a start near the best value *given the other starts*. Along a flat
//! direction of interacting parameters the true optimum may then be far away, and the intervals are as wide as that.
//!
//! The posterior is sampled with a Gibbs sampler, which returns the same intervals for the same scores.

use crate::stats::Random;
use crate::tuning::bayes::mixture::SCALES;
use crate::tuning::bayes::posterior::{Grid, OFFSETS};
use crate::tuning::bayes::regression::RegressionSums;

/// Number of samples, and number of samples at the start that are discarded.
const SAMPLES: usize = 500;
const BURN_IN: usize = 60;
/// Grid of square roots of steepnesses: 0 for a parameter without effect, then a geometric sequence.
const ROOTS: usize = 29;
const MIN_ROOT: f64 = 0.05;
const ROOT_RATIO: f64 = 1.26;
/// Log-normal prior of a steepness: median 2 Elo, standard deviation 1.5 of its logarithm.
const MEDIAN_STEEPNESS: f64 = 2.0;
const LOG_STEEPNESS_DEVIATION: f64 = 1.5;
/// Prior probability that a parameter has no effect.
const NO_EFFECT_PROBABILITY: f64 = 0.02;
/// Grid of the scale of all interactions of a parameter together, relative to its steepness, and the rate of its
/// exponential prior.
const INTERACTION_SCALES: [f64; 7] = [0.0, 0.15, 0.3, 0.5, 0.8, 1.1, 1.5];
const INTERACTION_SCALE_RATE: f64 = 3.0;
/// Prior variance of an optimum's offset, independent of everything else: an optimum is hardly ever outside the range.
const RANGE_VARIANCE: f64 = 1.0;
/// Posterior probability outside each end of an interval.
///
/// Chosen by simulation, and checked on other, random landscapes: a parameter about which the games carry little
/// information keeps an interval as wide as its prior, which nearly always contains the optimum, so that the coverage
/// over all parameters is 95 % only with tails above 2.5 %.
const TAIL: f64 = 0.06;

/// Returns the interval of each optimum, as offsets; the same for the same sums, noise and seed.
pub(super) fn intervals(sums: &RegressionSums, noise: f64, seed: u64) -> Vec<[f64; 2]> {
    let (mut sampler, grid) = (GibbsSampler::new(sums, noise, seed), Grid::new());
    let mut posteriors = vec![[0.0; OFFSETS]; sums.size()];
    for sample in 0..SAMPLES {
        let normal = sampler.optimum_conditional();
        if sample >= BURN_IN {
            for (index, posterior) in posteriors.iter_mut().enumerate() {
                grid.add_normal(posterior, normal.mean(index), normal.variance(index));
            }
        }
        sampler.optimum = normal.sample(&mut sampler.random);
        sampler.sample_start_variances();
        sampler.centre_sums();
        for index in 0..sums.size() {
            sampler.sample_root(index);
        }
        sampler.sample_interactions();
        sampler.sample_interaction_scale();
    }
    let ends = |masses: &[f64; OFFSETS]| [TAIL, 1.0 - TAIL].map(|share| grid.quantile(masses, share));
    posteriors.iter().map(ends).collect()
}

/// The state of the Gibbs sampler. Matrices are stored row by row.
struct GibbsSampler<'a> {
    sums: &'a RegressionSums,
    size: usize,
    /// Variance of the score of a pair, in Elo².
    noise: f64,
    random: Random,
    optimum: Vec<f64>,
    /// Prior variance of the distance of each start from the best value given the other starts.
    start_variance: Vec<f64>,
    /// Square root of each steepness.
    roots: Vec<f64>,
    /// Interactions in units of `interaction_scale`.
    interactions: Vec<f64>,
    interaction_scale: f64,
    /// The matrix `H`.
    curvature: Vec<f64>,
    /// For each row, the sums of weights times products of two distances from the optimum.
    squares: Vec<f64>,
    /// For each row, the sums of slopes times distances from the optimum.
    products: Vec<f64>,
}

impl<'a> GibbsSampler<'a> {
    fn new(sums: &'a RegressionSums, noise: f64, seed: u64) -> Self {
        let size = sums.size();
        let mut sampler = Self {
            sums,
            size,
            noise,
            random: Random::new(seed),
            optimum: vec![0.0; size],
            start_variance: vec![0.1; size],
            roots: vec![MEDIAN_STEEPNESS.sqrt(); size],
            interactions: vec![0.0; size * size],
            interaction_scale: 0.0,
            curvature: vec![0.0; size * size],
            squares: vec![0.0; size * size * size],
            products: vec![0.0; size * size],
        };
        sampler.update_curvature();
        sampler
    }

    fn row<'v>(&self, values: &'v [f64], row: usize) -> &'v [f64] {
        &values[row * self.size..(row + 1) * self.size]
    }

    /// Returns the squares of `row` for one of its columns.
    fn squares(&self, row: usize, column: usize) -> &[f64] {
        self.row(&self.squares, row * self.size + column)
    }

    /// Computes the curvatures from the roots and interactions.
    fn update_curvature(&mut self) {
        for row in 0..self.size {
            for column in 0..self.size {
                let index = row * self.size + column;
                let factor =
                    if row == column { 1.0 } else { self.interaction_scale * self.interactions[index] };
                self.curvature[index] = self.roots[row] * self.roots[column] * factor;
            }
        }
    }

    /// Returns the distribution of the optima given everything else, which is normal.
    fn optimum_conditional(&self) -> MultivariateNormal {
        let size = self.size;
        let (mut precision, mut precision_mean) = (vec![0.0; size * size], vec![0.0; size]);
        for row in 0..size {
            let curvature = self.row(&self.curvature, row);
            let at = dot(self.row(&self.sums.weight_at, row), curvature);
            let pull = 2.0 / self.noise * (2.0 * at + self.sums.slope[row]);
            let mut weight = 4.0 / self.noise * self.sums.weight[row];
            if curvature[row] > 0.0 {
                weight += 1.0 / (self.start_variance[row] * curvature[row] * curvature[row]);
            }
            for first in 0..size {
                precision_mean[first] += curvature[first] * pull;
                for second in 0..=first {
                    precision[first * size + second] += weight * curvature[first] * curvature[second];
                }
            }
            // A parameter without effect keeps the prior of its optimum.
            precision[row * size + row] +=
                1.0 / if curvature[row] > 0.0 { RANGE_VARIANCE } else { self.start_variance[row] };
        }
        MultivariateNormal::new(precision, &precision_mean)
    }

    /// Samples the common scale of the distances of starts from the best values given the other starts, and the variance
    /// of each: together, a Student's t-distribution with three degrees of freedom.
    fn sample_start_variances(&mut self) {
        let distance = |row: usize| {
            let own = self.curvature[row * self.size + row];
            if own > 0.0 {
                dot(self.row(&self.curvature, row), &self.optimum) / own
            } else {
                self.optimum[row]
            }
        };
        let distances: Vec<f64> = (0..self.size).map(distance).collect();
        let logs = SCALES.map(|scale| {
            let log = |distance: &f64| -2.0 * (1.0 + (distance / scale).powi(2) / 3.0).ln() - scale.ln();
            distances.iter().map(log).sum::<f64>()
        });
        let scale = SCALES[sample_index(&logs, &mut self.random)];
        for (variance, distance) in self.start_variance.iter_mut().zip(distances) {
            let rate = (3.0 * scale * scale + distance * distance) / 2.0;
            let gamma = -((1.0 - self.random.unit()) * (1.0 - self.random.unit())).ln();
            *variance = rate / gamma.max(1e-9);
        }
    }

    /// Computes `squares` and `products`: the sums relative to the current optimum instead of the start.
    fn centre_sums(&mut self) {
        let (size, sums, optimum) = (self.size, self.sums, &self.optimum);
        for row in 0..size {
            let at = &sums.weight_at[row * size..(row + 1) * size];
            for first in 0..size {
                let index = row * size + first;
                self.products[index] = optimum[first] * sums.slope[row] - sums.slope_at[index];
                for second in 0..size {
                    self.squares[index * size + second] = sums.weight_at_both[index * size + second]
                        + sums.weight[row] * optimum[first] * optimum[second]
                        - optimum[first] * at[second]
                        - optimum[second] * at[first];
                }
            }
        }
    }

    /// Returns the dot product of the squares of `row` and `column` with the curvatures of `row`, without one of them.
    fn curvature_product(&self, row: usize, column: usize, without: usize) -> f64 {
        let (squares, curvature) = (self.squares(row, column), self.row(&self.curvature, row));
        dot(squares, curvature) - squares[without] * curvature[without]
    }

    /// Samples the root of a steepness, which also scales all interactions of its parameter. The log-likelihood is a
    /// polynomial of degree four in the root.
    fn sample_root(&mut self, index: usize) {
        let size = self.size;
        let mut factors: Vec<f64> = (0..size)
            .map(|other| self.interaction_scale * self.interactions[index * size + other] * self.roots[other])
            .collect();
        factors[index] = 0.0;
        let (mut first, mut second, mut third) = (0.0, -self.products[index * size + index], 0.0);
        for (other, &factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let products = self.products[index * size + other] + self.products[other * size + index];
            first += factor * (2.0 * self.curvature_product(other, index, index) - products);
            let own = self.squares(index, other);
            second += factor * (dot(own, &factors) + factor * self.squares(other, index)[index]);
            third += 2.0 * factor * own[index];
        }
        let fourth = self.squares(index, index)[index];
        let logs: [f64; ROOTS] = std::array::from_fn(|at| {
            let root = root_at(at);
            let cost = root * (first + root * (second + root * (third + root * fourth)));
            root_log_prior(at) - 2.0 / self.noise * cost
        });
        let root = root_at(sample_index(&logs, &mut self.random));
        self.roots[index] = root;
        factors[index] = root;
        for (other, factor) in factors.into_iter().enumerate() {
            self.curvature[index * size + other] = root * factor;
            self.curvature[other * size + index] = root * factor;
        }
    }

    /// Samples each interaction from its distribution given everything else, which is normal.
    fn sample_interactions(&mut self) {
        for row in 1..self.size {
            for column in 0..row {
                let indices = [row * self.size + column, column * self.size + row];
                let unit = self.roots[row] * self.roots[column] * self.interaction_scale;
                let squares = self.squares(row, column)[column] + self.squares(column, row)[row];
                let others =
                    self.curvature_product(row, column, column) + self.curvature_product(column, row, row);
                let products = self.products[indices[0]] + self.products[indices[1]] - 2.0 * others;
                let precision = 1.0 + 4.0 / self.noise * unit * unit * squares;
                let mean = 2.0 / self.noise * unit * products / precision;
                let interaction = mean + self.random.normal() / precision.sqrt();
                for index in indices {
                    self.interactions[index] = interaction;
                    self.curvature[index] = unit * interaction;
                }
            }
        }
    }

    /// Samples the common scale of the interactions, which multiplies all entries of `H` off the diagonal.
    fn sample_interaction_scale(&mut self) {
        let (size, mut linear, mut quadratic) = (self.size, 0.0, 0.0);
        for row in 0..size {
            let mut units: Vec<f64> = (0..size)
                .map(|column| self.roots[row] * self.roots[column] * self.interactions[row * size + column])
                .collect();
            units[row] = 0.0;
            for (column, &unit) in units.iter().enumerate() {
                let squares = self.squares(row, column);
                quadratic += unit * dot(squares, &units);
                linear += unit
                    * (2.0 * squares[row] * self.curvature[row * size + row]
                        - self.products[row * size + column]);
            }
        }
        let others = (size as f64 - 1.0).max(1.0);
        let logs = INTERACTION_SCALES.map(|all| {
            let each = all / others.sqrt();
            -INTERACTION_SCALE_RATE * all - 2.0 / self.noise * each * (linear + each * quadratic)
        });
        self.interaction_scale = INTERACTION_SCALES[sample_index(&logs, &mut self.random)] / others.sqrt();
        self.update_curvature();
    }
}

/// A multivariate normal distribution, stored as the inverse of the Cholesky factor of its precision matrix.
struct MultivariateNormal {
    size: usize,
    inverse_factor: Vec<f64>,
    /// The inverse factor times (precision times mean).
    whitened_mean: Vec<f64>,
}

impl MultivariateNormal {
    /// Creates a distribution from the lower triangle of its precision, and from precision times mean.
    fn new(precision: Vec<f64>, precision_mean: &[f64]) -> Self {
        let size = precision_mean.len();
        let inverse_factor = inverse_cholesky(precision, size);
        let whitened_mean = (0..size)
            .map(|row| dot(&inverse_factor[row * size..=row * size + row], precision_mean))
            .collect();
        Self { size, inverse_factor, whitened_mean }
    }

    /// Returns one element of the transposed inverse factor times a whitened vector.
    fn unwhiten(&self, column: usize, whitened: &[f64]) -> f64 {
        (column..self.size).map(|row| self.inverse_factor[row * self.size + column] * whitened[row]).sum()
    }

    fn mean(&self, index: usize) -> f64 {
        self.unwhiten(index, &self.whitened_mean)
    }

    fn variance(&self, index: usize) -> f64 {
        (index..self.size).map(|row| self.inverse_factor[row * self.size + index].powi(2)).sum()
    }

    fn sample(&self, random: &mut Random) -> Vec<f64> {
        let whitened: Vec<f64> = self.whitened_mean.iter().map(|mean| mean + random.normal()).collect();
        (0..self.size).map(|column| self.unwhiten(column, &whitened)).collect()
    }
}

/// Returns the dot product; the longer slice is cut to the length of the shorter.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn root_at(at: usize) -> f64 {
    if at == 0 { 0.0 } else { MIN_ROOT * ROOT_RATIO.powi(at as i32 - 1) }
}

/// Returns the logarithm of the prior probability of a grid root.
fn root_log_prior(at: usize) -> f64 {
    if at == 0 {
        return NO_EFFECT_PROBABILITY.ln();
    }
    let deviation = (root_at(at).powi(2) / MEDIAN_STEEPNESS).ln() / LOG_STEEPNESS_DEVIATION;
    let cell = 2.0 * ROOT_RATIO.ln() / LOG_STEEPNESS_DEVIATION;
    ((1.0 - NO_EFFECT_PROBABILITY) * cell / std::f64::consts::TAU.sqrt()).ln() - deviation * deviation / 2.0
}

/// Samples an index, given the logarithms of unnormalised probabilities.
fn sample_index(logs: &[f64], random: &mut Random) -> usize {
    let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - max).exp()).collect();
    let mut left = random.unit() * weights.iter().sum::<f64>();
    let reached = |weight: &f64| {
        left -= weight;
        left < 0.0
    };
    weights.iter().position(reached).unwrap_or(logs.len() - 1)
}

/// Returns the inverse of the lower Cholesky factor of a positive definite matrix, whose lower triangle is given.
fn inverse_cholesky(mut matrix: Vec<f64>, size: usize) -> Vec<f64> {
    for row in 0..size {
        for column in 0..=row {
            let known = dot(&matrix[row * size..row * size + column], &matrix[column * size..]);
            let rest = matrix[row * size + column] - known;
            matrix[row * size + column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column * size + column] };
        }
    }
    let mut inverse = vec![0.0; size * size];
    for column in 0..size {
        inverse[column * size + column] = 1.0 / matrix[column * size + column];
        for row in column + 1..size {
            let known: f64 =
                (column..row).map(|at| matrix[row * size + at] * inverse[at * size + column]).sum();
            inverse[row * size + column] = -known / matrix[row * size + row];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over noiseless pairs on the quadratic function given by `curvature` and `optimum`.
    fn sums(curvature: &[[f64; 3]; 3], optimum: [f64; 3], pairs: u64) -> RegressionSums {
        let (mut sums, mut random) = (RegressionSums::new(3), Random::new(7));
        let strength = |offsets: &[f64]| {
            let distances: Vec<f64> =
                offsets.iter().zip(optimum).map(|(offset, optimum)| offset - optimum).collect();
            -curvature.iter().zip(&distances).map(|(row, from)| from * dot(row, &distances)).sum::<f64>()
        };
        for _ in 0..pairs {
            let centre: Vec<f64> = optimum.iter().map(|at| at + 0.6 * (random.unit() - 0.5)).collect();
            let perturbation: Vec<f64> = centre.iter().map(|_| 0.5 * random.sign()).collect();
            let side = |sign: f64| -> Vec<f64> {
                centre.iter().zip(&perturbation).map(|(centre, distance)| centre + sign * distance).collect()
            };
            let (plus, minus) = (side(1.0), side(-1.0));
            sums.learn(1.0, &plus, &minus, strength(&plus) - strength(&minus), 1.0);
        }
        sums
    }

    fn covers([low, high]: [f64; 2], optimum: f64) -> bool {
        low <= optimum && optimum <= high
    }

    const INDEPENDENT: [[f64; 3]; 3] = [[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]];
    const INTERACTING: [[f64; 3]; 3] = [[6.0, 5.7, 0.0], [5.7, 6.0, 0.0], [0.0, 0.0, 6.0]];

    #[test]
    fn intervals_of_interacting_parameters_cover_the_optimum_and_are_wider_than_without_interactions() {
        let optimum = [0.3, -0.4, 0.2];
        let independent = intervals(&sums(&INDEPENDENT, optimum, 20_000), 15_000.0, 1);
        let interacting = intervals(&sums(&INTERACTING, optimum, 20_000), 15_000.0, 1);
        for (index, optimum) in optimum.into_iter().enumerate() {
            assert!(covers(independent[index], optimum), "{index}: {:?}", independent[index]);
            assert!(covers(interacting[index], optimum), "{index}: {:?}", interacting[index]);
        }
        let width = |[low, high]: [f64; 2]| high - low;
        assert!(
            width(interacting[0]) > 1.3 * width(independent[0]),
            "{:?} {:?}",
            interacting[0],
            independent[0]
        );
    }

    #[test]
    fn a_parameter_without_effect_has_the_widest_interval() {
        let curvature = [[6.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 6.0]];
        let found = intervals(&sums(&curvature, [0.3, 0.3, 0.3], 20_000), 15_000.0, 1);
        let width = |index: usize| found[index][1] - found[index][0];
        assert!(width(1) > 1.1 * width(0).max(width(2)), "{found:?}");
    }

    #[test]
    fn more_pairs_give_narrower_intervals_and_the_same_pairs_the_same() {
        let (few, many) = (sums(&INDEPENDENT, [0.3; 3], 2_000), sums(&INDEPENDENT, [0.3; 3], 50_000));
        let width = |[low, high]: [f64; 2]| high - low;
        let found = intervals(&many, 15_000.0, 1);
        assert!(width(found[0]) < 0.7 * width(intervals(&few, 15_000.0, 1)[0]));
        assert_eq!(found, intervals(&many, 15_000.0, 1));
    }

    #[test]
    fn the_inverse_cholesky_factor_whitens_its_matrix() {
        let matrix = vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, -1.0, 0.5, 3.0];
        let full = |row: usize, column: usize| matrix[row.max(column) * 3 + row.min(column)];
        let inverse = inverse_cholesky(matrix.clone(), 3);
        for row in 0..3 {
            for column in 0..3 {
                // inverse * matrix * inverse' is the identity.
                let product: f64 = (0..9)
                    .map(|at| inverse[row * 3 + at / 3] * full(at / 3, at % 3) * inverse[column * 3 + at % 3])
                    .sum();
                assert!((product - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
    }
}
