//! Pairs of earlier runs, from which a new run learns before its own first pair.

use serde::{Deserialize, Serialize};

use crate::stats::PairScore;
use crate::tuning::space::{Settings, Space};
use crate::tuning::trial::{Trial, TrialId};

/// A pair of an earlier run, in the parameters of the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierPair {
    /// Settings of the candidate.
    pub plus: Settings,
    /// Settings of its opponent.
    pub minus: Settings,
    /// Score of the candidate.
    pub score: PairScore,
}

/// Pairs of earlier runs, the oldest first. A plan has them as text: a line for each pair with its half points and the values
/// of both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EarlierPairs(Vec<EarlierPair>);

impl EarlierPairs {
    /// Largest number of values in all pairs together. It keeps plans below some megabytes.
    pub const MAX_VALUES: usize = 2_000_000;

    /// Creates the list from pairs with one value for each of `parameters` parameters. Of too many pairs the last ones are
    /// kept: they were played closest to the optimum.
    pub fn new(mut pairs: Vec<EarlierPair>, parameters: usize) -> Self {
        let most = Self::MAX_VALUES / (2 * parameters.max(1));
        pairs.drain(..pairs.len().saturating_sub(most));
        Self(pairs)
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the pairs as trials with scores. Pairs with a number of values that does not fit the space are left out.
    pub(super) fn trials<'a>(&'a self, space: &'a Space) -> impl Iterator<Item = (Trial, PairScore)> + 'a {
        let fits =
            |pair: &&EarlierPair| [&pair.plus, &pair.minus].iter().all(|side| side.0.len() == space.len());
        (0..).zip(self.0.iter().filter(fits)).map(|(number, pair)| {
            let EarlierPair { plus, minus, score } = pair.clone();
            (Trial { id: TrialId(number), plus, minus }, score)
        })
    }
}

impl From<EarlierPairs> for String {
    fn from(EarlierPairs(pairs): EarlierPairs) -> Self {
        let line = |pair: &EarlierPair| {
            let values = pair.plus.0.iter().chain(&pair.minus.0).map(|value| format!(" {value}"));
            format!("{}{}\n", pair.score.half_points(), values.collect::<String>())
        };
        pairs.iter().map(line).collect()
    }
}

impl TryFrom<String> for EarlierPairs {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let pair = |(number, line): (usize, &str)| {
            let wrong = || format!("pair {} of an earlier run is not half points and values", number + 1);
            let mut words = line.split_ascii_whitespace();
            let half_points: u8 = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
            let score = PairScore::from_half_points(half_points).map_err(|_| wrong())?;
            let values: Option<Vec<f64>> =
                words.map(|word| word.parse().ok().filter(|value: &f64| value.is_finite())).collect();
            let mut plus = values.filter(|values| values.len() % 2 == 0).ok_or_else(wrong)?;
            let minus = plus.split_off(plus.len() / 2);
            Ok(EarlierPair { plus: Settings(plus), minus: Settings(minus), score })
        };
        text.lines().enumerate().map(pair).collect::<Result<Vec<_>, String>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(values: [f64; 4], score: PairScore) -> EarlierPair {
        let [a, b, c, d] = values;
        EarlierPair { plus: Settings(vec![a, b]), minus: Settings(vec![c, d]), score }
    }

    #[test]
    fn pairs_survive_their_text_and_damaged_text_is_refused() {
        let pairs = EarlierPairs::new(
            vec![pair([1.0, -0.25, 3.0, 1e-7], PairScore::WON), pair([2.0; 4], PairScore::LOST)],
            2,
        );
        let text = String::from(pairs.clone());
        assert_eq!(text, "4 1 -0.25 3 0.0000001\n0 2 2 2 2\n");
        assert_eq!(EarlierPairs::try_from(text), Ok(pairs));
        for wrong in ["5 1 1", "2 1", "x 1 1", "2 1 inf"] {
            assert!(EarlierPairs::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn of_too_many_pairs_the_last_ones_are_kept() {
        let pairs = (0..5).map(|number| pair([f64::from(number); 4], PairScore::EVEN)).collect();
        let kept = EarlierPairs::new(pairs, EarlierPairs::MAX_VALUES / 4);
        assert_eq!(kept.len(), 2);
        assert_eq!(kept.0[0].plus.0[0], 3.0);
    }
}
