//! Brownian motion absorbed at two bounds, a model of the log-likelihood ratio of a sequential test.

use std::f64::consts::PI;

use statrs::distribution::{ContinuousCDF, Normal};

use super::sprt::Bounds;

/// Brownian motion from 0 with constant drift and variance per unit of time, absorbed at two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoundedMotion {
    pub(super) bounds: Bounds,
    pub(super) drift: f64,
    pub(super) variance: f64,
}

/// A point of a path: the current point of a test, or its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrownianPoint {
    /// The elapsed time.
    pub(super) time: f64,
    /// The position, between the bounds or on one.
    pub(super) position: f64,
}

impl BoundedMotion {
    /// Returns the probability that the lower bound is reached first.
    pub(super) fn lower_probability(&self) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let (width, rate) = (upper - lower, 2.0 * self.drift / self.variance);
        if (rate * width).abs() < 1e-8 {
            upper / width
        } else if rate > 0.0 {
            // Both exponents are at most 0.
            ((rate * lower).exp() - (-rate * width).exp()) / -(-rate * width).exp_m1()
        } else {
            (rate * upper).exp_m1() / (rate * width).exp_m1()
        }
    }

    /// Returns the expected time until a bound is reached.
    pub(super) fn expected_time(&self) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let lower_probability = self.lower_probability();
        if (self.drift * (upper - lower) / self.variance).abs() < 1e-6 {
            -lower * upper / self.variance
        } else {
            (upper * (1.0 - lower_probability) + lower * lower_probability) / self.drift
        }
    }

    /// Returns the probability of an outcome no better than this one: absorbed at the lower bound by that time, or not
    /// absorbed and no higher.
    ///
    /// The probability decreases with the drift, so it yields confidence intervals that account for the stopping rule.
    pub(super) fn probability_of_no_better(&self, outcome: BrownianPoint) -> f64 {
        let width = self.bounds.upper - self.bounds.lower;
        let rate = self.drift / self.variance;
        let early = self.variance * outcome.time / (width * width) < 1e-2;
        let probability = if early || (rate * width).abs() > 15.0 {
            self.by_images(outcome)
        } else {
            self.by_eigenfunctions(outcome)
        };
        probability.clamp(0.0, 1.0)
    }

    /// Returns the probability that a bound is reached by this time.
    pub(super) fn absorbed_by(&self, time: f64) -> f64 {
        let at = |position: f64| self.probability_of_no_better(BrownianPoint { time, position });
        (at(self.bounds.lower) + self.upper_by(time)).min(1.0)
    }

    /// Returns the probability that the upper bound is reached first, and by this time.
    pub(super) fn upper_by(&self, time: f64) -> f64 {
        1.0 - self.probability_of_no_better(BrownianPoint { time, position: self.bounds.upper })
    }

    /// Sums over the eigenfunctions between the bounds; converges fast except for small times.
    fn by_eigenfunctions(&self, BrownianPoint { time, position }: BrownianPoint) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let (width, rate) = (upper - lower, self.drift / self.variance);
        let (start, end) = (-lower, position - lower);
        let mut sum = self.lower_probability();
        for order in 1..=200 {
            let frequency = f64::from(order) * PI / width;
            let decay = (frequency * frequency * self.variance + self.drift * rate) / 2.0;
            let amplitude = (-decay * time + rate * (end - start)).exp();
            let phase = frequency * end;
            let shape = 2.0 * (rate * phase.sin() - frequency * phase.cos())
                / (width * (rate * rate + frequency * frequency));
            sum += amplitude * shape * (frequency * start).sin();
            if amplitude.abs() * 2.0 < 1e-13 {
                break;
            }
        }
        sum
    }

    /// Sums the free motion and its first mirror image at each bound (Siegmund); accurate while few paths reach both
    /// bounds.
    fn by_images(&self, BrownianPoint { time, position }: BrownianPoint) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let deviation = (self.variance * time).sqrt();
        let rate = 2.0 * self.drift / self.variance;
        let travelled = self.drift * time;
        let free = Normal::standard().cdf((position - travelled) / deviation);
        let below = log_normal_cdf((2.0 * lower - position + travelled) / deviation);
        let above = log_normal_cdf((position - travelled - 2.0 * upper) / deviation);
        free + (rate * lower + below).exp() - (rate * upper + above).exp()
    }
}

/// Returns the logarithm of the normal distribution function, even where the function itself underflows.
pub(super) fn log_normal_cdf(deviations: f64) -> f64 {
    if deviations > -30.0 {
        Normal::standard().cdf(deviations).ln()
    } else {
        let inverse_square = deviations.powi(-2);
        -0.5 * deviations * deviations - (-deviations * (2.0 * PI).sqrt()).ln()
            + (-inverse_square + 3.0 * inverse_square * inverse_square).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    const BOUNDS: Bounds = Bounds { lower: -2.2, upper: 2.9 };

    fn motion(drift: f64) -> BoundedMotion {
        BoundedMotion { bounds: BOUNDS, drift, variance: 1.0 }
    }

    #[test]
    fn probabilities_agree_with_simulated_walks() {
        let (step, walks) = (0.004f64, 4000);
        for (drift, outcome) in [
            (0.2, BrownianPoint { time: 3.0, position: 0.5 }),
            (-0.4, BrownianPoint { time: 5.0, position: BOUNDS.upper }),
            (0.0, BrownianPoint { time: 6.0, position: BOUNDS.lower }),
        ] {
            // A discrete walk overshoots the bounds; Siegmund's shift of 0.5826 standard deviations of a step
            // corrects it.
            let shift = 0.5826 * step.sqrt();
            let mut no_better = 0;
            for walk in 0..walks {
                let mut random = Random::of_item(5, walk);
                let (mut position, mut time) = (0.0, 0.0);
                loop {
                    if position <= BOUNDS.lower + shift {
                        no_better += 1;
                        break;
                    }
                    if position >= BOUNDS.upper - shift {
                        break;
                    }
                    if time >= outcome.time {
                        no_better += i32::from(position <= outcome.position);
                        break;
                    }
                    position += drift * step + step.sqrt() * random.normal();
                    time += step;
                }
            }
            let simulated = f64::from(no_better) / walks as f64;
            let computed = motion(drift).probability_of_no_better(outcome);
            assert!((simulated - computed).abs() < 0.025, "drift {drift}: {simulated} and {computed}");
        }
    }

    #[test]
    fn both_sums_agree_where_both_are_accurate() {
        for drift in [-0.6, 0.0, 0.7] {
            for position in [BOUNDS.lower, -1.0, 0.4, BOUNDS.upper] {
                let outcome = BrownianPoint { time: 0.6, position };
                let eigen = motion(drift).by_eigenfunctions(outcome);
                let images = motion(drift).by_images(outcome);
                assert!((eigen - images).abs() < 1e-6, "drift {drift}, {position}: {eigen} and {images}");
            }
        }
    }

    #[test]
    fn the_probability_of_no_better_outcome_decreases_with_the_drift() {
        let outcome = BrownianPoint { time: 4.0, position: BOUNDS.upper };
        let mut last = 1.0;
        for drift in -400..=400 {
            let probability = motion(f64::from(drift) / 10.0).probability_of_no_better(outcome);
            assert!(probability <= last + 1e-6, "drift {drift}: {probability} after {last}");
            last = probability;
        }
    }

    #[test]
    fn absorption_times_agree_with_their_mean() {
        for drift in [-0.5, -0.1, 0.0, 0.3] {
            let motion = motion(drift);
            // The mean of a time is the integral of the probability that it is longer.
            let (step, mut mean) = (0.01, 0.0);
            for slice in 0..20_000 {
                mean += step * (1.0 - motion.absorbed_by((f64::from(slice) + 0.5) * step));
            }
            let expected = motion.expected_time();
            assert!((mean / expected - 1.0).abs() < 1e-3, "drift {drift}: {mean} and {expected}");
            assert!((motion.upper_by(200.0) - (1.0 - motion.lower_probability())).abs() < 1e-6);
        }
    }

    #[test]
    fn without_drift_the_lower_probability_is_proportional_to_the_upper_bound() {
        assert!((motion(0.0).lower_probability() - 2.9 / 5.1).abs() < 1e-12);
        assert!((motion(1e-5).lower_probability() - 2.9 / 5.1).abs() < 1e-4);
        assert!((motion(0.0).expected_time() - 2.9 * 2.2).abs() < 1e-12);
        assert!((motion(1e-5).expected_time() - 2.9 * 2.2).abs() < 1e-3);
    }
}
