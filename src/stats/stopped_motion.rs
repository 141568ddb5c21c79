//! The path of a test as Brownian motion that stops where the test ends, for either kind of test.

use super::brownian::{BoundedMotion, BrownianPoint};
use super::sprt::{Bounds, SprtConfig, TestKind};
use super::triangle::TriangularMotion;

/// Brownian motion that stops at the bounds of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StoppedMotion {
    /// Between constant bounds.
    Strip(BoundedMotion),
    /// Between lines that meet.
    Triangle(TriangularMotion),
}

/// Drift and variance of the log-likelihood ratio for each observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    pub(super) drift: f64,
    pub(super) variance: f64,
}

impl SprtConfig {
    /// Returns the motion of the log-likelihood ratio.
    pub(super) fn motion(&self, Pace { drift, variance }: Pace) -> StoppedMotion {
        let bounds = self.bounds();
        match self.kind {
            TestKind::Sprt => StoppedMotion::Strip(BoundedMotion { bounds, drift, variance }),
            TestKind::Bounded => StoppedMotion::Triangle(TriangularMotion { bounds, drift, variance }),
        }
    }
}

impl StoppedMotion {
    /// Returns the same motion with another drift.
    pub(super) fn with_drift(self, drift: f64) -> Self {
        match self {
            Self::Strip(motion) => Self::Strip(BoundedMotion { drift, ..motion }),
            Self::Triangle(motion) => Self::Triangle(TriangularMotion { drift, ..motion }),
        }
    }

    /// Returns the motion of a walk in steps of this standard deviation, which passes its bounds before it stops. The
    /// lines of a bounded test are already moved inwards by as much ([`SprtConfig::bounds_at`]).
    pub(super) fn with_overshoot(self, step: f64) -> Self {
        match self {
            Self::Strip(motion) => {
                let Bounds { lower, upper } = motion.bounds;
                let beyond = OVERSHOOT * step;
                let bounds = Bounds { lower: lower - beyond, upper: upper + beyond };
                Self::Strip(BoundedMotion { bounds, ..motion })
            }
            Self::Triangle(_) => self,
        }
    }

    /// Returns the probability that the upper bound is reached first.
    pub(super) fn upper_probability(&self) -> f64 {
        match self {
            Self::Strip(motion) => 1.0 - motion.lower_probability(),
            Self::Triangle(motion) => motion.upper_by(motion.end()),
        }
    }

    /// Returns the expected time until a bound is reached.
    pub(super) fn expected_time(&self) -> f64 {
        match self {
            Self::Strip(motion) => motion.expected_time(),
            Self::Triangle(motion) => motion.expected_time(),
        }
    }

    /// Returns the time by which every path has ended, if there is one.
    pub(super) fn last_time(&self) -> Option<f64> {
        match self {
            Self::Strip(_) => None,
            Self::Triangle(motion) => Some(motion.end()),
        }
    }

    /// Returns the probability that a bound is reached by this time.
    pub(super) fn absorbed_by(&self, time: f64) -> f64 {
        match self {
            Self::Strip(motion) => motion.absorbed_by(time),
            Self::Triangle(motion) if time >= motion.end() => 1.0,
            Self::Triangle(motion) => (motion.upper_by(time) + motion.lower_by(time)).min(1.0),
        }
    }

    /// Returns the probability that the upper bound is reached first, and by this time.
    pub(super) fn upper_by(&self, time: f64) -> f64 {
        match self {
            Self::Strip(motion) => motion.upper_by(time),
            Self::Triangle(motion) => motion.upper_by(time),
        }
    }

    /// Returns the bounds at this time.
    pub(super) fn bounds_at(&self, time: f64) -> Bounds {
        match self {
            Self::Strip(motion) => motion.bounds,
            Self::Triangle(motion) => motion.bounds_at(time),
        }
    }

    /// Returns the probability of an outcome no better than this one: absorbed at the lower bound by that time, or not
    /// absorbed and no higher. It decreases with the drift, so it yields confidence intervals that account for the
    /// stopping rule.
    pub(super) fn probability_of_no_better(&self, outcome: BrownianPoint) -> f64 {
        match self {
            Self::Strip(motion) => motion.probability_of_no_better(outcome),
            Self::Triangle(motion) => motion.probability_of_no_better(outcome),
        }
    }

    /// Returns the point of a straight path with this slope at `time`, or the point at which it reached a bound before.
    pub(super) fn end_of_path(&self, time: f64, slope: f64) -> BrownianPoint {
        let narrowing = match self {
            Self::Strip(_) => 0.0,
            Self::Triangle(motion) => super::triangle::SLOPE * motion.variance,
        };
        let Bounds { lower, upper } = self.bounds_at(0.0);
        // Times at which the path meets each bound; a path away from a bound never meets it.
        let meets = |start: f64, approach: f64| if approach > 0.0 { start / approach } else { f64::INFINITY };
        let (above, below) = (meets(upper, narrowing + slope), meets(-lower, narrowing - slope));
        if time < above.min(below) {
            BrownianPoint { time, position: slope * time }
        } else if above <= below {
            BrownianPoint { time: above, position: self.bounds_at(above).upper }
        } else {
            BrownianPoint { time: below, position: self.bounds_at(below).lower }
        }
    }
}

/// Mean overshoot of a walk over a bound, in standard deviations of one step (Siegmund's constant).
pub(super) const OVERSHOOT: f64 = 0.5826;
