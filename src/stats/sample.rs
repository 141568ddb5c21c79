//! Counts as a distribution of scores: the form in which estimates and likelihoods read them.

use super::tally::{Pentanomial, Trinomial};

const GAME_SCORES: [f64; 3] = [0.0, 0.5, 1.0];
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Stands for an outcome not seen yet, so that no hypothesis is impossible: a thousandth of a sample.
const UNSEEN: f64 = 1e-3;

/// Counts from which strength can be estimated: pairs or single games.
pub trait Tally {
    /// Games counted.
    fn games_counted(&self) -> u64;

    /// Share of the points won by the candidate; `None` before the first game.
    fn score(&self) -> Option<f64>;

    /// Share of drawn games, or of even pairs; `None` before the first.
    fn share_of_draws(&self) -> Option<f64>;

    /// Pairs won per pair lost; `None` where no pair is lost, or games are not paired.
    fn ratio_of_pairs(&self) -> Option<f64>;

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

    fn share_of_draws(&self) -> Option<f64> {
        self.draw_ratio()
    }

    fn ratio_of_pairs(&self) -> Option<f64> {
        self.pairs_ratio()
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

    fn share_of_draws(&self) -> Option<f64> {
        self.draw_ratio()
    }

    fn ratio_of_pairs(&self) -> Option<f64> {
        None
    }

    fn sample(&self) -> Sample {
        Sample::regularised(&GAME_SCORES, &[self.losses, self.draws, self.wins], 1.0)
    }
}

/// A distribution of scores between 0 and 1, every one of them possible, and how much was seen of it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    scores: &'static [f64],
    /// As many as there are scores; the rest is unused.
    shares: [f64; 5],
    total: f64,
    games_each: f64,
}

/// Mean, variance and the two shape numbers of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) skewness: f64,
    pub(super) excess_kurtosis: f64,
}

impl Sample {
    fn regularised(scores: &'static [f64], counts: &[u64], games_each: f64) -> Self {
        let mut shares = [0.0; 5];
        for (share, &count) in shares.iter_mut().zip(counts) {
            *share = if count == 0 { UNSEEN } else { count as f64 };
        }
        let total: f64 = shares.iter().sum();
        for share in &mut shares {
            *share /= total;
        }
        Self { scores, shares, total, games_each }
    }

    /// The possible scores, lowest first.
    pub(super) fn scores(&self) -> &'static [f64] {
        self.scores
    }

    /// The share of each score; above 0, summing to 1.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares[..self.scores.len()]
    }

    /// Samples seen, the stand-ins for unseen outcomes included.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Games in one sample: 1, or 2 for pairs.
    pub(super) fn games_each(&self) -> f64 {
        self.games_each
    }

    pub(super) fn moments(&self) -> Moments {
        let over = |power: fn(f64) -> f64, centre: f64| -> f64 {
            self.scores.iter().zip(self.shares()).map(|(score, share)| share * power(score - centre)).sum()
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

    /// Variance of the score of one game of the kind that was sampled.
    pub(super) fn game_variance(&self) -> f64 {
        self.moments().variance * self.games_each
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_cells_are_filled() {
        let sample = Pentanomial([0, 2, 4, 0, 1]).sample();
        assert!((sample.total() - 7.002).abs() < 1e-12);
        assert!((sample.shares()[0] - 0.001 / 7.002).abs() < 1e-15);
        assert!((sample.shares()[2] - 4.0 / 7.002).abs() < 1e-15);
    }

    #[test]
    fn moments_of_a_fair_coin_are_the_known_ones() {
        let Moments { mean, variance, skewness, excess_kurtosis } =
            Trinomial { wins: 500_000_000, draws: 0, losses: 500_000_000 }.sample().moments();
        assert!((mean - 0.5).abs() < 1e-12);
        assert!((variance - 0.25).abs() < 1e-11);
        assert!(skewness.abs() < 1e-9);
        assert!((excess_kurtosis + 2.0).abs() < 1e-9);
    }
}
