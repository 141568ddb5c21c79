//! Brownian motion absorbed at two lines that meet, a model of the log-likelihood ratio of a bounded test.
//!
//! The probabilities are exact: sums over mirror images at the two lines (T. W. Anderson, "A modification of the sequential
//! probability ratio test to reduce the sample size", 1960).

use std::f64::consts::PI;

use super::brownian::{BrownianPoint, log_normal_cdf};
use super::quadrature::integrate;
use super::root::find_root;
use super::sprt::Bounds;

/// By how much each line approaches the other while the variance of the motion grows by one: the slope of Lorden's 2-SPRT,
/// in which the strength half-way between the hypotheses is compared with both.
pub(super) const SLOPE: f64 = 0.25;

/// Terms of a series below this are not added.
const NEGLIGIBLE: f64 = 1e-15;
/// Number of terms after which every series has converged.
const MAX_TERMS: i32 = 60;
/// Standard deviations of the position beyond which a path does not count.
const FARTHEST_DEVIATIONS: f64 = 9.0;

/// Brownian motion from 0 with constant drift and variance per unit of time, absorbed at two lines that start at `bounds`
/// and meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TriangularMotion {
    pub(super) bounds: Bounds,
    pub(super) drift: f64,
    pub(super) variance: f64,
}

impl TriangularMotion {
    /// Returns the time at which the lines meet, and every path has ended.
    pub(super) fn end(&self) -> f64 {
        (self.bounds.upper - self.bounds.lower) / (2.0 * SLOPE * self.variance)
    }

    /// Returns the lines at a time up to the end.
    pub(super) fn bounds_at(&self, time: f64) -> Bounds {
        let narrowing = SLOPE * self.variance * time.min(self.end());
        Bounds { lower: self.bounds.lower + narrowing, upper: self.bounds.upper - narrowing }
    }

    /// Returns the probability that the upper line is reached first, and by this time.
    pub(super) fn upper_by(&self, time: f64) -> f64 {
        self.lines().upper_by(self.variance * time.min(self.end()))
    }

    /// Returns the probability that the lower line is reached first, and by this time.
    pub(super) fn lower_by(&self, time: f64) -> f64 {
        self.lines().mirrored().upper_by(self.variance * time.min(self.end()))
    }

    /// Returns the expected time until a line is reached.
    pub(super) fn expected_time(&self) -> f64 {
        // The mean of a time is the integral of the probability that it is longer.
        integrate(|time| 1.0 - self.upper_by(time) - self.lower_by(time), 0.0, self.end())
    }

    /// Returns the probability of an outcome no better than this one: absorbed at the lower line by that time, or not
    /// absorbed and no higher.
    pub(super) fn probability_of_no_better(&self, BrownianPoint { time, position }: BrownianPoint) -> f64 {
        let Bounds { lower, upper } = self.bounds_at(time);
        let probability = if position >= upper {
            1.0 - self.upper_by(time)
        } else if position <= lower {
            self.lower_by(time)
        } else {
            self.lower_by(time) + self.lines().between(self.variance * time, position - self.drift * time)
        };
        probability.clamp(0.0, 1.0)
    }

    /// Returns the lines that a motion without drift and with variance 1 per unit of time meets in the same way.
    fn lines(&self) -> Lines {
        let drift = self.drift / self.variance;
        Lines {
            upper: Line { start: self.bounds.upper, slope: -SLOPE - drift },
            lower: Line { start: self.bounds.lower, slope: SLOPE - drift },
        }
    }
}

/// Returns the starts of the lines for which a motion that drifts by half its variance away from a line reaches it first
/// with these probabilities: `alpha` the upper one, `beta` the lower one.
pub(super) fn triangle(alpha: f64, beta: f64) -> Bounds {
    let mut bounds = Bounds { lower: -LOWEST, upper: LOWEST };
    for _ in 0..MAX_TERMS {
        let wrong = |bounds: Bounds, drift: f64| TriangularMotion { bounds, drift, variance: 1.0 };
        let passes = |upper: f64| {
            let motion = wrong(Bounds { upper, ..bounds }, -0.5);
            motion.upper_by(motion.end()) - alpha
        };
        let upper = find_root(passes, LOWEST, HIGHEST, 1e-12).unwrap_or(HIGHEST);
        let fails = |depth: f64| {
            let motion = wrong(Bounds { lower: -depth, upper }, 0.5);
            motion.lower_by(motion.end()) - beta
        };
        let lower = -find_root(fails, LOWEST, HIGHEST, 1e-12).unwrap_or(HIGHEST);
        let moved = (upper - bounds.upper).abs() + (lower - bounds.lower).abs();
        bounds = Bounds { lower, upper };
        if moved < 1e-10 {
            break;
        }
    }
    bounds
}

/// The least and greatest distance of a line from the start of the motion that is considered: error rates from one half
/// to 10⁻²⁰.
const LOWEST: f64 = 1e-3;
const HIGHEST: f64 = 100.0;

#[derive(Clone, Copy, Debug)]
struct Line {
    start: f64,
    slope: f64,
}

impl Line {
    fn at(self, time: f64) -> f64 {
        self.start + self.slope * time
    }
}

/// Two lines around a motion without drift and with variance 1 per unit of time.
#[derive(Clone, Copy, Debug)]
struct Lines {
    upper: Line,
    lower: Line,
}

impl Lines {
    fn mirrored(self) -> Self {
        let mirror = |line: Line| Line { start: -line.start, slope: -line.slope };
        Self { upper: mirror(self.lower), lower: mirror(self.upper) }
    }

    /// Returns the probability that the upper line is reached first, and by `time` (Anderson's theorem 4.2).
    fn upper_by(self, time: f64) -> f64 {
        if time <= 0.0 {
            return 0.0;
        }
        let root = time.sqrt();
        let (a, b) = (self.upper.start, -self.lower.start);
        let (up, down) = (self.upper.slope, -self.lower.slope);
        let end = up * time;
        // Each term is a reflected path: an exponent, and where the path has to be at `time`.
        let term = |exponent: f64, position: f64| (-2.0 * exponent + log_normal_cdf(position / root)).exp();
        let mut sum = term(0.0, -(end + a));
        for order in 1..=MAX_TERMS {
            let r = f64::from(order);
            let terms = [
                term(
                    (r * a + (r - 1.0) * b) * (r * up + (r - 1.0) * down),
                    end - 2.0 * (r - 1.0) * b - (2.0 * r - 1.0) * a,
                ),
                -term(
                    r * r * (a * up + b * down) + r * (r - 1.0) * a * down + r * (r + 1.0) * b * up,
                    end - 2.0 * r * b - (2.0 * r - 1.0) * a,
                ),
                -term(
                    ((r - 1.0) * a + r * b) * ((r - 1.0) * up + r * down),
                    -(end + 2.0 * r * b + (2.0 * r - 1.0) * a),
                ),
                term(
                    r * r * (a * up + b * down) + r * (r - 1.0) * b * up + r * (r + 1.0) * a * down,
                    -(end + (2.0 * r + 1.0) * a + 2.0 * r * b),
                ),
            ];
            sum += terms.iter().sum::<f64>();
            if terms.iter().all(|term| term.abs() < NEGLIGIBLE) {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }

    /// Returns the probability that neither line is reached by `time` and that the motion is then at most at `position`.
    fn between(self, time: f64, position: f64) -> f64 {
        let farthest = FARTHEST_DEVIATIONS * time.sqrt();
        let low = self.lower.at(time).max(-farthest);
        let high = position.min(self.upper.at(time)).min(farthest);
        if time <= 0.0 || low >= high {
            return 0.0;
        }
        let density = |at: f64| (-at * at / (2.0 * time)).exp() / (2.0 * PI * time).sqrt();
        integrate(|at| density(at) * self.stays_between(time, at), low, high)
    }

    /// Returns the probability that a path which ends at this position has not reached a line before.
    fn stays_between(self, time: f64, position: f64) -> f64 {
        let (a, b) = (self.upper.start, -self.lower.start);
        let (above, below) = (self.upper.at(time) - position, position - self.lower.at(time));
        let image = |exponent: f64| (-2.0 * exponent / time).exp();
        let mut sum = 0.0;
        for order in 0..=MAX_TERMS {
            let terms = [f64::from(order), -f64::from(order) - 1.0].map(|r| {
                let even =
                    r * r * (a * above + b * below) + r * (r - 1.0) * a * below + r * (r + 1.0) * b * above;
                let odd = (r * a + (r - 1.0) * b) * (r * above + (r - 1.0) * below);
                image(even) - image(odd)
            });
            sum += terms.iter().sum::<f64>();
            if order > 1 && terms.iter().all(|term| term.abs() < NEGLIGIBLE) {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(upper: f64, lower: f64, drift: f64) -> TriangularMotion {
        TriangularMotion { bounds: Bounds { lower, upper }, drift, variance: 1.0 }
    }

    #[test]
    fn the_two_sums_over_images_account_for_every_path() {
        // Ends at a line come from one formula, unfinished paths from another; together they are certain.
        for (upper, lower, drift) in
            [(4.6, -4.6, -0.5), (4.6, -4.6, 0.0), (3.0, -4.5, 0.4), (1.2, -6.0, -1.5)]
        {
            let motion = motion(upper, lower, drift);
            for share in [0.01, 0.1, 0.3, 0.7, 0.95] {
                let time = share * motion.end();
                let unfinished = motion.lines().between(time, f64::INFINITY);
                let all = motion.upper_by(time) + motion.lower_by(time) + unfinished;
                assert!((all - 1.0).abs() < 1e-6, "{upper} {lower} {drift} at {share}: {all}");
            }
            let all = motion.upper_by(motion.end()) + motion.lower_by(motion.end());
            assert!((all - 1.0).abs() < 1e-6, "{upper} {lower} {drift} at the end: {all}");
        }
    }

    #[test]
    fn the_outcome_is_ordered_without_gaps() {
        let motion = motion(4.6, -3.0, 0.1);
        for time in [1.0, 5.0, 9.0] {
            let Bounds { lower, upper } = motion.bounds_at(time);
            let at = |position: f64| motion.probability_of_no_better(BrownianPoint { time, position });
            assert!(
                (at(lower) - at(lower + 1e-9)).abs() < 1e-6 && (at(upper) - at(upper - 1e-9)).abs() < 1e-6
            );
            assert!(at(lower) < at(0.0) && at(0.0) < at(upper));
        }
    }

    #[test]
    fn error_rates_determine_the_triangle() {
        let equal = triangle(0.05, 0.05);
        assert!((equal.upper + equal.lower).abs() < 1e-6 && (equal.upper - 4.604).abs() < 0.002, "{equal:?}");
        for (alpha, beta) in [(0.05, 0.1), (0.01, 0.3), (0.001, 0.001), (0.4, 0.4)] {
            let bounds = triangle(alpha, beta);
            let at = |drift: f64| TriangularMotion { bounds, drift, variance: 1.0 };
            let (null, alternative) = (at(-0.5), at(0.5));
            assert!((null.upper_by(null.end()) - alpha).abs() < 1e-6, "{alpha} {beta}: {bounds:?}");
            assert!(
                (alternative.lower_by(alternative.end()) - beta).abs() < 1e-6,
                "{alpha} {beta}: {bounds:?}"
            );
        }
    }
}
