//! Counts as a distribution of scores, the input of estimates and likelihoods.

use super::tally::{Pentanomial, Trinomial};

const GAME_SCORES: [f64; 3] = [0.0, 0.5, 1.0];
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Pseudocount of a score without observations, so that no hypothesis is impossible.
const PSEUDOCOUNT: f64 = 1e-3;

/// Counts from which an Elo difference can be estimated: pairs or single games.
pub trait Tally {
    /// Returns the number of games.
    fn games_counted(&self) -> u64;

    /// Returns the proportion of the points won by the candidate, or `None` before the first game.
    fn score(&self) -> Option<f64>;

    /// Returns the proportion of drawn games, or of even pairs; `None` before the first.
    fn draw_ratio(&self) -> Option<f64>;

    /// Returns the number of pairs won per pair lost, infinity if none is lost; `None` if none is won either or games are not
    /// paired.
    fn pairs_ratio(&self) -> Option<f64>;

    #[doc(hidden)]
    fn sample(&self) -> Sample;
}

impl Tally for Pentanomial {
    fn games_counted(&self) -> u64 {
        self.games()
    }

    fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.half_points() as f64 / (2.0 * self.games() as f64))
    }

    fn draw_ratio(&self) -> Option<f64> {
        Pentanomial::draw_ratio(self)
    }

    fn pairs_ratio(&self) -> Option<f64> {
        Pentanomial::pairs_ratio(self)
    }

    fn sample(&self) -> Sample {
        Sample::regularised(&PAIR_SCORES, &self.0, 2.0)
    }
}

impl Tally for Trinomial {
    fn games_counted(&self) -> u64 {
        self.games()
    }

    fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.half_points() as f64 / (2.0 * self.games() as f64))
    }

    fn draw_ratio(&self) -> Option<f64> {
        Trinomial::draw_ratio(self)
    }

    fn pairs_ratio(&self) -> Option<f64> {
        None
    }

    fn sample(&self) -> Sample {
        Sample::regularised(&GAME_SCORES, &[self.losses, self.draws, self.wins], 1.0)
    }
}

/// An empirical distribution of scores from 0 to 1, all with positive probability, and the number of observations.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    scores: &'static [f64],
    /// One probability per score; the remaining elements are unused.
    probabilities: [f64; 5],
    total: f64,
    games_each: f64,
}

/// Mean, variance, skewness and excess kurtosis of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) skewness: f64,
    pub(super) excess_kurtosis: f64,
}

impl Sample {
    fn regularised(scores: &'static [f64], counts: &[u64], games_each: f64) -> Self {
        let mut probabilities = [0.0; 5];
        for (probability, &count) in probabilities.iter_mut().zip(counts) {
            *probability = if count == 0 { PSEUDOCOUNT } else { count as f64 };
        }
        let total: f64 = probabilities.iter().sum();
        for probability in &mut probabilities {
            *probability /= total;
        }
        Self { scores, probabilities, total, games_each }
    }

    /// Returns the possible scores, lowest first.
    pub(super) fn scores(&self) -> &'static [f64] {
        self.scores
    }

    /// Returns the probability of each score; all are positive and sum to 1.
    pub(super) fn probabilities(&self) -> &[f64] {
        &self.probabilities[..self.scores.len()]
    }

    /// Returns each possible score with its count, a pseudocount if it did not occur.
    pub(super) fn counts(&self) -> impl Iterator<Item = (f64, f64)> {
        self.scores.iter().zip(self.probabilities()).map(|(score, share)| (*score, share * self.total))
    }

    /// Returns the number of observations, pseudocounts included.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Returns the number of games per observation: 1, or 2 for pairs.
    pub(super) fn games_each(&self) -> f64 {
        self.games_each
    }

    pub(super) fn moments(&self) -> Moments {
        let over = |power: fn(f64) -> f64, centre: f64| -> f64 {
            self.scores
                .iter()
                .zip(self.probabilities())
                .map(|(score, probability)| probability * power(score - centre))
                .sum()
        };
        let mean = over(|score| score, 0.0);
        let variance = over(|score| score * score, mean);
        let third = over(|score| score.powi(3), mean);
        let fourth = over(|score| score.powi(4), mean);
        Moments {
            mean,
            variance,
            skewness: third / variance.powf(1.5),
            excess_kurtosis: fourth / (variance * variance) - 3.0,
        }
    }

    /// Returns the variance of the score of one game.
    pub(super) fn game_variance(&self) -> f64 {
        self.moments().variance * self.games_each
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_cells_get_a_pseudocount() {
        let sample = Pentanomial([0, 2, 4, 0, 1]).sample();
        assert!((sample.total() - 7.002).abs() < 1e-12);
        assert!((sample.probabilities()[0] - 0.001 / 7.002).abs() < 1e-15);
        assert!((sample.probabilities()[2] - 4.0 / 7.002).abs() < 1e-15);
    }

    #[test]
    fn moments_of_a_fair_coin_have_the_known_values() {
        let Moments { mean, variance, skewness, excess_kurtosis } =
            Trinomial { wins: 500_000_000, draws: 0, losses: 500_000_000 }.sample().moments();
        assert!((mean - 0.5).abs() < 1e-12);
        assert!((variance - 0.25).abs() < 1e-11);
        assert!(skewness.abs() < 1e-9);
        assert!((excess_kurtosis + 2.0).abs() < 1e-9);
    }
}
