//! Anchor pairs: the estimated optimum against the start.
//!
//! All other pairs are played around the estimated optimum, so what the start loses is only extrapolated from them, by
//! a parabola that real engines need not follow. The anchor pairs measure it. They give the gain that is reported, and
//! they detect an optimum that is worse than the start, or promises that do not come true.

use serde::{Deserialize, Serialize};

use crate::stats::{Elo, PairScore};
use crate::tuning::bayes::observation::{ELO_PER_SCORE, limited, variance};

/// Assumptions on how much of the promised gain comes true: the standard deviation of that fraction around 1, and the
/// prior probability of the assumption. The first is a model that fits, the second one that does not.
const FITS: (f64, f64) = (0.3, 0.8);
const MISFITS: (f64, f64) = (1.5, 0.2);
/// How often the scores are read again along the tangent at the gain that the last reading gave.
const READINGS: usize = 3;
/// Smallest prior standard deviation of the gain, in Elo.
const MIN_DEVIATION: f64 = 0.01;

/// Scores of the anchor pairs.
///
/// They are kept as scores, which are read along the tangent at the gain that they measure: where much is gained, the tangent
/// at the gain that the model promised made it 4 Elo too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchors {
    /// Sum of weights.
    pairs: f64,
    /// Weighted sum of scores, from 0 to 1 each.
    scores: f64,
    /// Weighted sum of squared scores.
    squares: f64,
}

/// Estimated gain over the start, from the model and the anchor pairs together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeasuredGain {
    /// Mean, in Elo.
    pub(super) mean: f64,
    /// Variance, in Elo².
    pub(super) variance: f64,
    /// Probability that the model does not fit.
    pub(super) misfit: f64,
}

impl Anchors {
    /// Adds a pair between the estimated optimum and the start; the weight of all pairs so far is multiplied by `decay`,
    /// because the estimated optimum moves, and early pairs measured the gain of other values.
    pub(super) fn add(&mut self, score: PairScore, decay: f64) {
        let score = score.points() / 2.0;
        let add = |sum: &mut f64, part: f64| *sum = *sum * decay + part;
        add(&mut self.pairs, 1.0);
        add(&mut self.scores, score);
        add(&mut self.squares, score * score);
    }

    /// Returns the gain along the tangent to the curve of expected scores at `at`, and the inverse of its variance.
    fn measured(&self, at: f64) -> (f64, f64) {
        if self.pairs == 0.0 {
            return (at, 0.0);
        }
        let (at, mean) = (limited(at), self.scores / self.pairs);
        let expected = Elo(at).score();
        let share = 4.0 * expected * (1.0 - expected);
        let squared_residuals = (self.squares - self.scores * mean).max(0.0);
        let variance = variance((squared_residuals, self.pairs * share));
        let measured = at + ELO_PER_SCORE * (mean - expected) / share;
        (measured, self.pairs * share / (variance * ELO_PER_SCORE * ELO_PER_SCORE))
    }

    /// Returns the gain, if the model promises `promised` Elo with the standard error `error`.
    pub(super) fn gain(&self, promised: f64, error: f64) -> MeasuredGain {
        let first = self.gain_at(promised, promised, error);
        (0..READINGS).fold(first, |gain, _| self.gain_at(gain.mean, promised, error))
    }

    /// Returns the gain, with the scores read along the tangent at `at`.
    fn gain_at(&self, at: f64, promised: f64, error: f64) -> MeasuredGain {
        let (measured, precision) = self.measured(at);
        let parts = [FITS, MISFITS].map(|(deviation, probability)| {
            let prior = (deviation * promised.abs() + error).max(MIN_DEVIATION).powi(2);
            let total = prior + 1.0 / precision.max(1e-12);
            let surprise = (measured - promised) * (measured - promised) / total;
            let posterior_variance = 1.0 / (1.0 / prior + precision);
            let mean = posterior_variance * (promised / prior + precision * measured);
            (probability / total.sqrt() * (-surprise / 2.0).exp(), mean, posterior_variance)
        });
        let total: f64 = parts.iter().map(|(weight, ..)| weight).sum();
        let weighted = |value: fn(f64, f64) -> f64| -> f64 {
            parts.iter().map(|&(weight, mean, variance)| weight / total * value(mean, variance)).sum()
        };
        let mean = weighted(|mean, _| mean);
        let square = weighted(|mean, variance| mean * mean + variance);
        MeasuredGain { mean, variance: (square - mean * mean).max(0.0), misfit: parts[1].0 / total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{GameModel, Random};

    /// `pairs` anchor pairs between sides `gap` Elo apart.
    fn anchors(gap: f64, pairs: u64) -> Anchors {
        let (mut anchors, mut random) = (Anchors::default(), Random::new(3));
        let odds = GameModel::balanced().odds(Elo(gap));
        for _ in 0..pairs {
            anchors.add(odds.draw(&mut random), 1.0);
        }
        anchors
    }

    #[test]
    fn without_anchor_pairs_the_promise_counts_with_a_wide_error() {
        let gain = Anchors::default().gain(20.0, 0.0);
        assert!((gain.mean - 20.0).abs() < 1e-6 && gain.variance.sqrt() > 10.0, "{gain:?}");
    }

    #[test]
    fn a_promise_that_comes_true_is_believed_and_one_that_does_not_is_replaced_by_the_measurement() {
        let kept = anchors(20.0, 1_500).gain(20.0, 0.0);
        assert!(kept.misfit < 0.2 && (kept.mean - 20.0).abs() < 8.0, "{kept:?}");
        let broken = anchors(-10.0, 1_500).gain(60.0, 0.0);
        assert!(broken.misfit > 0.9 && broken.mean < 0.0, "{broken:?}");
    }

    #[test]
    fn a_gain_of_hundreds_of_elo_is_measured_without_bias_whatever_the_model_promises() {
        for promised in [60.0, 140.0, 300.0] {
            let gain = anchors(140.0, 20_000).gain(promised, promised);
            assert!((gain.mean - 140.0).abs() < 3.0, "{promised}: {gain:?}");
        }
    }
}
