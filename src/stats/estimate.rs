//! Elo estimate with confidence interval from counts.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::elo::{Elo, NormalizedElo};
use super::sample::{Moments, Sample, Tally};

/// Number of standard deviations on either side of the mean that contain 95 % of a normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// An Elo estimate of the candidate; errors are half-widths of 95 % confidence intervals.
///
/// Valid for a number of games that was fixed beforehand. After a sequential test, use
/// [`CorrectedElo`](super::CorrectedElo).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Proportion of the points won.
    pub score: f64,
    /// Logistic Elo difference.
    pub elo: Elo,
    /// Half the distance between the Elo differences at the ends of the confidence interval of the score.
    pub elo_error: Elo,
    /// Normalized Elo difference.
    pub nelo: NormalizedElo,
    /// Error of the normalized difference, including the uncertainty of the standard deviation.
    pub nelo_error: NormalizedElo,
    /// Likelihood of superiority: the probability that the candidate is stronger.
    pub los: f64,
    /// Proportion of drawn games, or of even pairs.
    pub draw_ratio: f64,
    /// Number of pairs won per pair lost; `None` if no pair is lost, and for unpaired games.
    pub pairs_ratio: Option<f64>,
}

impl Estimate {
    /// Computes the estimate. Returns `None` before the first game.
    pub fn of(tally: &impl Tally) -> Option<Self> {
        let (score, draw_ratio) = (tally.score()?, tally.draw_ratio()?);
        let sample = tally.sample();
        let moments = sample.moments();
        let error = (moments.variance / sample.total()).sqrt();
        let at = |deviations: f64| Elo::from_score(moments.mean + deviations * error).0;
        let (nelo, nelo_error) = normalized(&sample, &moments);
        Some(Self {
            score,
            // Adding 0.0 converts a negative zero to a positive one.
            elo: Elo(Elo::from_score(moments.mean).0 + 0.0),
            elo_error: Elo((at(Z_95) - at(-Z_95)) / 2.0),
            nelo,
            nelo_error,
            los: Normal::standard().cdf((moments.mean - 0.5) / error),
            draw_ratio,
            pairs_ratio: tally.pairs_ratio(),
        })
    }
}

fn normalized(sample: &Sample, moments: &Moments) -> (NormalizedElo, NormalizedElo) {
    let per_sample = (moments.mean - 0.5) / moments.variance.sqrt();
    // Mean and standard deviation come from the same counts; skewness and kurtosis give the covariance of their errors.
    let variance =
        1.0 - per_sample * moments.skewness + per_sample * per_sample * (moments.excess_kurtosis + 2.0) / 4.0;
    let error = (variance.max(0.0) / sample.total()).sqrt();
    let per_game = |value: f64| NormalizedElo::from_deviations(value / sample.games_each().sqrt());
    (per_game(per_sample + 0.0), per_game(Z_95 * error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Pentanomial, Trinomial};

    #[test]
    fn a_published_rating_block_is_reproduced() {
        // The rating block of fastchess for 390 games. Its nElo error, 34.48, treats the standard deviation as known;
        // this one does not.
        let estimate = Estimate::of(&Pentanomial([40, 32, 69, 18, 36])).unwrap();
        let formatted = |value: f64| format!("{value:.2}");
        assert_eq!(formatted(estimate.elo.0), "-19.62");
        assert_eq!(formatted(estimate.elo_error.0), "32.94");
        assert_eq!(formatted(estimate.nelo.0), "-20.64");
        assert_eq!(formatted(estimate.nelo_error.0), "34.74");
        assert_eq!(formatted(100.0 * estimate.los), "12.03");
        assert_eq!(formatted(100.0 * estimate.draw_ratio), "35.38");
        assert_eq!(formatted(estimate.pairs_ratio.unwrap()), "0.75");
        assert_eq!(formatted(100.0 * estimate.score), "47.18");
    }

    #[test]
    fn a_published_line_of_unpaired_games_is_reproduced() {
        // cutechess: "Score of new vs base: 118 - 103 - 279"; wins first, draws last.
        let estimate = Estimate::of(&Trinomial { wins: 118, draws: 279, losses: 103 }).unwrap();
        assert_eq!(format!("{:.1}", estimate.elo.0), "10.4");
        // cutechess prints 20.2, because it approximates the normal quantile as 1.957; scipy gives 20.2670.
        assert_eq!(format!("{:.4}", estimate.elo_error.0), "20.2670");
        assert_eq!(format!("{:.1}", 100.0 * estimate.los), "84.4");
        assert_eq!(estimate.pairs_ratio, None);
    }

    #[test]
    fn an_even_score_gives_a_positive_zero() {
        for counts in [[0, 0, 5, 0, 0], [0, 1, 3, 1, 0], [3, 7, 11, 7, 3]] {
            let estimate = Estimate::of(&Pentanomial(counts)).unwrap();
            assert_eq!(serde_json::to_string(&[estimate.elo.0, estimate.nelo.0]).unwrap(), "[0.0,0.0]");
        }
    }

    #[test]
    fn no_games_give_no_estimate_and_one_sided_counts_are_finite() {
        assert_eq!(Estimate::of(&Pentanomial::default()), None);
        for counts in
            [[1, 0, 0, 0, 0], [0, 0, 1_000_000_000, 0, 0], [0, 0, 0, 0, 1_000_000_000], [0, 1, 0, 0, 0]]
        {
            let Estimate { elo, elo_error, nelo, nelo_error, los, .. } =
                Estimate::of(&Pentanomial(counts)).unwrap();
            for value in [elo.0, elo_error.0, nelo.0, nelo_error.0, los] {
                assert!(value.is_finite(), "{counts:?}");
            }
        }
    }
}
