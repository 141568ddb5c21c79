//! Where optima lie when parameters bend each other's slopes: the intervals that a run reports.
//!
//! Strength falls by `(x - optimum)' H (x - optimum)` Elo. The diagonal of `H` holds the steepnesses; the rest are bonds
//! between two parameters, each a share of their steepnesses. How large the shares are is learned too, so that bonds
//! count where games ask for them. People set parameters one at a time, so a start is taken to be
//! near the best value *given the other starts*; across a flat direction of bound parameters the true optimum may
//! then be far, and intervals are as wide as that. A chain of random draws, the same for the same scores, visits what
//! the games leave possible.

use crate::stats::Random;
use crate::tuning::bayes::posterior::{Grid, PLACES, SCALES};
use crate::tuning::bayes::regression::RegressionSums;

/// Draws of the chain, and how many at its start are not counted.
const DRAWS: usize = 500;
const FIRST_DRAWS: usize = 60;
/// Roots of steepnesses considered; the first stands for a parameter that does nothing.
const ROOTS: usize = 29;
const GENTLEST: f64 = 0.05;
const STEEPER: f64 = 1.26;
/// What a steepness is before any game: 2 Elo within a factor of `e^1.5`, two times in three.
const USUAL_STEEPNESS: f64 = 2.0;
const STEEPNESS_SPREAD: f64 = 1.5;
/// How likely a parameter does nothing at all.
const DEAD: f64 = 0.02;
/// Sizes of all bonds of a parameter together, as shares of its steepness, and how fast larger ones grow unlikely.
const BONDS: [f64; 7] = [0.0, 0.15, 0.3, 0.5, 0.8, 1.1, 1.5];
const BOND_RARITY: f64 = 3.0;
/// Variance of an optimum's distance from the start, whatever else is believed: it hardly leaves the range.
const RANGE_VARIANCE: f64 = 1.0;
/// Belief left outside each end of an interval.
///
/// Chosen by simulation, and checked on other landscapes, drawn at random: a parameter that games say little about keeps an
/// interval as wide as what was believed before, which holds its optimum nearly always, so that all
/// parameters together are right 95 times in 100 only with tails above 2.5 %.
const TAIL: f64 = 0.06;

/// The interval of each optimum, in half ranges from the start; the same for the same sums, noise and seed.
pub(super) fn intervals(moments: &RegressionSums, noise: f64, seed: u64) -> Vec<[f64; 2]> {
    let (mut chain, grid) = (Chain::new(moments, noise, seed), Grid::new());
    let mut densities = vec![[0.0; PLACES]; moments.size()];
    for draw in 0..DRAWS {
        let normal = chain.optimum_given_the_rest();
        if draw >= FIRST_DRAWS {
            for (index, density) in densities.iter_mut().enumerate() {
                grid.add_bell(density, normal.mean(index), normal.variance(index));
            }
        }
        chain.optimum = normal.draw(&mut chain.random);
        chain.draw_scale();
        chain.look_from_optimum();
        for index in 0..moments.size() {
            chain.draw_root(index);
        }
        chain.draw_bonds();
        chain.draw_bond_size();
    }
    let ends = |density: &[f64; PLACES]| [TAIL, 1.0 - TAIL].map(|share| grid.quantile(density, share));
    densities.iter().map(ends).collect()
}

/// The state of the chain.
struct Chain<'a> {
    moments: &'a RegressionSums,
    size: usize,
    /// Variance of a pair's score, in Elo.
    noise: f64,
    random: Random,
    optimum: Vec<f64>,
    /// Variance of each start's distance from what is best given the others.
    spread: Vec<f64>,
    roots: Vec<f64>,
    /// Bonds in units of their size.
    bonds: Vec<f64>,
    bond_size: f64,
    /// `H`, row by row.
    curvature: Vec<f64>,
    /// Of each row, weights times products of two distances from the optimum.
    squares: Vec<f64>,
    /// Of each row, slopes times distances from the optimum.
    products: Vec<f64>,
}

impl<'a> Chain<'a> {
    fn new(moments: &'a RegressionSums, noise: f64, seed: u64) -> Self {
        let size = moments.size();
        let mut chain = Self {
            moments,
            size,
            noise,
            random: Random::new(seed),
            optimum: vec![0.0; size],
            spread: vec![0.1; size],
            roots: vec![USUAL_STEEPNESS.sqrt(); size],
            bonds: vec![0.0; size * size],
            bond_size: 0.0,
            curvature: vec![0.0; size * size],
            squares: vec![0.0; size * size * size],
            products: vec![0.0; size * size],
        };
        chain.curve();
        chain
    }

    fn row<'v>(&self, values: &'v [f64], row: usize) -> &'v [f64] {
        &values[row * self.size..(row + 1) * self.size]
    }

    /// The squares of `row` that belong to one of its columns.
    fn squares(&self, row: usize, column: usize) -> &[f64] {
        self.row(&self.squares, row * self.size + column)
    }

    /// Curvatures from roots and bonds.
    fn curve(&mut self) {
        for row in 0..self.size {
            for column in 0..self.size {
                let place = row * self.size + column;
                let share = if row == column { 1.0 } else { self.bond_size * self.bonds[place] };
                self.curvature[place] = self.roots[row] * self.roots[column] * share;
            }
        }
    }

    /// Given the curvatures, optima are normally distributed.
    fn optimum_given_the_rest(&self) -> Normal {
        let size = self.size;
        let (mut precision, mut pull) = (vec![0.0; size * size], vec![0.0; size]);
        for row in 0..size {
            let bent = self.row(&self.curvature, row);
            let at = dot(self.row(&self.moments.weight_at, row), bent);
            let moved = 2.0 / self.noise * (2.0 * at + self.moments.slope[row]);
            let mut weight = 4.0 / self.noise * self.moments.weight[row];
            if bent[row] > 0.0 {
                weight += 1.0 / (self.spread[row] * bent[row] * bent[row]);
            }
            for first in 0..size {
                pull[first] += bent[first] * moved;
                for second in 0..=first {
                    precision[first * size + second] += weight * bent[first] * bent[second];
                }
            }
            // What does nothing is believed to lie where others of its kind do.
            precision[row * size + row] +=
                1.0 / if bent[row] > 0.0 { RANGE_VARIANCE } else { self.spread[row] };
        }
        Normal::new(precision, &pull)
    }

    /// How far starts lie from what is best given the others: Student's distribution with three degrees of freedom.
    fn draw_scale(&mut self) {
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
            let log = |place: &f64| -2.0 * (1.0 + (place / scale).powi(2) / 3.0).ln() - scale.ln();
            distances.iter().map(log).sum::<f64>()
        });
        let scale = SCALES[pick(&logs, &mut self.random)];
        for (spread, distance) in self.spread.iter_mut().zip(distances) {
            let rate = (3.0 * scale * scale + distance * distance) / 2.0;
            let gamma = -((1.0 - self.random.unit()) * (1.0 - self.random.unit())).ln();
            *spread = rate / gamma.max(1e-9);
        }
    }

    /// The sums as seen from the optimum.
    fn look_from_optimum(&mut self) {
        let (size, moments, optimum) = (self.size, self.moments, &self.optimum);
        for row in 0..size {
            let at = &moments.weight_at[row * size..(row + 1) * size];
            for first in 0..size {
                let place = row * size + first;
                self.products[place] = optimum[first] * moments.slope[row] - moments.slope_at[place];
                for second in 0..size {
                    self.squares[place * size + second] = moments.weight_at_both[place * size + second]
                        + moments.weight[row] * optimum[first] * optimum[second]
                        - optimum[first] * at[second]
                        - optimum[second] * at[first];
                }
            }
        }
    }

    /// A column of the squares of `row` times its curvatures, all but one of them.
    fn bent(&self, row: usize, column: usize, without: usize) -> f64 {
        let (squares, bends) = (self.squares(row, column), self.row(&self.curvature, row));
        dot(squares, bends) - squares[without] * bends[without]
    }

    /// A steepness with all its bonds; the likelihood's logarithm is a polynomial of its root.
    fn draw_root(&mut self, index: usize) {
        let size = self.size;
        let mut tied: Vec<f64> = (0..size)
            .map(|other| self.bond_size * self.bonds[index * size + other] * self.roots[other])
            .collect();
        tied[index] = 0.0;
        let (mut first, mut second, mut third) = (0.0, -self.products[index * size + index], 0.0);
        for (other, &tie) in tied.iter().enumerate().filter(|(_, tie)| **tie != 0.0) {
            let products = self.products[index * size + other] + self.products[other * size + index];
            first += tie * (2.0 * self.bent(other, index, index) - products);
            let own = self.squares(index, other);
            second += tie * (dot(own, &tied) + tie * self.squares(other, index)[index]);
            third += 2.0 * tie * own[index];
        }
        let fourth = self.squares(index, index)[index];
        let logs: [f64; ROOTS] = std::array::from_fn(|at| {
            let root = root_at(at);
            let cost = root * (first + root * (second + root * (third + root * fourth)));
            root_log(at) - 2.0 / self.noise * cost
        });
        let root = root_at(pick(&logs, &mut self.random));
        self.roots[index] = root;
        tied[index] = root;
        for (other, tie) in tied.into_iter().enumerate() {
            self.curvature[index * size + other] = root * tie;
            self.curvature[other * size + index] = root * tie;
        }
    }

    /// Each bond, given all else, is normally distributed.
    fn draw_bonds(&mut self) {
        for row in 1..self.size {
            for column in 0..row {
                let places = [row * self.size + column, column * self.size + row];
                let unit = self.roots[row] * self.roots[column] * self.bond_size;
                let squares = self.squares(row, column)[column] + self.squares(column, row)[row];
                let products = self.products[places[0]] + self.products[places[1]]
                    - 2.0 * (self.bent(row, column, column) + self.bent(column, row, row));
                let precision = 1.0 + 4.0 / self.noise * unit * unit * squares;
                let mean = 2.0 / self.noise * unit * products / precision;
                let bond = mean + self.random.normal() / precision.sqrt();
                for place in places {
                    self.bonds[place] = bond;
                    self.curvature[place] = unit * bond;
                }
            }
        }
    }

    /// The common size of bonds; everything off the diagonal grows in proportion.
    fn draw_bond_size(&mut self) {
        let (size, mut linear, mut quadratic) = (self.size, 0.0, 0.0);
        for row in 0..size {
            let mut units: Vec<f64> = (0..size)
                .map(|column| self.roots[row] * self.roots[column] * self.bonds[row * size + column])
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
        let logs = BONDS.map(|all| {
            let each = all / others.sqrt();
            -BOND_RARITY * all - 2.0 / self.noise * each * (linear + each * quadratic)
        });
        self.bond_size = BONDS[pick(&logs, &mut self.random)] / others.sqrt();
        self.curve();
    }
}

/// A normal distribution of several numbers, given by the inverse of the root of its precision.
struct Normal {
    size: usize,
    inverse: Vec<f64>,
    half_mean: Vec<f64>,
}

impl Normal {
    /// From the lower triangle of the precision, and precision times mean.
    fn new(precision: Vec<f64>, pull: &[f64]) -> Self {
        let size = pull.len();
        let inverse = inverse_of_root(precision, size);
        let half_mean = (0..size).map(|row| dot(&inverse[row * size..=row * size + row], pull)).collect();
        Self { size, inverse, half_mean }
    }

    fn along(&self, column: usize, half: &[f64]) -> f64 {
        (column..self.size).map(|row| self.inverse[row * self.size + column] * half[row]).sum()
    }

    fn mean(&self, index: usize) -> f64 {
        self.along(index, &self.half_mean)
    }

    fn variance(&self, index: usize) -> f64 {
        (index..self.size).map(|row| self.inverse[row * self.size + index].powi(2)).sum()
    }

    fn draw(&self, random: &mut Random) -> Vec<f64> {
        let half: Vec<f64> = self.half_mean.iter().map(|mean| mean + random.normal()).collect();
        (0..self.size).map(|column| self.along(column, &half)).collect()
    }
}

/// Sums stop at the end of the shorter.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn root_at(at: usize) -> f64 {
    if at == 0 { 0.0 } else { GENTLEST * STEEPER.powi(at as i32 - 1) }
}

/// Logarithm of how likely a root is before any game.
fn root_log(at: usize) -> f64 {
    if at == 0 {
        return DEAD.ln();
    }
    let distance = (root_at(at).powi(2) / USUAL_STEEPNESS).ln() / STEEPNESS_SPREAD;
    let cell = 2.0 * STEEPER.ln() / STEEPNESS_SPREAD;
    ((1.0 - DEAD) * cell / std::f64::consts::TAU.sqrt()).ln() - distance * distance / 2.0
}

/// An index drawn by the logarithms of chances.
fn pick(logs: &[f64], random: &mut Random) -> usize {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
    let mut left = random.unit() * shares.iter().sum::<f64>();
    let reached = |share: &f64| {
        left -= share;
        left < 0.0
    };
    shares.iter().position(reached).unwrap_or(logs.len() - 1)
}

/// The inverse of the lower triangular root of a positive matrix, whose lower triangle is given.
fn inverse_of_root(mut matrix: Vec<f64>, size: usize) -> Vec<f64> {
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

    /// Sums over many pairs on the quadratic `curvature` with its optimum at `optimum`, without noise in the scores.
    fn taught(curvature: &[[f64; 3]; 3], optimum: [f64; 3], pairs: u64) -> RegressionSums {
        let (mut moments, mut random) = (RegressionSums::new(3), Random::new(7));
        let strength = |place: &[f64]| {
            let away: Vec<f64> = place.iter().zip(optimum).map(|(place, optimum)| place - optimum).collect();
            -curvature.iter().zip(&away).map(|(row, from)| from * dot(row, &away)).sum::<f64>()
        };
        for _ in 0..pairs {
            let centre: Vec<f64> = optimum.iter().map(|at| at + 0.6 * (random.unit() - 0.5)).collect();
            let reach: Vec<f64> = centre.iter().map(|_| 0.5 * random.sign()).collect();
            let side = |sign: f64| -> Vec<f64> {
                centre.iter().zip(&reach).map(|(centre, reach)| centre + sign * reach).collect()
            };
            let (plus, minus) = (side(1.0), side(-1.0));
            moments.learn(1.0, &plus, &minus, strength(&plus) - strength(&minus), 1.0);
        }
        moments
    }

    fn is_held([low, high]: [f64; 2], optimum: f64) -> bool {
        low <= optimum && optimum <= high
    }

    const STRAIGHT: [[f64; 3]; 3] = [[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]];
    const BOUND: [[f64; 3]; 3] = [[6.0, 5.7, 0.0], [5.7, 6.0, 0.0], [0.0, 0.0, 6.0]];

    #[test]
    fn intervals_hold_the_optimum_of_bound_parameters_and_are_wider_than_those_of_free_ones() {
        let optimum = [0.3, -0.4, 0.2];
        let (free, bound) = (taught(&STRAIGHT, optimum, 20_000), taught(&BOUND, optimum, 20_000));
        let (free, bound) = (intervals(&free, 15_000.0, 1), intervals(&bound, 15_000.0, 1));
        for (index, optimum) in optimum.into_iter().enumerate() {
            assert!(is_held(free[index], optimum), "{index}: {:?}", free[index]);
            assert!(is_held(bound[index], optimum), "{index}: {:?}", bound[index]);
        }
        let width = |[low, high]: [f64; 2]| high - low;
        assert!(width(bound[0]) > 1.3 * width(free[0]), "{:?} {:?}", bound[0], free[0]);
    }

    #[test]
    fn what_does_nothing_has_the_widest_interval() {
        let dead = [[6.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 6.0]];
        let told = intervals(&taught(&dead, [0.3, 0.3, 0.3], 20_000), 15_000.0, 1);
        let width = |index: usize| told[index][1] - told[index][0];
        assert!(width(1) > 1.1 * width(0).max(width(2)), "{told:?}");
    }

    #[test]
    fn more_pairs_give_narrower_intervals_and_the_same_pairs_the_same() {
        let (few, many) = (taught(&STRAIGHT, [0.3; 3], 2_000), taught(&STRAIGHT, [0.3; 3], 50_000));
        let width = |[low, high]: [f64; 2]| high - low;
        let told = intervals(&many, 15_000.0, 1);
        assert!(width(told[0]) < 0.7 * width(intervals(&few, 15_000.0, 1)[0]));
        assert_eq!(told, intervals(&many, 15_000.0, 1));
    }

    #[test]
    fn the_inverse_of_a_root_undoes_its_matrix() {
        let matrix = vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, -1.0, 0.5, 3.0];
        let full = |row: usize, column: usize| matrix[row.max(column) * 3 + row.min(column)];
        let inverse = inverse_of_root(matrix.clone(), 3);
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
