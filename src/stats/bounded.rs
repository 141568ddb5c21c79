//! The bounded test: Lorden's 2-SPRT, whose bounds meet.
//!
//! The strength half-way between the hypotheses is compared with both. H0 is rejected when the half-way strength explains
//! the counts better than H0 by a certain factor, H1 when it explains them better than H1. One of the two happens after a
//! known number of pairs at the latest. Written in terms of the usual ratio of H1 to H0, the bounds start at a distance
//! that [`triangle`] computes from the error rates, and approach each other by a quarter of the ratio's variance.

use std::sync::Mutex;

use super::llr::LikelihoodRatio;
use super::sample::Tally;
use super::sprt::{Bounds, SprtConfig, TestReading};
use super::stopped_motion::OVERSHOOT;
use super::triangle::triangle;

/// Greatest standard deviation of one step of the ratio for which the overshoot is corrected.
const LARGEST_STEP: f64 = 1.0;

/// Returns the ratio and the bounds of a bounded test at these counts, and the change of the ratio for one more observation
/// of each score.
pub(super) fn narrowed(config: &SprtConfig, tally: &impl Tally, start: Bounds) -> (TestReading, [f64; 5]) {
    let sample = tally.sample();
    let (null, alternative) = (config.hypotheses.null(), config.hypotheses.alternative());
    let middle = (null + alternative) / 2.0;
    let against_null = LikelihoodRatio::of(&sample, config.model, null, middle);
    let against_alternative = LikelihoodRatio::of(&sample, config.model, alternative, middle);
    let llr = against_null.llr - against_alternative.llr;
    // Half-way, both ratios fall by an eighth of the variance of `llr`; their sum is the narrowing.
    let narrowing = against_null.llr + against_alternative.llr;
    // A walk passes a bound by a part of its last step, so the bounds are moved inwards by its mean.
    let step = 2.0 * (narrowing.max(0.0) / sample.total()).sqrt();
    let inwards = narrowing + OVERSHOOT * step.min(LARGEST_STEP);
    let bounds = Bounds { lower: start.lower + inwards, upper: start.upper - inwards };
    let gradient = std::array::from_fn(|at| against_null.gradient[at] - against_alternative.gradient[at]);
    (TestReading { llr, bounds }, gradient)
}

/// First bounds by error rates. They take a millisecond to compute and are needed after every pair.
pub(super) static CALIBRATED: Calibrated = Calibrated(Mutex::new(Vec::new()));

/// First bounds that were computed before.
pub(super) struct Calibrated(Mutex<Vec<([f64; 2], Bounds)>>);

impl Calibrated {
    pub(super) fn of(&self, alpha: f64, beta: f64) -> Bounds {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, bounds)) = known.iter().find(|(rates, _)| *rates == [alpha, beta]) {
            return *bounds;
        }
        let bounds = triangle(alpha, beta);
        known.push(([alpha, beta], bounds));
        bounds
    }
}
