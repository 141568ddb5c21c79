//! Forecasts of sequential tests: their cost, and the gain they can confirm in a given time.

use serde::Serialize;

use crate::commands::patch_forecast::PatchForecast;
use crate::commands::pilot::Pilot;
use crate::report::grouped;
use crate::run::Plan;
use crate::stats::{Elo, GameModel, GameVariance, OperatingCurve, SprtConfig};

/// Considered gains, in Elo.
const GAINS: std::ops::RangeInclusive<u32> = 1..=200;

/// A test that only confirms larger gains than this mostly ends undecided.
const COARSE: u32 = 25;

/// Chance to pass that counts as enough to confirm a gain.
const CONFIRMING_CHANCE: f64 = 0.8;

/// Returns the smallest gain that a test of `pairs` pairs confirms in four of five cases, in Elo; `None` if tuning cannot
/// reach it.
pub fn least_gain(test: &SprtConfig, pairs: u64) -> Option<u32> {
    // The usual openings of engine tests are accurate enough for a forecast.
    let games = GameModel::unbalanced().odds(Elo(0.0));
    let curve = OperatingCurve::new(test, GameVariance::measured(games.game_variance())?).with_overshoot();
    let confirms = |gain: &u32| curve.passed_within(Elo(f64::from(*gain)), pairs as f64) >= CONFIRMING_CHANCE;
    GAINS.into_iter().find(confirms)
}

/// Returns a sentence about the gain that a test of `pairs` pairs can confirm.
pub fn test_reach(test: &SprtConfig, pairs: u64) -> String {
    let (given, pairs) = (pairs, grouped(pairs));
    let advice = "give more hours, faster limits or a wider elo in [accept]";
    match least_gain(test, given) {
        Some(gain) if gain <= COARSE => {
            format!(
                "The test has time for about {pairs} pairs, enough to confirm a gain of {gain} Elo in four of five cases."
            )
        }
        Some(gain) => format!(
            "The test has time for about {pairs} pairs, too few to confirm a gain of less than {gain} Elo in four of five cases: for less, \
             {advice}."
        ),
        None => format!("The test has time for about {pairs} pairs, too few to confirm any gain: {advice}."),
    }
}

/// The expected course of a test.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Probability to pass and expected length, by true strength.
    pub curve: OperatingCurve,
    /// Result of the pilot.
    pub pilot: Pilot,
    /// Maximum number of pairs.
    pub max_pairs: Option<u64>,
    /// The test.
    pub config: SprtConfig,
    /// Variance of a game.
    pub variance: GameVariance,
}

/// A forecast in numbers. Its keys are a contract.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct ForecastSummary {
    pub elo0: ForecastAt,
    pub elo1: ForecastAt,
    pub last_pair: Option<f64>,
    pub max_hours: Option<f64>,
    pub max_pairs: Option<u64>,
    pub midpoint: ForecastAt,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchForecast>,
    pub pilot_pairs: u64,
    pub seconds_per_pair: f64,
}

/// Expected course of a test at one true strength.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ForecastAt {
    /// True strength.
    pub elo: f64,
    /// Probability that H1 is accepted.
    pub pass_probability: f64,
    /// Expected number of pairs.
    pub pairs: f64,
    /// Number of pairs that half of the tests need.
    pub pairs_median: f64,
    /// Number of pairs that 95 % of the tests need.
    pub pairs_p95: f64,
    /// Expected duration.
    pub hours: f64,
    /// Probability that the test ends at a bound within its maximum number of pairs; 1 without one.
    pub ends_within_limit: f64,
}

impl Forecast {
    /// Returns the forecast for the test of `plan`; `None` if it has no test.
    pub fn of(plan: &Plan, pilot: Pilot) -> Option<Self> {
        let (config, variance) = (plan.sprt()?, game_variance(&pilot));
        let curve = OperatingCurve::new(&config, variance).with_overshoot();
        Some(Self { curve, pilot, max_pairs: plan.last_pair(), config, variance })
    }

    /// Returns the expected course at the strength of H0, at that of H1 and half-way between them.
    pub fn strengths(&self) -> [(&'static str, ForecastAt); 3] {
        let (null, alternative) = (self.curve.null(), self.curve.alternative());
        let midpoint = Elo((null.0 + alternative.0) / 2.0);
        [("elo0", null), ("midpoint", midpoint), ("elo1", alternative)]
            .map(|(name, truth)| (name, self.at(truth)))
    }

    /// Returns the forecast in numbers.
    pub fn summary(&self) -> ForecastSummary {
        let [elo0, midpoint, elo1] = self.strengths().map(|(_, at)| at);
        ForecastSummary {
            elo0,
            elo1,
            last_pair: self.curve.last_pair(),
            max_hours: self.max_hours(),
            max_pairs: self.max_pairs,
            midpoint,
            patches: Vec::new(),
            pilot_pairs: self.pilot.pentanomial.pairs(),
            seconds_per_pair: self.pilot.seconds_per_pair,
        }
    }

    /// Returns the duration of the maximum number of pairs.
    pub fn max_hours(&self) -> Option<f64> {
        self.max_pairs.map(|pairs| self.hours(pairs as f64))
    }

    fn at(&self, truth: Elo) -> ForecastAt {
        let pairs = self.curve.expected_pairs(truth);
        ForecastAt {
            elo: truth.0,
            pass_probability: self.curve.pass_probability(truth),
            pairs,
            pairs_median: self.curve.pairs_quantile(truth, 0.5),
            pairs_p95: self.curve.pairs_quantile(truth, 0.95),
            hours: self.hours(pairs),
            ends_within_limit: self.max_pairs.map_or(1.0, |most| self.curve.ended_within(truth, most as f64)),
        }
    }

    fn hours(&self, pairs: f64) -> f64 {
        pairs * self.pilot.seconds_per_pair / 3600.0
    }
}

/// Returns the variance of a game. The few games of a pilot are mixed with games of the usual draw rate, because alone they
/// are too few to estimate it.
fn game_variance(pilot: &Pilot) -> GameVariance {
    const USUAL_DRAWS: f64 = 0.5;
    const USUAL_GAMES: f64 = 20.0;
    let games = pilot.pentanomial.games() as f64;
    let draws = (pilot.draw_ratio * games + USUAL_DRAWS * USUAL_GAMES) / (games + USUAL_GAMES);
    GameVariance::of_games(draws.clamp(0.0, 0.98), Elo(0.0))
        .expect("a draw rate below 1 leaves some variance")
}

#[cfg(test)]
mod tests {
    use crate::stats::Hypotheses;

    use super::*;

    #[test]
    fn a_longer_test_confirms_smaller_gains_and_a_hopeless_one_is_reported() {
        let test = |elo1| SprtConfig::usual(Hypotheses::new(0.0, elo1).unwrap());
        let gains: Vec<_> = [100, 400, 1000, 4000].map(|pairs| least_gain(&test(5.0), pairs)).into();
        assert!(gains[0].is_none() || gains[0] > gains[1], "{gains:?}");
        assert!(gains[1] > gains[2] && gains[2] > gains[3] && gains[3].is_some(), "{gains:?}");
        assert!(test_reach(&test(3.0), 40).contains("too few to confirm any gain"));
        assert!(test_reach(&test(10.0), 3000).contains("enough to confirm a gain of"));
    }
}
