//! The sequential probability ratio test, as a state machine that is consumed by value.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::bounded::{CALIBRATED, narrowed};
use super::elo::EloModel;
use super::llr::LikelihoodRatio;
use super::sample::Tally;
use super::tally::{PairScore, Pentanomial};

/// An accepted probability of a wrong decision: above 0 and below one half.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ErrorRate(f64);

impl ErrorRate {
    /// The conventional 5 %.
    pub const FIVE_PERCENT: Self = Self(0.05);
    /// The least rate; Wald's bounds of much smaller ones are not finite.
    const LEAST: f64 = 1e-9;

    /// Creates an error rate. Returns an error unless Wald's bounds are finite and in order.
    pub fn new(rate: f64) -> Result<Self, ErrorRateOutOfRange> {
        if (Self::LEAST..0.5).contains(&rate) { Ok(Self(rate)) } else { Err(ErrorRateOutOfRange(rate)) }
    }

    /// Returns the rate as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for ErrorRate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl TryFrom<f64> for ErrorRate {
    type Error = ErrorRateOutOfRange;

    fn try_from(rate: f64) -> Result<Self, Self::Error> {
        Self::new(rate)
    }
}

impl From<ErrorRate> for f64 {
    fn from(rate: ErrorRate) -> Self {
        rate.0
    }
}

/// Error returned when an error rate is out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRateOutOfRange(pub f64);

impl fmt::Display for ErrorRateOutOfRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "expected an error rate above 0 and below 0.5, got {}", self.0)
    }
}

impl std::error::Error for ErrorRateOutOfRange {}

/// The two Elo differences that a test distinguishes, the lower first, on the scale of its [`EloModel`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
pub struct Hypotheses {
    null: f64,
    alternative: f64,
}

impl Hypotheses {
    /// The maximum absolute difference; beyond it a score cannot be distinguished from 0 or 1.
    pub const LIMIT: f64 = 2000.0;
    /// The least distance of the two; a test of a smaller one would take longer than anyone waits.
    pub const LEAST_DISTANCE: f64 = 0.01;

    /// Creates the hypotheses. Returns an error unless `null` is below `alternative` by [`Hypotheses::LEAST_DISTANCE`] and both
    /// are within [`Hypotheses::LIMIT`].
    pub fn new(null: f64, alternative: f64) -> Result<Self, HypothesesOutOfOrder> {
        let within = |elo: f64| elo.abs() <= Self::LIMIT;
        if alternative - null >= Self::LEAST_DISTANCE && within(null) && within(alternative) {
            Ok(Self { null, alternative })
        } else {
            Err(HypothesesOutOfOrder { null, alternative })
        }
    }

    /// Returns the difference of H0.
    pub fn null(self) -> f64 {
        self.null
    }

    /// Returns the difference of H1.
    pub fn alternative(self) -> f64 {
        self.alternative
    }
}

impl TryFrom<[f64; 2]> for Hypotheses {
    type Error = HypothesesOutOfOrder;

    fn try_from([null, alternative]: [f64; 2]) -> Result<Self, Self::Error> {
        Self::new(null, alternative)
    }
}

impl From<Hypotheses> for [f64; 2] {
    fn from(hypotheses: Hypotheses) -> Self {
        [hypotheses.null, hypotheses.alternative]
    }
}

/// Error returned when hypotheses are out of order or out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HypothesesOutOfOrder {
    /// The requested H0.
    pub null: f64,
    /// The requested H1.
    pub alternative: f64,
}

impl fmt::Display for HypothesesOutOfOrder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { null, alternative } = self;
        write!(out, "elo0 {null} must be below elo1 {alternative}, both within ±{}", Hypotheses::LIMIT)?;
        if null < alternative && alternative - null < Hypotheses::LEAST_DISTANCE {
            write!(out, ", and {} apart at least", Hypotheses::LEAST_DISTANCE)?;
        }
        Ok(())
    }
}

impl std::error::Error for HypothesesOutOfOrder {}

/// One of the two hypotheses of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Hypothesis {
    /// H0: the difference is at most the lower one.
    #[serde(rename = "H0")]
    Null,
    /// H1: the difference is at least the upper one.
    #[serde(rename = "H1")]
    Alternative,
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Null => "H0",
            Self::Alternative => "H1",
        })
    }
}

/// The log-likelihood ratios at which a test ends: H0 at or below `lower`, H1 at or above `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The lower bound, below 0.
    pub lower: f64,
    /// The upper bound, above 0.
    pub upper: f64,
}

impl Bounds {
    /// Returns the hypothesis that a log-likelihood ratio accepts, if any. Where the bounds have met, that is the one whose
    /// bound was passed by more.
    pub fn judge(self, llr: f64) -> Option<Hypothesis> {
        let (above, below) = (llr - self.upper, self.lower - llr);
        if above >= 0.0 && above >= below {
            Some(Hypothesis::Alternative)
        } else if below >= 0.0 {
            Some(Hypothesis::Null)
        } else {
            None
        }
    }
}

/// How a test decides when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestKind {
    /// Wald's test: constant bounds. The shortest at the hypotheses, with a long tail between them.
    #[default]
    Sprt,
    /// Lorden's 2-SPRT: bounds that meet, so that the longest test has a known length.
    Bounded,
}

impl TestKind {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for TestKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Sprt => "sprt",
            Self::Bounded => "bounded",
        })
    }
}

/// The state of a test: its log-likelihood ratio, and the bounds at which it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestReading {
    /// The log-likelihood ratio of H1 to H0.
    pub llr: f64,
    /// The bounds at these counts.
    pub bounds: Bounds,
}

impl TestReading {
    /// Returns the accepted hypothesis, if any.
    pub fn accepted(&self) -> Option<Hypothesis> {
        self.bounds.judge(self.llr)
    }
}

/// The configuration of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtConfig {
    /// The two hypotheses.
    pub hypotheses: Hypotheses,
    /// The scale of the hypotheses.
    pub model: EloModel,
    /// The accepted probability of passing a candidate at H0.
    pub alpha: ErrorRate,
    /// The accepted probability of failing a candidate at H1.
    pub beta: ErrorRate,
    /// How it decides when it ends.
    #[serde(rename = "test", default, skip_serializing_if = "TestKind::is_default")]
    pub kind: TestKind,
}

impl SprtConfig {
    /// Returns the conventional configuration: normalized Elo and error rates of 5 %.
    pub fn usual(hypotheses: Hypotheses) -> Self {
        let five = ErrorRate::FIVE_PERCENT;
        Self { hypotheses, model: EloModel::Normalized, alpha: five, beta: five, kind: TestKind::Sprt }
    }

    /// Returns the bounds before the first pair: Wald's, which are constant, or those from which a bounded test narrows.
    pub fn bounds(&self) -> Bounds {
        let (alpha, beta) = (self.alpha.0, self.beta.0);
        match self.kind {
            TestKind::Sprt => {
                Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
            }
            TestKind::Bounded => CALIBRATED.of(alpha, beta),
        }
    }

    /// Returns the bounds at these counts.
    pub fn bounds_at(&self, tally: &impl Tally) -> Bounds {
        self.reading(tally).bounds
    }

    /// Returns the log-likelihood ratio and the bounds at these counts.
    pub fn reading(&self, tally: &impl Tally) -> TestReading {
        self.reading_between(tally, self.bounds()).0
    }

    /// Like [`SprtConfig::reading`], for known first bounds; also returns the change of the ratio for one more observation
    /// of each score.
    pub(super) fn reading_between(&self, tally: &impl Tally, start: Bounds) -> (TestReading, [f64; 5]) {
        if tally.games_counted() == 0 {
            return (TestReading { llr: 0.0, bounds: start }, [0.0; 5]);
        }
        match self.kind {
            TestKind::Sprt => {
                let LikelihoodRatio { llr, gradient } = self.ratio(tally);
                (TestReading { llr, bounds: start }, gradient)
            }
            TestKind::Bounded => narrowed(self, tally, start),
        }
    }

    /// Returns the log-likelihood ratio of H1 to H0. It depends on the counts alone and is finite for all counts; it
    /// is 0 without games.
    pub fn llr(&self, tally: &impl Tally) -> f64 {
        if tally.games_counted() == 0 {
            return 0.0;
        }
        self.ratio(tally).llr
    }

    pub(super) fn ratio(&self, tally: &impl Tally) -> LikelihoodRatio {
        LikelihoodRatio::of(&tally.sample(), self.model, self.hypotheses.null, self.hypotheses.alternative)
    }

    /// Returns the hypothesis that these counts accept, if any.
    pub fn judge(&self, tally: &impl Tally) -> Option<Hypothesis> {
        self.reading(tally).accepted()
    }
}

/// A sequential test without a decision yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    config: SprtConfig,
    seen: Pentanomial,
}

/// The decision of a test, and the pairs it is based on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The accepted hypothesis.
    pub accepted: Hypothesis,
    /// The log-likelihood ratio at the decision: beyond a bound, or where the run reached its limit.
    pub llr: f64,
    /// The counts of pairs at the decision.
    pub seen: Pentanomial,
}

impl Sprt {
    /// Creates a test without pairs.
    pub fn new(config: SprtConfig) -> Self {
        Self { config, seen: Pentanomial::default() }
    }

    /// Counts a pair. Returns `Break` with the decision when a bound is reached.
    ///
    /// Takes `self` by value, so that no pair can be added after the decision.
    pub fn observe(mut self, pair: PairScore) -> ControlFlow<Decision, Self> {
        self.seen.count(pair);
        let reading = self.config.reading(&self.seen);
        match reading.accepted() {
            Some(accepted) => ControlFlow::Break(Decision { accepted, llr: reading.llr, seen: self.seen }),
            None => ControlFlow::Continue(self),
        }
    }

    /// Returns the current log-likelihood ratio.
    pub fn llr(&self) -> f64 {
        self.config.llr(&self.seen)
    }

    /// Returns the current counts of pairs.
    pub fn seen(&self) -> &Pentanomial {
        &self.seen
    }

    /// Returns the configuration.
    pub fn config(&self) -> &SprtConfig {
        &self.config
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Trinomial;

    fn config(model: EloModel, null: f64, alternative: f64) -> SprtConfig {
        SprtConfig { model, ..SprtConfig::usual(Hypotheses::new(null, alternative).unwrap()) }
    }

    #[test]
    fn error_rates_of_five_percent_give_the_known_bounds() {
        let Bounds { lower, upper } = config(EloModel::Normalized, 0.0, 2.0).bounds();
        assert!((upper - 2.944_438_979).abs() < 1e-9 && (lower + 2.944_438_979).abs() < 1e-9);
    }

    #[test]
    fn pair_ratios_agree_with_published_values_to_the_last_digit() {
        use EloModel::{Logistic, Normalized};
        // fastchess, app/tests/sprt_test.cpp; its fourth and third cells, won-lost and drawn-drawn, are added.
        for (name, model, elo0, elo1, counts, printed) in [
            ("small gain", Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], "2.25"),
            ("no regression", Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], "3.01"),
            ("gain too small", Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], "-3.07"),
            ("no gain", Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], "-4.98"),
            // fastchess prints 111.82, within the tolerance of its solver; scipy's brentq to 1e-15 gives 111.79756.
            ("every pair won", Normalized, 0.0, 5.0, [0, 0, 0, 0, 5550], "111.80"),
        ] {
            let llr = config(model, elo0, elo1).llr(&Pentanomial(counts));
            assert_eq!(format!("{llr:.2}"), printed, "{name}");
        }
    }

    #[test]
    fn game_ratios_agree_with_published_values_to_the_last_digit() {
        use EloModel::{Bayesian, Normalized};
        // fastchess, app/tests/sprt_test.cpp.
        for (name, model, wins, losses, draws, printed) in [
            ("normalized", Normalized, 36433, 36027, 68692, "0.92"),
            ("bayesian", Bayesian, 68965, 68526, 128429, "-1.26"),
        ] {
            let llr = config(model, 0.0, 2.0).llr(&Trinomial { wins, draws, losses });
            assert_eq!(format!("{llr:.2}"), printed, "{name}");
        }
    }

    #[test]
    fn a_test_ends_at_the_pair_that_crosses_a_bound_and_not_before() {
        let mut test = Sprt::new(config(EloModel::Normalized, 0.0, 10.0));
        for pairs in 1.. {
            match test.observe(PairScore::WON) {
                ControlFlow::Continue(next) => {
                    assert!(next.llr() < 2.9445);
                    test = next;
                }
                ControlFlow::Break(decision) => {
                    assert_eq!(decision.accepted, Hypothesis::Alternative);
                    assert_eq!(decision.seen.pairs(), pairs);
                    assert!(decision.llr >= 2.9444);
                    return;
                }
            }
        }
    }

    #[test]
    fn swapping_sides_and_hypotheses_only_changes_the_sign() {
        let counts = [12, 40, 103, 31, 7];
        let mut reversed = counts;
        reversed.reverse();
        for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
            let original = config(model, -3.0, 8.0).llr(&Pentanomial(counts));
            let swapped = config(model, -8.0, 3.0).llr(&Pentanomial(reversed));
            assert!((original + swapped).abs() < 1e-9, "{model}: {original} and {swapped}");
        }
    }

    /// Row 64 of `docs/faults.md`.
    #[test]
    fn the_ratio_is_finite_for_all_counts_and_hypotheses() {
        let many = 1_000_000_000;
        let tallies = [
            [0; 5],
            [1, 0, 0, 0, 0],
            [0, 0, many, 0, 0],
            [many, 0, 0, 0, 0],
            [0, 0, 0, 0, many],
            [many; 5],
            [many, 0, 0, 0, 1],
        ];
        for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
            for (elo0, elo1) in [(0.0, 0.01), (0.0, 5.0), (-2000.0, 2000.0), (300.0, 301.0), (-900.0, -231.0)]
            {
                for counts in tallies {
                    let llr = config(model, elo0, elo1).llr(&Pentanomial(counts));
                    assert!(llr.is_finite(), "{model} [{elo0}, {elo1}] {counts:?}: {llr}");
                    let [losses, draws, wins, ..] = counts;
                    let llr = config(model, elo0, elo1).llr(&Trinomial { wins, draws, losses });
                    assert!(llr.is_finite(), "{model} [{elo0}, {elo1}] {counts:?} as games: {llr}");
                }
            }
        }
    }

    #[test]
    fn hypotheses_out_of_order_and_rates_out_of_range_are_rejected() {
        assert!(Hypotheses::new(5.0, 0.0).is_err());
        assert!(Hypotheses::new(0.0, f64::NAN).is_err());
        assert!(Hypotheses::new(0.0, 1e9).is_err());
        assert!(
            ErrorRate::new(0.5).is_err() && ErrorRate::new(0.0).is_err() && ErrorRate::new(f64::NAN).is_err()
        );
    }
}
