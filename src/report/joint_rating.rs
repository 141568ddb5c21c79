//! Ratings of all engines of a tournament from all its results together.
//!
//! The model is that of Bradley and Terry with draws as half points: the expected score of one engine against another is
//! logistic in the difference of their ratings. The errors come from the observed variance of pairs, so that the correlation
//! of the two games of a pair, and draws, make them neither too wide nor too narrow.

use crate::game::EngineIndex;
use crate::run::MatchScore;
use crate::stats::Pentanomial;

/// Elo per unit of the logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Weight of the prior in drawn games against the average: finite ratings even after a clean sweep.
const PRIOR_GAMES: f64 = 1.0;

const STEPS: usize = 60;

/// The ratings of a tournament, with the covariance of their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRating {
    ratings: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl JointRating {
    /// Returns the ratings of `engines` engines, whose mean is 0, or `None` without a counted pair.
    pub fn of(engines: usize, matchups: &[([EngineIndex; 2], MatchScore)]) -> Option<Self> {
        let played: Vec<(usize, usize, Pentanomial)> = matchups
            .iter()
            .filter(|(_, score)| score.pentanomial.pairs() > 0)
            .map(|([one, other], score)| (one.get(), other.get(), score.pentanomial))
            .collect();
        if played.is_empty() {
            return None;
        }
        let mut ratings = vec![0.0; engines];
        for _ in 0..STEPS {
            let (gradient, information) = slope(&ratings, &played);
            let step = solve(&information, &gradient)?;
            // A large step overshoots where the logistic curve is flat.
            let longest = step.iter().fold(0.0f64, |most, part| most.max(part.abs()));
            let scale = if longest > 1.0 { 1.0 / longest } else { 1.0 };
            ratings.iter_mut().zip(&step).for_each(|(rating, part)| *rating += scale * part);
            if longest < 1e-10 {
                break;
            }
        }
        let mean = ratings.iter().sum::<f64>() / engines as f64;
        ratings.iter_mut().for_each(|rating| *rating -= mean);
        let covariance = covariance(&ratings, &played)?;
        Some(Self { ratings, covariance })
    }

    /// Returns the rating of an engine in Elo above the mean, and half the width of its 95 % interval.
    pub fn elo(&self, engine: EngineIndex) -> (f64, f64) {
        let at = engine.get();
        (ELO * self.ratings[at], 1.96 * ELO * self.covariance[at][at].max(0.0).sqrt())
    }

    /// Returns the probability that one engine is stronger than another.
    pub fn superiority(&self, one: EngineIndex, other: EngineIndex) -> f64 {
        let (one, other) = (one.get(), other.get());
        let variance =
            self.covariance[one][one] + self.covariance[other][other] - 2.0 * self.covariance[one][other];
        normal_share((self.ratings[one] - self.ratings[other]) / variance.max(1e-12).sqrt())
    }
}

/// Returns the gradient of the log-likelihood and the information matrix, with the prior.
fn slope(ratings: &[f64], played: &[(usize, usize, Pentanomial)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut gradient: Vec<f64> = Vec::with_capacity(ratings.len());
    let mut information = vec![vec![0.0; ratings.len()]; ratings.len()];
    for (at, rating) in ratings.iter().enumerate() {
        let expected = logistic(*rating);
        gradient.push(PRIOR_GAMES * (0.5 - expected));
        information[at][at] = PRIOR_GAMES * expected * (1.0 - expected);
    }
    for &(one, other, counts) in played {
        let games = 2.0 * counts.pairs() as f64;
        let expected = logistic(ratings[one] - ratings[other]);
        let surplus = points(&counts) - games * expected;
        gradient[one] += surplus;
        gradient[other] -= surplus;
        spread(&mut information, one, other, games * expected * (1.0 - expected));
    }
    (gradient, information)
}

/// Returns the covariance of the ratings around their mean: the inverse information around the observed variance of pairs.
fn covariance(ratings: &[f64], played: &[(usize, usize, Pentanomial)]) -> Option<Vec<Vec<f64>>> {
    let size = ratings.len();
    let (_, information) = slope(ratings, played);
    let mut noise = vec![vec![0.0; size]; size];
    (0..size).for_each(|at| noise[at][at] = PRIOR_GAMES / 4.0);
    for &(one, other, counts) in played {
        spread(&mut noise, one, other, counts.pairs() as f64 * pair_variance(&counts));
    }
    let unit = |at: usize| (0..size).map(|place| f64::from(u8::from(place == at))).collect::<Vec<_>>();
    let inverse: Vec<Vec<f64>> = (0..size).map(|at| solve(&information, &unit(at))).collect::<Option<_>>()?;
    let middle = product(&product(&inverse, &noise), &inverse);
    // Only differences are measured, so the common part of all errors is removed.
    let centre: Vec<Vec<f64>> = (0..size)
        .map(|row| (0..size).map(|column| f64::from(u8::from(row == column)) - 1.0 / size as f64).collect())
        .collect();
    Some(product(&product(&centre, &middle), &centre))
}

/// Adds a weight on the difference of two engines.
fn spread(matrix: &mut [Vec<f64>], one: usize, other: usize, weight: f64) {
    matrix[one][one] += weight;
    matrix[other][other] += weight;
    matrix[one][other] -= weight;
    matrix[other][one] -= weight;
}

/// Returns the points of the first engine.
fn points(counts: &Pentanomial) -> f64 {
    counts.0.iter().zip([0.0, 0.5, 1.0, 1.5, 2.0]).map(|(count, points)| *count as f64 * points).sum()
}

/// Returns the variance of the points of a pair. Two imagined pairs, one won and one lost, keep it above zero.
fn pair_variance(counts: &Pentanomial) -> f64 {
    let [a, b, c, d, e] = counts.0.map(|count| count as f64);
    let cells = [a + 0.5, b, c, d, e + 0.5];
    let pairs: f64 = cells.iter().sum();
    let values = [0.0, 0.5, 1.0, 1.5, 2.0];
    let mean = cells.iter().zip(values).map(|(count, value)| count * value).sum::<f64>() / pairs;
    cells.iter().zip(values).map(|(count, value)| count * (value - mean).powi(2)).sum::<f64>() / pairs
}

fn logistic(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the share of a normal distribution below `z`, exact to about 1e-7 (Abramowitz and Stegun, 7.1.26).
fn normal_share(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * series * (-x * x).exp();
    if z >= 0.0 { 1.0 - tail } else { tail }
}

/// Solves a symmetric positive system by elimination; `None` if it is singular.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let size = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, value)| row.iter().copied().chain([*value]).collect()).collect();
    for column in 0..size {
        let best = (column..size)
            .max_by(|&one, &other| rows[one][column].abs().total_cmp(&rows[other][column].abs()))?;
        rows.swap(column, best);
        let pivot = rows[column].clone();
        if pivot[column].abs() < 1e-12 {
            return None;
        }
        for (at, row) in rows.iter_mut().enumerate() {
            if at != column {
                let factor = row[column] / pivot[column];
                row.iter_mut().zip(&pivot).for_each(|(value, part)| *value -= factor * part);
            }
        }
    }
    Some((0..size).map(|at| rows[at][size] / rows[at][at]).collect())
}

fn product(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = one.len();
    let cell = |row: &Vec<f64>, column: usize| (0..size).map(|at| row[at] * other[at][column]).sum();
    one.iter().map(|row| (0..size).map(|column| cell(row, column)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matchup(one: u16, other: u16, counts: [u64; 5]) -> ([EngineIndex; 2], MatchScore) {
        let score = MatchScore { pentanomial: Pentanomial(counts), ..MatchScore::default() };
        ([EngineIndex(one), EngineIndex(other)], score)
    }

    #[test]
    fn two_engines_have_the_elo_difference_of_their_score() {
        // 60 %: 70.4 Elo.
        let rating = JointRating::of(2, &[matchup(0, 1, [0, 2000, 2000, 6000, 0])]).unwrap();
        let difference = rating.elo(EngineIndex(0)).0 - rating.elo(EngineIndex(1)).0;
        assert!((difference - 70.4).abs() < 0.1, "{difference}");
        assert!(rating.superiority(EngineIndex(0), EngineIndex(1)) > 0.999);
    }

    #[test]
    fn results_against_third_engines_count_and_a_clean_sweep_stays_finite() {
        let matchups = [
            matchup(0, 1, [0, 0, 10, 10, 0]),
            matchup(1, 2, [0, 0, 0, 0, 10]),
            matchup(0, 2, [0, 0, 0, 0, 0]),
        ];
        let rating = JointRating::of(3, &matchups).unwrap();
        let [first, second, third] = [0, 1, 2].map(|at| rating.elo(EngineIndex(at)));
        assert!(first.0 > second.0 && second.0 > third.0, "{first:?} {second:?} {third:?}");
        assert!(third.0.is_finite() && third.1 > second.1, "the loser is known least");
        let sum = first.0 + second.0 + third.0;
        assert!(sum.abs() < 1e-6, "the mean is 0");
        let both = rating.superiority(EngineIndex(0), EngineIndex(2))
            + rating.superiority(EngineIndex(2), EngineIndex(0));
        assert!((both - 1.0).abs() < 1e-6);
    }

    #[test]
    fn more_games_make_narrower_errors() {
        let error = |times: u64| {
            let counts = [2, 5, 20, 6, 2].map(|count| count * times);
            JointRating::of(2, &[matchup(0, 1, counts)]).unwrap().elo(EngineIndex(0)).1
        };
        assert!((error(1) / error(100) - 10.0).abs() < 1.0, "{} {}", error(1), error(100));
        assert_eq!(JointRating::of(2, &[matchup(0, 1, [0; 5])]), None);
    }
}
