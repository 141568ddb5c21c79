//! Strength with its interval, from counts alone.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::elo::{Elo, NormalizedElo};
use super::sample::{Moments, Sample, Tally};

/// Standard deviations either side that hold 95 % of a normal distribution.
pub(super) const NINETY_FIVE: f64 = 1.959_963_984_540_054;

/// What a number of games says about the candidate's strength; errors are 95 % half-widths.
///
/// Right for a number of games fixed beforehand; after a sequential test see the corrected one in
/// the corrected module.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Share of the points won.
    pub score: f64,
    /// Logistic difference.
    pub elo: Elo,
    /// Half the distance between the differences at the two ends of the score's interval.
    pub elo_error: Elo,
    /// The difference in standard deviations of a game.
    pub nelo: NormalizedElo,
    /// Its error, with the uncertainty of the deviation itself.
    pub nelo_error: NormalizedElo,
    /// Likelihood of superiority: the chance that the candidate is the stronger one.
    pub los: f64,
    /// Share of drawn games, or of even pairs.
    pub draw_ratio: f64,
    /// Pairs won per pair lost; `None` while none is lost, and for unpaired games.
    pub pairs_ratio: Option<f64>,
}

impl Estimate {
    /// The estimate; `None` before the first game.
    pub fn of(seen: &impl Tally) -> Option<Self> {
        let (score, draw_ratio) = (seen.score()?, seen.share_of_draws()?);
        let sample = seen.sample();
        let moments = sample.moments();
        let error = (moments.variance / sample.total()).sqrt();
        let at = |deviations: f64| Elo::from_score(moments.mean + deviations * error).0;
        let (nelo, nelo_error) = normalized(&sample, &moments);
        Some(Self {
            score,
            // Nobody wants to read of a difference of minus zero.
            elo: Elo(Elo::from_score(moments.mean).0 + 0.0),
            elo_error: Elo((at(NINETY_FIVE) - at(-NINETY_FIVE)) / 2.0),
            nelo,
            nelo_error,
            los: Normal::standard().cdf((moments.mean - 0.5) / error),
            draw_ratio,
            pairs_ratio: seen.ratio_of_pairs(),
        })
    }
}

fn normalized(sample: &Sample, moments: &Moments) -> (NormalizedElo, NormalizedElo) {
    let per_sample = (moments.mean - 0.5) / moments.variance.sqrt();
    // Mean and deviation come from the same counts; skewness and kurtosis say how they err together.
    let variance =
        1.0 - per_sample * moments.skewness + per_sample * per_sample * (moments.excess_kurtosis + 2.0) / 4.0;
    let error = (variance.max(0.0) / sample.total()).sqrt();
    let per_game = |value: f64| NormalizedElo::from_deviations(value / sample.games_each().sqrt());
    (per_game(per_sample + 0.0), per_game(NINETY_FIVE * error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Pentanomial, Trinomial};

    #[test]
    fn a_published_rating_block_is_reproduced() {
        // fastchess, its rating block for 390 games. Its nElo error, 34.48, treats the deviation as known; ours does not.
        let estimate = Estimate::of(&Pentanomial([40, 32, 69, 18, 36])).unwrap();
        let told = |value: f64| format!("{value:.2}");
        assert_eq!(told(estimate.elo.0), "-19.62");
        assert_eq!(told(estimate.elo_error.0), "32.94");
        assert_eq!(told(estimate.nelo.0), "-20.64");
        assert_eq!(told(estimate.nelo_error.0), "34.74");
        assert_eq!(told(100.0 * estimate.los), "12.03");
        assert_eq!(told(100.0 * estimate.draw_ratio), "35.38");
        assert_eq!(told(estimate.pairs_ratio.unwrap()), "0.75");
        assert_eq!(told(100.0 * estimate.score), "47.18");
    }

    #[test]
    fn a_published_line_of_unpaired_games_is_reproduced() {
        // cutechess: "Score of new vs base: 118 - 103 - 279", wins first, draws last.
        let estimate = Estimate::of(&Trinomial { wins: 118, draws: 279, losses: 103 }).unwrap();
        assert_eq!(format!("{:.1}", estimate.elo.0), "10.4");
        // It prints 20.2, because it approximates the normal quantile as 1.957; scipy says 20.2670.
        assert_eq!(format!("{:.4}", estimate.elo_error.0), "20.2670");
        assert_eq!(format!("{:.1}", 100.0 * estimate.los), "84.4");
        assert_eq!(estimate.pairs_ratio, None);
    }

    #[test]
    fn equals_differ_by_zero_and_not_by_minus_zero() {
        for counts in [[0, 0, 5, 0, 0], [0, 1, 3, 1, 0], [3, 7, 11, 7, 3]] {
            let estimate = Estimate::of(&Pentanomial(counts)).unwrap();
            assert_eq!(serde_json::to_string(&[estimate.elo.0, estimate.nelo.0]).unwrap(), "[0.0,0.0]");
        }
    }

    #[test]
    fn nothing_played_is_no_estimate_and_one_sided_counts_are_finite() {
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
