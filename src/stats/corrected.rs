//! Strength after a sequential test, corrected for the way such tests stop.
//!
//! A test stops when the candidate has been lucky or unlucky enough, so the plain estimate exaggerates. Seen as
//! Brownian motion between the bounds, each strength gives the chance of an outcome no better than the one seen; the
//! strength that makes this one half is right as often too high as too low.

use serde::{Deserialize, Serialize};

use super::brownian::{BoundedMotion, BrownianPoint};
use super::elo::Elo;
use super::llr::expected_score;
use super::root::find_root;
use super::sample::Tally;
use super::sprt::{Bounds, SprtConfig};

/// Strengths beyond this are told as this.
const LIMIT: f64 = 1000.0;

/// Strength with a 95 % interval, unbiased for the stopping rule; logistic Elo whatever the test's model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedElo {
    /// As likely too high as too low.
    pub elo: Elo,
    /// Too high in one of forty tests.
    pub lower: Elo,
    /// Too low in one of forty tests.
    pub upper: Elo,
    /// The confidence that the candidate is the stronger one.
    pub los: f64,
}

impl SprtConfig {
    /// What a test that stands here, decided or not, says about strength; `None` before the first game.
    pub fn corrected(&self, seen: &impl Tally) -> Option<CorrectedElo> {
        if seen.games_counted() == 0 {
            return None;
        }
        let sample = seen.sample();
        let score_at = |strength: f64| expected_score(&sample, self.model, strength);
        let (null, alternative) = (score_at(self.hypotheses.null()), score_at(self.hypotheses.alternative()));
        let moments = sample.moments();
        let (gap, middle) = (alternative - null, (null + alternative) / 2.0);
        let drift_at = |score: f64| (score - middle) * gap / moments.variance;
        let motion =
            BoundedMotion { bounds: self.bounds(), drift: 0.0, variance: gap * gap / moments.variance };
        let outcome = reached(motion.bounds, sample.total(), drift_at(moments.mean));
        let chance = |elo: f64| {
            BoundedMotion { drift: drift_at(Elo(elo).score()), ..motion }.chance_of_no_better(outcome)
        };
        let centre = Elo::from_score(middle).0;
        let reach = 30.0 * (Elo::from_score(alternative).0 - Elo::from_score(null).0).max(0.01);
        let quantile = |share: f64| Elo(strength_where(chance, share, centre, reach));
        Some(CorrectedElo {
            elo: quantile(0.5),
            lower: quantile(0.975),
            upper: quantile(0.025),
            los: chance(0.0),
        })
    }
}

/// The point of a path with this slope after `time`, or where it met a bound before.
fn reached(bounds: Bounds, time: f64, slope: f64) -> BrownianPoint {
    let position = slope * time;
    let stopped = position.clamp(bounds.lower, bounds.upper);
    if stopped == position {
        BrownianPoint { time, position }
    } else {
        BrownianPoint { time: stopped / slope, position: stopped }
    }
}

/// Where the falling function `chance` takes the value `share`, looking ever wider around `centre`.
fn strength_where(chance: impl Fn(f64) -> f64, share: f64, centre: f64, reach: f64) -> f64 {
    let mut reach = reach;
    loop {
        let (low, high) = ((centre - reach).max(-LIMIT), (centre + reach).min(LIMIT));
        if let Ok(strength) = find_root(|elo| chance(elo) - share, low, high, 1e-9) {
            return strength;
        }
        if low == -LIMIT && high == LIMIT {
            return if chance(0.0) > share { LIMIT } else { -LIMIT };
        }
        reach *= 2.0;
    }
}
