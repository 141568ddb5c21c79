//! Whether a test can be decided in the time that a budget leaves it.

use playself::stats::{Elo, GameModel, GameVariance, OperatingCurve, SprtConfig};

/// Gains that are looked at, in Elo.
const GAINS: std::ops::RangeInclusive<u32> = 1..=200;
/// A test that confirms no smaller gain than this will mostly end undecided.
const COARSE: u32 = 25;

/// The smallest gain that a test of so many pairs confirms, on average; `None` if none that tuning ever brings.
fn least_gain(test: &SprtConfig, pairs: u64) -> Option<u32> {
    // As engine tests play them, which is near enough for a forecast.
    let games = GameModel::unbalanced().odds(Elo(0.0));
    let curve = OperatingCurve::new(test, GameVariance::measured(games.game_variance())?).with_overshoot();
    let confirms = |gain: &u32| {
        let gain = Elo(f64::from(*gain));
        gain > curve.alternative() && curve.expected_pairs(gain) <= pairs as f64
    };
    GAINS.into_iter().find(confirms)
}

/// What a test of so many pairs can tell, in a sentence.
pub(crate) fn sentence(test: &SprtConfig, pairs: u64) -> String {
    let advice = "for less, give more hours, faster limits or a wider elo in [accept]";
    match least_gain(test, pairs) {
        Some(gain) if gain <= COARSE => {
            format!(
                "The test has time for about {pairs} pairs, enough to confirm a gain of {gain} Elo or more."
            )
        }
        Some(gain) => format!(
            "The test has time for about {pairs} pairs, too few to confirm a gain of less than {gain} Elo: {advice}."
        ),
        None => format!(
            "The test has time for about {pairs} pairs, too few to confirm any gain: {}.",
            advice.replace("for less, ", "")
        ),
    }
}

#[cfg(test)]
mod tests {
    use playself::stats::Hypotheses;

    use super::*;

    #[test]
    fn a_longer_test_confirms_smaller_gains_and_a_hopeless_one_is_told() {
        let test = |elo1| SprtConfig::usual(Hypotheses::new(0.0, elo1).unwrap());
        let gains: Vec<_> = [100, 400, 1000, 4000].map(|pairs| least_gain(&test(5.0), pairs)).into();
        assert!(gains[0].is_none() || gains[0] > gains[1], "{gains:?}");
        assert!(gains[1] > gains[2] && gains[2] > gains[3] && gains[3].is_some(), "{gains:?}");
        assert!(sentence(&test(3.0), 40).contains("too few to confirm any gain"));
        assert!(sentence(&test(10.0), 3000).contains("enough to confirm a gain of"));
    }
}
