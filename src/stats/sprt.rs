//! The sequential test as a value-consuming state machine.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::elo::EloModel;
use super::llr::Ratio;
use super::sample::Tally;
use super::tally::{PairScore, Pentanomial};

/// The chance of a wrong verdict that a test accepts: above 0, below one half.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ErrorRate(f64);

impl ErrorRate {
    /// The field's usual 5 %.
    pub const FIVE_PERCENT: Self = Self(0.05);

    /// Accepts `rate` only where Wald's bounds are finite and in order.
    pub fn new(rate: f64) -> Result<Self, ErrorRateOutOfRange> {
        if rate > 0.0 && rate < 0.5 { Ok(Self(rate)) } else { Err(ErrorRateOutOfRange(rate)) }
    }

    /// The rate as a plain number.
    pub fn get(self) -> f64 {
        self.0
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

/// An error rate that no sequential test can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRateOutOfRange(pub f64);

impl fmt::Display for ErrorRateOutOfRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an error rate lies above 0 and below 0.5, not at {}", self.0)
    }
}

impl std::error::Error for ErrorRateOutOfRange {}

/// The two strengths a test tells apart, weaker first, on the scale of its [`EloModel`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
pub struct Hypotheses {
    null: f64,
    alternative: f64,
}

impl Hypotheses {
    /// The greatest strength a hypothesis may name; beyond it a score cannot be told from a whitewash.
    pub const LIMIT: f64 = 2000.0;

    /// Accepts `null < alternative`, both within [`Hypotheses::LIMIT`].
    pub fn new(null: f64, alternative: f64) -> Result<Self, HypothesesOutOfOrder> {
        let within = |strength: f64| strength.abs() <= Self::LIMIT;
        if null < alternative && within(null) && within(alternative) {
            Ok(Self { null, alternative })
        } else {
            Err(HypothesesOutOfOrder { null, alternative })
        }
    }

    /// The strength of H0.
    pub fn null(self) -> f64 {
        self.null
    }

    /// The strength of H1.
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

/// Two strengths between which no test can choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HypothesesOutOfOrder {
    /// What H0 was to be.
    pub null: f64,
    /// What H1 was to be.
    pub alternative: f64,
}

impl fmt::Display for HypothesesOutOfOrder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { null, alternative } = self;
        write!(out, "elo0 {null} must be below elo1 {alternative}, both within ±{}", Hypotheses::LIMIT)
    }
}

impl std::error::Error for HypothesesOutOfOrder {}

/// One of the two claims of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Hypothesis {
    /// H0: no stronger than the lower strength.
    #[serde(rename = "H0")]
    Null,
    /// H1: at least as strong as the upper strength.
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
    /// Below 0.
    pub lower: f64,
    /// Above 0.
    pub upper: f64,
}

/// Everything a test agrees on before the first game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtConfig {
    /// The strengths told apart.
    pub hypotheses: Hypotheses,
    /// Their scale.
    pub model: EloModel,
    /// The accepted chance of passing a candidate of strength H0.
    pub alpha: ErrorRate,
    /// The accepted chance of failing a candidate of strength H1.
    pub beta: ErrorRate,
}

impl SprtConfig {
    /// Normalized Elo, 5 % either way.
    pub fn usual(hypotheses: Hypotheses) -> Self {
        let five = ErrorRate::FIVE_PERCENT;
        Self { hypotheses, model: EloModel::Normalized, alpha: five, beta: five }
    }

    /// Wald's bounds.
    pub fn bounds(&self) -> Bounds {
        let (alpha, beta) = (self.alpha.0, self.beta.0);
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// The log-likelihood ratio of H1 to H0: a function of the counts alone, finite for all of them, 0 for none.
    pub fn llr(&self, seen: &impl Tally) -> f64 {
        if seen.games_counted() == 0 {
            return 0.0;
        }
        self.ratio(seen).llr
    }

    pub(super) fn ratio(&self, seen: &impl Tally) -> Ratio {
        Ratio::of(&seen.sample(), self.model, self.hypotheses.null, self.hypotheses.alternative)
    }

    /// The hypothesis that a ratio accepts, if any.
    pub fn judge(&self, llr: f64) -> Option<Hypothesis> {
        let Bounds { lower, upper } = self.bounds();
        if llr >= upper {
            Some(Hypothesis::Alternative)
        } else if llr <= lower {
            Some(Hypothesis::Null)
        } else {
            None
        }
    }
}

/// A sequential test that has not decided yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    config: SprtConfig,
    seen: Pentanomial,
}

/// What the test concluded, and on how much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The claim accepted.
    pub accepted: Hypothesis,
    /// The ratio that crossed its bound.
    pub llr: f64,
    /// The pairs it rests on.
    pub seen: Pentanomial,
}

impl Sprt {
    /// A test that has seen nothing.
    pub fn new(config: SprtConfig) -> Self {
        Self { config, seen: Pentanomial::default() }
    }

    /// Counts one pair; breaks with the decision once a bound is reached.
    ///
    /// Takes `self` by value: a decided test cannot be fed another pair.
    pub fn observe(mut self, pair: PairScore) -> ControlFlow<Decision, Self> {
        self.seen.count(pair);
        let llr = self.llr();
        match self.config.judge(llr) {
            Some(accepted) => ControlFlow::Break(Decision { accepted, llr, seen: self.seen }),
            None => ControlFlow::Continue(self),
        }
    }

    /// The ratio so far.
    pub fn llr(&self) -> f64 {
        self.config.llr(&self.seen)
    }

    /// The pairs so far.
    pub fn seen(&self) -> &Pentanomial {
        &self.seen
    }

    /// What was agreed on.
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
    fn five_percent_each_way_gives_the_usual_bounds() {
        let Bounds { lower, upper } = config(EloModel::Normalized, 0.0, 2.0).bounds();
        assert!((upper - 2.944_438_979).abs() < 1e-9 && (lower + 2.944_438_979).abs() < 1e-9);
    }

    #[test]
    fn pair_ratios_agree_with_published_ones_to_the_last_printed_digit() {
        use EloModel::{Logistic, Normalized};
        // fastchess, app/tests/sprt_test.cpp; its fourth and third cells, won-lost and drawn-drawn, added up.
        for (name, model, elo0, elo1, counts, printed) in [
            ("small gain", Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], "2.25"),
            ("no regression", Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], "3.01"),
            ("gain too small", Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], "-3.07"),
            ("no gain", Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], "-4.98"),
            // Printed there as 111.82, within that solver's tolerance; scipy's brentq to 1e-15 gives 111.79756.
            ("every pair won", Normalized, 0.0, 5.0, [0, 0, 0, 0, 5550], "111.80"),
        ] {
            let llr = config(model, elo0, elo1).llr(&Pentanomial(counts));
            assert_eq!(format!("{llr:.2}"), printed, "{name}");
        }
    }

    #[test]
    fn game_ratios_agree_with_published_ones_to_the_last_printed_digit() {
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
    fn a_test_breaks_at_the_pair_that_crosses_a_bound_and_not_before() {
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
    fn swapping_sides_and_hypotheses_changes_the_sign_only() {
        let counts = [12, 40, 103, 31, 7];
        let mut reversed = counts;
        reversed.reverse();
        for model in [EloModel::Logistic, EloModel::Normalized, EloModel::Bayesian] {
            let here = config(model, -3.0, 8.0).llr(&Pentanomial(counts));
            let there = config(model, -8.0, 3.0).llr(&Pentanomial(reversed));
            assert!((here + there).abs() < 1e-9, "{model}: {here} and {there}");
        }
    }

    /// Row 64 of `docs/faults.md`.
    #[test]
    fn no_counts_and_no_hypotheses_make_the_ratio_infinite() {
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
    fn hypotheses_out_of_order_and_rates_out_of_range_are_refused() {
        assert!(Hypotheses::new(5.0, 0.0).is_err());
        assert!(Hypotheses::new(0.0, f64::NAN).is_err());
        assert!(Hypotheses::new(0.0, 1e9).is_err());
        assert!(
            ErrorRate::new(0.5).is_err() && ErrorRate::new(0.0).is_err() && ErrorRate::new(f64::NAN).is_err()
        );
    }
}
