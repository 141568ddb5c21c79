//! Root finding with the worst case of bisection.

use std::fmt;

/// Number of steps allowed beyond the worst case of bisection, which makes interpolation possible.
const SLACK_STEPS: i32 = 1;

/// Error returned when the function has no change of sign on the interval, so that a root is not guaranteed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoSignChange {
    /// The lower end and the value there.
    pub low: (f64, f64),
    /// The upper end and the value there.
    pub high: (f64, f64),
}

impl fmt::Display for NoSignChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((low, at_low), (high, at_high)) = (self.low, self.high);
        write!(out, "no change of sign between {low} (value {at_low}) and {high} (value {at_high})")
    }
}

impl std::error::Error for NoSignChange {}

/// Finds a zero of `function` between `low` and `high`, within `tolerance` or to the last bit.
///
/// Uses the ITP method (interpolate, truncate, project; Oliveira and Takahashi, 2020): as fast as the secant method
/// on smooth functions, with at most one evaluation more than bisection on any function. Values at the ends may be
/// infinite.
pub fn find_root(
    mut function: impl FnMut(f64) -> f64,
    low: f64,
    high: f64,
    tolerance: f64,
) -> Result<f64, NoSignChange> {
    let (mut low, mut high) = (low, high);
    let (mut at_low, mut at_high) = (function(low), function(high));
    if at_low == 0.0 {
        return Ok(low);
    }
    if at_high == 0.0 {
        return Ok(high);
    }
    // A product with NaN is not below 0 either.
    let changes = at_low.signum() * at_high.signum() < 0.0;
    if !changes {
        return Err(NoSignChange { low: (low, at_low), high: (high, at_high) });
    }
    let half_tolerance = tolerance.max(f64::MIN_POSITIVE) / 2.0;
    let span = high - low;
    let mut budget = (span / tolerance.max(f64::EPSILON * span)).log2().ceil().max(0.0) as i32 + SLACK_STEPS;
    while high - low > tolerance {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        let reach = half_tolerance * f64::exp2(f64::from(budget)) - (high - low) / 2.0;
        let guess = propose((low, at_low), (high, at_high), span, reach.max(0.0));
        // Rounding may move the proposal onto an end; the middle is always inside.
        let at = if guess > low && guess < high { guess } else { middle };
        let value = function(at);
        if value == 0.0 {
            return Ok(at);
        }
        if value.signum() == at_low.signum() {
            (low, at_low) = (at, value);
        } else {
            (high, at_high) = (at, value);
        }
        budget -= 1;
    }
    Ok(low + (high - low) / 2.0)
}

/// Returns the secant estimate, moved toward the middle and kept within `reach` of it.
fn propose((low, at_low): (f64, f64), (high, at_high): (f64, f64), span: f64, reach: f64) -> f64 {
    let width = high - low;
    let middle = low + width / 2.0;
    let secant = (low * at_high - high * at_low) / (at_high - at_low);
    if !secant.is_finite() {
        return middle;
    }
    let toward_middle = (middle - secant).signum();
    let pull = 0.2 / span * width * width;
    let truncated = if pull <= (middle - secant).abs() { secant + toward_middle * pull } else { middle };
    if (truncated - middle).abs() <= reach { truncated } else { middle - toward_middle * reach }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_roots_are_found_to_the_requested_precision() {
        type Case = (&'static str, fn(f64) -> f64, f64, f64, f64);
        let cases: [Case; 6] = [
            ("line", |x| 3.0 * x - 1.0, -4.0, 7.0, 1.0 / 3.0),
            ("falling", |x| (-x).exp() - 0.5, 0.0, 10.0, std::f64::consts::LN_2),
            ("cubic", |x| x * x * x - x - 2.0, 1.0, 2.0, 1.521_379_706_804_567_6),
            ("flat at the root", |x| (x - 1.0).powi(5), -3.0, 4.5, 1.0),
            ("step", |x| if x < 0.123 { -1.0 } else { 1.0 }, -1.0, 1.0, 0.123),
            ("pole at both ends", |x| 1.0 / (1.0 - x) - 1.0 / x, 0.0, 1.0, 0.5),
        ];
        for (name, function, low, high, root) in cases {
            let found = find_root(function, low, high, 1e-12).unwrap();
            assert!(
                (found - root).abs() < 1e-3 * f64::from(name == "flat at the root") + 1e-11,
                "{name}: {found}"
            );
        }
    }

    #[test]
    fn no_function_costs_much_more_than_bisection() {
        let functions: [fn(f64) -> f64; 3] =
            [|x| (x - 0.999_999).signum(), |x| x.powi(41) - 1e-9, |x| (1e6 * (x - 1e-5)).tanh()];
        for function in functions {
            let mut calls = 0;
            let counted = |x| {
                calls += 1;
                function(x)
            };
            find_root(counted, 0.0, 1.0, 1e-10).unwrap();
            // Bisection needs 34 halvings and the two ends.
            assert!(calls <= 34 + 2 + 2, "{calls} calls");
        }
    }

    #[test]
    fn a_smooth_root_takes_a_dozen_calls() {
        let mut calls = 0;
        let counted = |x: f64| {
            calls += 1;
            x.exp() - 2.0
        };
        find_root(counted, 0.0, 2.0, 1e-14).unwrap();
        assert!(calls <= 14, "{calls} calls");
    }

    #[test]
    fn an_interval_without_a_change_of_sign_is_an_error() {
        assert!(find_root(|x| x * x + 1.0, -1.0, 1.0, 1e-9).is_err());
        assert!(find_root(|_| f64::NAN, -1.0, 1.0, 1e-9).is_err());
    }

    #[test]
    fn a_tolerance_of_zero_ends_at_the_last_bit() {
        let root = find_root(|x| x * x - 2.0, 0.0, 2.0, 0.0).unwrap();
        assert!((root - std::f64::consts::SQRT_2).abs() < 1e-15);
    }
}
