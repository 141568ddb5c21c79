//! The strength of the candidate as it is reported: valid for few pairs, and for a test that may stop early.
//!
//! [`Estimate`] is the textbook formula for many games. It fails for few: one pair of a win and a draw gives a likelihood
//! of superiority of 100 %. Below [`FEW`] observations, and where all of them are alike, the interval here is that of a
//! posterior: the counts plus 0.3 observations of every possible score, whose mean score is approximated by a beta
//! distribution with the same mean and variance. For a sequential test the interval is corrected for the stopping rule
//! ([`CorrectedElo`]).

use statrs::distribution::{Beta, ContinuousCDF, Normal};

use super::corrected::CorrectedElo;
use super::elo::{Elo, NormalizedElo};
use super::estimate::Estimate;
use super::sample::{Sample, Tally};
use super::sprt::SprtConfig;

/// Observations, pairs or single games, from which on the normal approximation is used.
pub const FEW: u64 = 30;

/// Weight of each possible score in the prior. With more, intervals of one-sided matches cover too seldom.
const PRIOR: f64 = 0.3;

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
        let posterior = posterior(sample);
        let quantile = |share: f64| Elo::from_score(posterior.quantile(share));
        let (swept, lost) = (estimate.score >= 1.0, estimate.score <= 0.0);
        // An interval with an open end has all of its 5 % at the other one.
        let tail = if swept || lost { 0.05 } else { 0.025 };
        Self {
            elo: (!swept && !lost).then_some(estimate.elo),
            lower: (!lost).then(|| quantile(tail)),
            upper: (!swept).then(|| quantile(1.0 - tail)),
            los: 1.0 - posterior.below(0.5),
            nelo: None,
            is_few: true,
        }
    }
}

impl SprtConfig {
    /// Returns whether the test can have ended at these counts. It ends at the first pair beyond a bound, so counts far
    /// beyond one were not collected by it.
    fn can_end_at(&self, tally: &impl Tally) -> bool {
        let (llr, bounds) = (self.llr(tally), self.bounds());
        let beyond = (llr - bounds.upper).max(bounds.lower - llr);
        beyond <= (bounds.upper - bounds.lower) / 2.0
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
fn posterior(sample: &Sample) -> Posterior {
    let weights: Vec<(f64, f64)> =
        sample.counts().map(|(score, count)| (score, count.round().min(MOST_ALIKE) + PRIOR)).collect();
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
    use crate::stats::{GameModel, Hypotheses, Pentanomial, Random, Trinomial};

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

    #[test]
    fn intervals_of_few_pairs_cover_the_truth() {
        const RUNS: u64 = 500;
        for (model, name) in [(GameModel::balanced(), "balanced"), (GameModel::unbalanced(), "unbalanced")] {
            for pairs in [1, 2, 5, 20] {
                for truth in [0.0, 60.0, 200.0] {
                    let odds = model.odds(Elo(truth));
                    let true_elo = Elo::from_score(odds.mean()).0;
                    let covered = (0..RUNS)
                        .filter(|run| {
                            let mut random = Random::of_item(pairs + truth as u64, *run);
                            let mut counts = Pentanomial::default();
                            (0..pairs).for_each(|_| counts.count(odds.draw(&mut random)));
                            let strength = Strength::of(&counts).unwrap();
                            strength.lower.is_none_or(|lower| lower.0 <= true_elo)
                                && strength.upper.is_none_or(|upper| true_elo <= upper.0)
                        })
                        .count();
                    let share = covered as f64 / RUNS as f64;
                    assert!(share >= 0.9, "{name}, {pairs} pairs, {truth} Elo: {share}");
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
