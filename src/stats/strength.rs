//! The strength of the candidate as it is reported: valid for few pairs, and for a test that may stop early.
//!
//! [`Estimate`] is the textbook formula for many games. It fails for few: one pair of a win and a draw gives a likelihood
//! of superiority of 100 %. Below [`FEW`] observations, and where all of them are alike, the interval here is that of a
//! posterior: the counts plus 0.15 to 0.3 observations of every possible score, whichever gives the wider interval, whose mean
//! score is approximated by a beta distribution with the same mean and variance. For a sequential test the interval is corrected for the stopping rule
//! ([`CorrectedElo`]).

use statrs::distribution::{Beta, ContinuousCDF, Normal};

use super::corrected::CorrectedElo;
use super::elo::{Elo, NormalizedElo};
use super::estimate::Estimate;
use super::sample::{Sample, Tally};
use super::sprt::{SprtConfig, TestReading};

/// Observations, pairs or single games, from which on the normal approximation is used.
pub const FEW: u64 = 30;

/// Least and greatest weight of each possible score in the prior. With more than the greatest, intervals of one-sided matches
/// cover too seldom; with less than the least, those of even ones.
const PRIORS: [f64; 2] = [0.15, 0.3];

/// Probability beyond each end of an interval of few observations. With the usual 2.5 %, intervals of five pairs with many draws
/// cover in less than 90 % of all cases, because few observations have few possible counts.
const TAIL: f64 = 0.02;

/// Sum of the parameters of a beta distribution above which the normal one is used.
const NARROW: f64 = 10_000.0;

/// Alike observations beyond this number are not counted in a posterior: they would narrow an interval that is already
/// narrower than any difference of practical use.
const MOST_ALIKE: f64 = 10_000.0;

/// An estimate of the candidate's strength with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// The estimate; `None` for a clean sweep, which has no finite one.
    pub elo: Option<Elo>,
    /// The lower end of the interval; `None` if every point was lost, so that it is open.
    pub lower: Option<Elo>,
    /// The upper end of the interval; `None` if every point was won, so that it is open.
    pub upper: Option<Elo>,
    /// Likelihood of superiority: the probability that the candidate is stronger.
    pub los: f64,
    /// Normalized difference and its error; `None` for few observations, from which it cannot be estimated.
    pub nelo: Option<(NormalizedElo, NormalizedElo)>,
    /// Whether there are too few observations for the normal approximation.
    pub is_few: bool,
}

impl Strength {
    /// Estimates the strength from counts whose number did not depend on them. Returns `None` before the first game.
    pub fn of(tally: &impl Tally) -> Option<Self> {
        let estimate = Estimate::of(tally)?;
        let sample = tally.sample();
        if observations(tally, &sample) < FEW || one_kind(&sample) {
            return Some(Self::of_few(&sample, &estimate));
        }
        let (elo, error) = (estimate.elo.0, estimate.elo_error.0);
        Some(Self {
            elo: Some(estimate.elo),
            lower: Some(Elo(elo - error)),
            upper: Some(Elo(elo + error)),
            los: estimate.los,
            nelo: Some((estimate.nelo, estimate.nelo_error)),
            is_few: false,
        })
    }

    /// Estimates the strength from the counts of a sequential test, decided or not. Counts at which the test cannot have
    /// stopped, because it would have decided before them, are treated as those of a match.
    pub fn of_test(tally: &impl Tally, test: &SprtConfig) -> Option<Self> {
        let plain = Self::of(tally)?;
        if plain.is_few || !test.can_end_at(tally) {
            return Some(plain);
        }
        let CorrectedElo { elo, lower, upper, los } = test.corrected(tally)?;
        Some(Self { elo: Some(elo), lower: Some(lower), upper: Some(upper), los, ..plain })
    }

    /// Half the width of the interval; `None` if an end is open.
    pub fn error(&self) -> Option<Elo> {
        Some(Elo((self.upper?.0 - self.lower?.0) / 2.0))
    }

    fn of_few(sample: &Sample, estimate: &Estimate) -> Self {
        let posteriors = PRIORS.map(|prior| posterior(sample, prior));
        let ends = |share: f64| posteriors.each_ref().map(|posterior| posterior.quantile(share));
        let (swept, lost) = (estimate.score >= 1.0, estimate.score <= 0.0);
        // An interval with an open end has both tails at the other one.
        let tail = if swept || lost { 2.0 * TAIL } else { TAIL };
        let lowest = |[one, other]: [f64; 2]| Elo::from_score(one.min(other));
        let highest = |[one, other]: [f64; 2]| Elo::from_score(one.max(other));
        Self {
            elo: (!swept && !lost).then_some(estimate.elo),
            lower: (!lost).then(|| lowest(ends(tail))),
            upper: (!swept).then(|| highest(ends(1.0 - tail))),
            los: 1.0 - posteriors[1].below(0.5),
            nelo: None,
            is_few: true,
        }
    }
}

impl SprtConfig {
    /// Returns whether the test can have ended at these counts. It ends at the first pair beyond a bound, so counts far
    /// beyond one were not collected by it.
    fn can_end_at(&self, tally: &impl Tally) -> bool {
        let (TestReading { llr, bounds }, start) = (self.reading(tally), self.bounds());
        let beyond = (llr - bounds.upper).max(bounds.lower - llr);
        beyond <= (start.upper - start.lower) / 2.0
    }
}

fn observations(tally: &impl Tally, sample: &Sample) -> u64 {
    (tally.games_counted() as f64 / sample.games_each()).round() as u64
}

/// Returns whether only one score occurred.
fn one_kind(sample: &Sample) -> bool {
    sample.counts().filter(|(_, count)| *count > 0.5).count() == 1
}

/// The posterior distribution of the expected score.
enum Posterior {
    Beta(Beta),
    /// Where the beta distribution is so narrow that it is computed inaccurately, and close to normal.
    Normal(Normal),
}

impl Posterior {
    fn quantile(&self, share: f64) -> f64 {
        match self {
            Self::Beta(beta) => beta.inverse_cdf(share),
            Self::Normal(normal) => normal.inverse_cdf(share),
        }
    }

    fn below(&self, score: f64) -> f64 {
        match self {
            Self::Beta(beta) => beta.cdf(score),
            Self::Normal(normal) => normal.cdf(score),
        }
    }
}

/// Returns the posterior distribution of the expected score.
fn posterior(sample: &Sample, prior: f64) -> Posterior {
    let weights: Vec<(f64, f64)> =
        sample.counts().map(|(score, count)| (score, count.round().min(MOST_ALIKE) + prior)).collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let mean = weights.iter().map(|(score, weight)| score * weight).sum::<f64>() / total;
    let square = weights.iter().map(|(score, weight)| score * score * weight).sum::<f64>() / total;
    let variance = (square - mean * mean) / (total + 1.0);
    let strength = mean * (1.0 - mean) / variance - 1.0;
    if strength > NARROW {
        Posterior::Normal(Normal::new(mean, variance.sqrt()).expect("the variance is positive"))
    } else {
        let beta = Beta::new(mean * strength, (1.0 - mean) * strength);
        Posterior::Beta(beta.expect("mean and variance of scores between 0 and 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{GameModel, Hypotheses, Pentanomial, Trinomial};

    fn of(counts: [u64; 5]) -> Strength {
        Strength::of(&Pentanomial(counts)).unwrap()
    }

    #[test]
    fn one_pair_proves_nothing() {
        let won = of([0, 0, 0, 1, 0]);
        assert!((0.6..0.8).contains(&won.los), "{won:?}");
        assert!(won.lower.unwrap().0 < -100.0 && won.upper.unwrap().0 > 200.0, "{won:?}");
        assert_eq!(won.nelo, None);
        let even = of([0, 0, 1, 0, 0]);
        assert!((even.los - 0.5).abs() < 1e-9 && even.error().unwrap().0 > 100.0, "{even:?}");
        assert!(even.elo.unwrap().0.abs() < 1e-9);
    }

    #[test]
    fn a_clean_sweep_has_an_open_end() {
        let swept = of([0, 0, 0, 0, 4]);
        assert_eq!((swept.elo, swept.upper, swept.error()), (None, None, None));
        assert!(swept.lower.unwrap().0 > 50.0 && swept.los < 0.9999, "{swept:?}");
        let lost = of([1_000_000, 0, 0, 0, 0]);
        assert_eq!((lost.elo, lost.lower), (None, None));
        assert!(lost.upper.unwrap().0 < -1000.0);
        let games = Strength::of(&Trinomial { wins: 10, draws: 0, losses: 0 }).unwrap();
        assert_eq!(games.upper, None);
    }

    #[test]
    fn many_pairs_give_the_textbook_interval() {
        let counts = Pentanomial([40, 32, 69, 18, 36]);
        let (strength, estimate) = (Strength::of(&counts).unwrap(), Estimate::of(&counts).unwrap());
        assert_eq!(strength.elo, Some(estimate.elo));
        assert!((strength.error().unwrap().0 - estimate.elo_error.0).abs() < 1e-9);
        assert_eq!(strength.los, estimate.los);
    }

    /// All ways to distribute `pairs` pairs over the five scores.
    fn all_counts(pairs: u64) -> Vec<[u64; 5]> {
        let mut all = Vec::new();
        for a in 0..=pairs {
            for b in 0..=pairs - a {
                for c in 0..=pairs - a - b {
                    all.extend((0..=pairs - a - b - c).map(|d| [a, b, c, d, pairs - a - b - c - d]));
                }
            }
        }
        all
    }

    fn log_factorial(number: u64) -> f64 {
        (2..=number).map(|factor| (factor as f64).ln()).sum()
    }

    #[test]
    fn intervals_of_few_pairs_cover_the_truth() {
        // The coverage is exact: a sum over all possible counts.
        let models = [(0.61, 0.0), (0.49, 191.0), (0.02, 0.0), (0.9, 0.0)]
            .map(|(draws, bias)| (draws, GameModel::new(draws, Elo(bias)).unwrap()));
        for (pairs, least) in [(1, 0.83), (2, 0.82), (3, 0.9), (5, 0.9), (10, 0.9), (20, 0.9)] {
            let intervals: Vec<([u64; 5], Strength)> =
                all_counts(pairs).into_iter().map(|counts| (counts, of(counts))).collect();
            for (draws, model) in &models {
                for truth in [0.0, 30.0, 60.0, 100.0, 200.0, 400.0] {
                    let odds = model.odds(Elo(truth));
                    let true_elo = Elo::from_score(odds.mean()).0;
                    let covered: f64 = intervals
                        .iter()
                        .filter(|(_, strength)| {
                            strength.lower.is_none_or(|lower| lower.0 <= true_elo)
                                && strength.upper.is_none_or(|upper| true_elo <= upper.0)
                        })
                        .map(|(counts, _)| {
                            let ways = counts
                                .iter()
                                .zip(odds.probabilities())
                                .map(|(&count, chance)| count as f64 * chance.ln() - log_factorial(count));
                            (log_factorial(pairs) + ways.sum::<f64>()).exp()
                        })
                        .sum();
                    assert!(covered >= least, "{pairs} pairs, {draws} draws, {truth} Elo: {covered}");
                }
            }
        }
    }

    #[test]
    fn a_test_is_corrected_for_its_stop_unless_it_cannot_have_stopped_there() {
        let test = SprtConfig::usual(Hypotheses::new(0.0, 5.0).unwrap());
        let counts = Pentanomial([100, 800, 1500, 880, 120]);
        let corrected = test.corrected(&counts).unwrap();
        assert_eq!(Strength::of_test(&counts, &test).unwrap().elo, Some(corrected.elo));
        // A test of five thousand million pairs would have stopped long before.
        let many = Pentanomial([0, 0, 5_000_000_000, 0, 0].map(|count: u64| count + 1_000_000));
        assert_eq!(Strength::of_test(&many, &test), Strength::of(&many));
    }
}
