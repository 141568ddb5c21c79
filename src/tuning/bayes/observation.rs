//! What a pair's score says in Elo.
//!
//! Scores bend: hundreds of Elo apart, a little more strength wins hardly more points. So a score is read along the
//! tangent to the curve at what was expected of the pair, and counts for as much as it still says there: the slope of
//! the curve and the variance of scores both shrink in the same proportion.

use crate::stats::{Elo, PairScore};
use crate::tuning::bayes::posterior::Belief;

/// Elo per unit of score, near an even score: 1600 / ln 10.
pub(super) const ELO_PER_SCORE: f64 = 694.871_171_045_202_9;
/// Gaps beyond which a score is read as if they were no wider.
const WIDEST_GAP: f64 = 600.0;
/// Variance of a pair's score before any was seen, and how many pairs that guess is worth.
const USUAL_VARIANCE: f64 = 0.0325;
const GUESSED_PAIRS: f64 = 50.0;

/// A score as read where its pair was expected to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    /// What it says of the gap between the two sides.
    pub(super) elo: f64,
    /// How much it says, beside a pair between equals.
    pub(super) share: f64,
    /// How far it lies from what was expected, squared.
    pub(super) square_surprise: f64,
}

impl Observation {
    /// Reads the score of a pair between sides believed to be `gap` Elo apart.
    pub(super) fn new(score: PairScore, gap: f64) -> Self {
        let expected = Elo(gap).score();
        let (surprise, share) = (score.points() / 2.0 - expected, 4.0 * expected * (1.0 - expected));
        Self { elo: gap + ELO_PER_SCORE * surprise / share, share, square_surprise: surprise * surprise }
    }
}

/// What each parameter is believed to win for plus, and all together.
pub(super) fn gaps(beliefs: &[Belief], plus: &[f64], minus: &[f64]) -> (Vec<f64>, f64) {
    let each: Vec<f64> = beliefs
        .iter()
        .zip(plus.iter().zip(minus))
        .map(|(belief, (&plus, &minus))| belief.gap(plus, minus))
        .collect();
    let all = each.iter().sum::<f64>().clamp(-WIDEST_GAP, WIDEST_GAP);
    (each, all)
}

/// Variance of the score of a pair between equals, from sums of squared surprises and of shares.
pub(super) fn variance((squares, shares): (f64, f64)) -> f64 {
    (squares + USUAL_VARIANCE * GUESSED_PAIRS) / (shares + GUESSED_PAIRS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::GameModel;

    /// The mean of what pairs between sides `gap` apart are heard to say, when `expected` apart was believed.
    fn mean(gap: f64, expected: f64) -> f64 {
        let odds = GameModel::balanced().odds(Elo(gap));
        let shares = odds.chances().into_iter().zip(PairScore::ALL);
        shares.map(|(share, score)| share * Observation::new(score, expected).elo).sum()
    }

    #[test]
    fn a_gap_is_heard_as_it_is_where_it_was_expected() {
        for gap in [-400.0, -50.0, 0.0, 150.0, 500.0] {
            assert!((mean(gap, gap) - gap).abs() < 1.0, "{gap}: {}", mean(gap, gap));
        }
    }

    #[test]
    fn a_wide_gap_is_heard_too_narrow_where_none_was_expected() {
        assert!(mean(500.0, 0.0) < 350.0);
        assert!((mean(500.0, 400.0) - 500.0).abs() < 40.0);
    }

    #[test]
    fn pairs_between_unequal_sides_say_less() {
        let share = |gap| Observation::new(PairScore::EVEN, gap).share;
        assert_eq!(share(0.0), 1.0);
        assert!(share(400.0) < 0.4 && share(200.0) > 0.7);
    }
}
