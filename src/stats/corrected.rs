//! Elo estimate after a sequential test, corrected for the stopping rule.
//!
//! A test stops when the candidate has been lucky or unlucky enough, so the plain estimate is biased away from zero.
//! With the test modelled as Brownian motion between its bounds, each Elo difference yields the probability of an
//! outcome no better than the observed one. The difference for which this probability is one half is median-unbiased:
//! as often too high as too low.

use serde::{Deserialize, Serialize};

use super::elo::Elo;
use super::llr::expected_score;
use super::root::find_root;
use super::sample::Tally;
use super::sprt::SprtConfig;
use super::stopped_motion::Pace;

/// Estimates are clamped to this absolute value.
const LIMIT: f64 = 1000.0;

/// An Elo estimate with a 95 % interval, corrected for the stopping rule; logistic Elo for every model of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedElo {
    /// The median-unbiased estimate.
    pub elo: Elo,
    /// The lower end of the interval; too high in one of forty tests.
    pub lower: Elo,
    /// The upper end of the interval; too low in one of forty tests.
    pub upper: Elo,
    /// Likelihood of superiority: the confidence that the candidate is stronger.
    pub los: f64,
}

impl SprtConfig {
    /// Returns the corrected estimate of a test with these counts, decided or not, or `None` before the first game.
    pub fn corrected(&self, tally: &impl Tally) -> Option<CorrectedElo> {
        if tally.games_counted() == 0 {
            return None;
        }
        let sample = tally.sample();
        let score_at = |elo: f64| expected_score(&sample, self.model, elo);
        let (null, alternative) = (score_at(self.hypotheses.null()), score_at(self.hypotheses.alternative()));
        let moments = sample.moments();
        let (gap, middle) = (alternative - null, (null + alternative) / 2.0);
        let drift_at = |score: f64| (score - middle) * gap / moments.variance;
        let motion = self.motion(Pace { drift: 0.0, variance: gap * gap / moments.variance });
        let outcome = motion.end_of_path(sample.total(), drift_at(moments.mean));
        let probability =
            |elo: f64| motion.with_drift(drift_at(Elo(elo).score())).probability_of_no_better(outcome);
        let centre = Elo::from_score(middle).0;
        let reach = 30.0 * (Elo::from_score(alternative).0 - Elo::from_score(null).0).max(0.01);
        let quantile = |target: f64| Elo(elo_where(probability, target, centre, reach));
        Some(CorrectedElo {
            elo: quantile(0.5),
            lower: quantile(0.975),
            upper: quantile(0.025),
            los: probability(0.0),
        })
    }
}

/// Returns the argument at which the decreasing function `probability` equals `target`, searching from `centre`
/// outwards.
fn elo_where(probability: impl Fn(f64) -> f64, target: f64, centre: f64, reach: f64) -> f64 {
    let mut reach = reach;
    loop {
        let (low, high) = ((centre - reach).max(-LIMIT), (centre + reach).min(LIMIT));
        if let Ok(elo) = find_root(|elo| probability(elo) - target, low, high, 1e-9) {
            return elo;
        }
        if low == -LIMIT && high == LIMIT {
            return if probability(0.0) > target { LIMIT } else { -LIMIT };
        }
        reach *= 2.0;
    }
}
