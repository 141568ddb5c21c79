//! A log-likelihood ratio as it wanders between its bounds: Brownian motion that is absorbed at either.

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

/// Where a test stood, or ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrownianPoint {
    /// Time passed.
    pub(super) time: f64,
    /// Position, between the bounds or on one.
    pub(super) position: f64,
}

impl BoundedMotion {
    /// The chance that the lower bound is reached first.
    pub(super) fn falls(&self) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let (width, pull) = (upper - lower, 2.0 * self.drift / self.variance);
        if (pull * width).abs() < 1e-8 {
            upper / width
        } else if pull > 0.0 {
            // Both exponents are at most 0.
            ((pull * lower).exp() - (-pull * width).exp()) / -(-pull * width).exp_m1()
        } else {
            (pull * upper).exp_m1() / (pull * width).exp_m1()
        }
    }

    /// Expected time until a bound is reached.
    pub(super) fn expected_time(&self) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let falls = self.falls();
        if (self.drift * (upper - lower) / self.variance).abs() < 1e-6 {
            -lower * upper / self.variance
        } else {
            (upper * (1.0 - falls) + lower * falls) / self.drift
        }
    }

    /// The chance of an outcome no better than this one: absorbed below by then, or still on its way and no higher.
    ///
    /// Falls as the drift rises, which makes it the tool for intervals that know about the stopping rule.
    pub(super) fn chance_of_no_better(&self, outcome: BrownianPoint) -> f64 {
        let width = self.bounds.upper - self.bounds.lower;
        let pull = self.drift / self.variance;
        let early = self.variance * outcome.time / (width * width) < 1e-2;
        let chance = if early || (pull * width).abs() > 15.0 {
            self.by_images(outcome)
        } else {
            self.by_waves(outcome)
        };
        chance.clamp(0.0, 1.0)
    }

    /// Sum over the waves that fit between the bounds; converges fast once time has passed.
    fn by_waves(&self, BrownianPoint { time, position }: BrownianPoint) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let (width, pull) = (upper - lower, self.drift / self.variance);
        let (start, end) = (-lower, position - lower);
        let mut sum = self.falls();
        for wave in 1..=200 {
            let frequency = f64::from(wave) * PI / width;
            let decay = (frequency * frequency * self.variance + self.drift * pull) / 2.0;
            let size = (-decay * time + pull * (end - start)).exp();
            let phase = frequency * end;
            let shape = 2.0 * (pull * phase.sin() - frequency * phase.cos())
                / (width * (pull * pull + frequency * frequency));
            sum += size * shape * (frequency * start).sin();
            if size.abs() * 2.0 < 1e-13 {
                break;
            }
        }
        sum
    }

    /// The free motion and its first mirror image at each bound (Siegmund); right while few paths see both bounds.
    fn by_images(&self, BrownianPoint { time, position }: BrownianPoint) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let deviation = (self.variance * time).sqrt();
        let double_pull = 2.0 * self.drift / self.variance;
        let travelled = self.drift * time;
        let free = Normal::standard().cdf((position - travelled) / deviation);
        let below = log_normal_cdf((2.0 * lower - position + travelled) / deviation);
        let above = log_normal_cdf((position - travelled - 2.0 * upper) / deviation);
        free + (double_pull * lower + below).exp() - (double_pull * upper + above).exp()
    }
}

/// Logarithm of the normal distribution function, also where the function itself is too small to write down.
fn log_normal_cdf(deviations: f64) -> f64 {
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
    fn chances_agree_with_walks_taken_step_by_step() {
        let (step, walks) = (0.004f64, 4000);
        for (drift, outcome) in [
            (0.2, BrownianPoint { time: 3.0, position: 0.5 }),
            (-0.4, BrownianPoint { time: 5.0, position: BOUNDS.upper }),
            (0.0, BrownianPoint { time: 6.0, position: BOUNDS.lower }),
        ] {
            // A walk in steps looks through the bounds now and then; Siegmund's shift of 0.5826 deviations repairs it.
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
            let (seen, told) =
                (f64::from(no_better) / walks as f64, motion(drift).chance_of_no_better(outcome));
            assert!((seen - told).abs() < 0.025, "drift {drift}: walked {seen}, computed {told}");
        }
    }

    #[test]
    fn both_ways_of_summing_agree_where_both_are_good() {
        for drift in [-0.6, 0.0, 0.7] {
            for position in [BOUNDS.lower, -1.0, 0.4, BOUNDS.upper] {
                let outcome = BrownianPoint { time: 0.6, position };
                let (waves, images) = (motion(drift).by_waves(outcome), motion(drift).by_images(outcome));
                assert!((waves - images).abs() < 1e-6, "drift {drift}, {position}: {waves} and {images}");
            }
        }
    }

    #[test]
    fn more_drift_makes_no_outcome_less_good() {
        let outcome = BrownianPoint { time: 4.0, position: BOUNDS.upper };
        let mut last = 1.0;
        for drift in -400..=400 {
            let chance = motion(f64::from(drift) / 10.0).chance_of_no_better(outcome);
            assert!(chance <= last + 1e-6, "drift {drift}: {chance} after {last}");
            last = chance;
        }
    }

    #[test]
    fn a_fair_walk_falls_in_proportion_to_its_bounds() {
        assert!((motion(0.0).falls() - 2.9 / 5.1).abs() < 1e-12);
        assert!((motion(1e-5).falls() - 2.9 / 5.1).abs() < 1e-4);
        assert!((motion(0.0).expected_time() - 2.9 * 2.2).abs() < 1e-12);
        assert!((motion(1e-5).expected_time() - 2.9 * 2.2).abs() < 1e-3);
    }
}
