//! The score of a pair as a measurement in Elo.
//!
//! The expected score is a nonlinear function of the Elo difference: between sides hundreds of Elo apart, additional
//! strength hardly gains points. A score is therefore converted with the tangent to that function at the expected score
//! of the pair, and weighted by the information that it carries there: the slope of the function and the variance of
//! the score both shrink in the same proportion.

use crate::stats::{Elo, PairScore};
use crate::tuning::bayes::posterior::Estimate;

/// Elo per unit of score, near an even score: 1600 / ln 10.
pub(super) const ELO_PER_SCORE: f64 = 694.871_171_045_202_9;
/// Largest expected Elo difference; larger ones are limited to it.
const MAX_GAP: f64 = 600.0;
/// Prior variance of the score of a pair, and the number of pairs that this prior counts for.
const PRIOR_VARIANCE: f64 = 0.0325;
const PRIOR_PAIRS: f64 = 50.0;

/// The score of a pair, linearised at its expected score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    /// Measured Elo difference between the two sides.
    pub(super) elo: f64,
    /// Information relative to that of a pair between equal sides.
    pub(super) information: f64,
    /// Squared difference between the score and the expected score.
    pub(super) squared_residual: f64,
}

impl Observation {
    /// Converts the score of a pair between sides that are expected to be `gap` Elo apart.
    pub(super) fn new(score: PairScore, gap: f64) -> Self {
        let expected = Elo(gap).score();
        let (residual, information) = (score.points() / 2.0 - expected, 4.0 * expected * (1.0 - expected));
        Self {
            elo: gap + ELO_PER_SCORE * residual / information,
            information,
            squared_residual: residual * residual,
        }
    }
}

/// Returns the expected Elo advantage of the plus side due to each parameter, and the limited sum of all.
pub(super) fn gaps(estimates: &[Estimate], plus: &[f64], minus: &[f64]) -> (Vec<f64>, f64) {
    let each: Vec<f64> = estimates
        .iter()
        .zip(plus.iter().zip(minus))
        .map(|(estimate, (&plus, &minus))| estimate.gap(plus, minus))
        .collect();
    let all = limited(each.iter().sum());
    (each, all)
}

/// Limits an expected Elo difference to those whose score still depends on it.
pub(super) fn limited(gap: f64) -> f64 {
    gap.clamp(-MAX_GAP, MAX_GAP)
}

/// Returns the variance of the score of a pair between equal sides, from sums of squared residuals and of information.
pub(super) fn variance((squares, information): (f64, f64)) -> f64 {
    (squares + PRIOR_VARIANCE * PRIOR_PAIRS) / (information + PRIOR_PAIRS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::GameModel;

    /// The mean observed Elo of pairs between sides `gap` apart that are expected to be `expected` apart.
    fn mean(gap: f64, expected: f64) -> f64 {
        let odds = GameModel::balanced().odds(Elo(gap));
        let outcomes = odds.probabilities().into_iter().zip(PairScore::ALL);
        outcomes.map(|(chance, score)| chance * Observation::new(score, expected).elo).sum()
    }

    #[test]
    fn an_expected_gap_is_measured_without_bias() {
        for gap in [-400.0, -50.0, 0.0, 150.0, 500.0] {
            assert!((mean(gap, gap) - gap).abs() < 1.0, "{gap}: {}", mean(gap, gap));
        }
    }

    #[test]
    fn an_unexpected_wide_gap_is_underestimated() {
        assert!(mean(500.0, 0.0) < 350.0);
        assert!((mean(500.0, 400.0) - 500.0).abs() < 40.0);
    }

    #[test]
    fn pairs_between_unequal_sides_carry_less_information() {
        let information = |gap| Observation::new(PairScore::EVEN, gap).information;
        assert_eq!(information(0.0), 1.0);
        assert!(information(400.0) < 0.4 && information(200.0) > 0.7);
    }
}
