//! Exact error rates and lengths of a test, by computation over the sums of points pair by pair.
//!
//! With a known variance the log-likelihood ratio depends on the sum of points alone, which takes few different values. The
//! probability of each is carried from pair to pair, and leaves where the test ends. Nothing is approximated but the ratio
//! itself, which a real test computes from all five counts.

use super::elo::{DrawElo, Elo, EloModel, NormalizedElo};
use super::game_model::PairOdds;
use super::sprt::{Bounds, Hypothesis, SprtConfig, TestKind};
use super::stopped_motion::OVERSHOOT;
use super::triangle::SLOPE;

/// Probability that is left when the computation ends.
const NEGLIGIBLE: f64 = 1e-7;
/// Smallest variance of the ratio for each pair: between closer hypotheses there are too many sums and too many pairs.
const LEAST_VARIANCE: f64 = 5e-5;

/// The exact course of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactCourse {
    /// Probability that H1 is accepted.
    pub passes: f64,
    /// Expected number of pairs.
    pub pairs: f64,
    /// Number of pairs by which 95 % of the tests have ended.
    pub pairs_p95: u64,
}

impl SprtConfig {
    /// Computes the course of the test for pairs with these odds; `None` if the hypotheses are so close that it would take
    /// more than seconds. A Brownian motion is then accurate.
    pub fn exact_course(&self, odds: &PairOdds) -> Option<ExactCourse> {
        let probabilities = odds.probabilities();
        let walk = Walk::new(self, odds);
        if walk.variance.is_nan() || walk.variance < LEAST_VARIANCE {
            return None;
        }
        let mut course = ExactCourse { passes: 0.0, pairs: 0.0, pairs_p95: 0 };
        // Sums of half points above an even score, and their probabilities.
        let (mut lowest, mut states) = (0i64, vec![1.0]);
        let mut left = 1.0;
        let mut pair = 0;
        while left >= NEGLIGIBLE {
            pair += 1;
            course.pairs += left;
            let mut next = vec![0.0; states.len() + 4];
            for (index, state) in states.iter().enumerate() {
                for (score, probability) in probabilities.iter().enumerate() {
                    next[index + score] += state * probability;
                }
            }
            lowest -= 2;
            let judge = |index: usize| walk.judge(pair, lowest + index as i64);
            for (index, state) in next.iter_mut().enumerate() {
                if let Some(accepted) = judge(index) {
                    course.passes += if accepted == Hypothesis::Alternative { *state } else { 0.0 };
                    left -= *state;
                    *state = 0.0;
                }
            }
            if left <= 0.05 && course.pairs_p95 == 0 {
                course.pairs_p95 = pair;
            }
            let first = next.iter().position(|state| *state > 0.0);
            let Some((first, last)) = first.zip(next.iter().rposition(|state| *state > 0.0)) else {
                left = 0.0;
                continue;
            };
            lowest += first as i64;
            states = next[first..=last].to_vec();
        }
        Some(course)
    }
}

/// The log-likelihood ratio as a function of the sum of half points.
struct Walk {
    kind: TestKind,
    start: Bounds,
    /// Ratio for half a point above an even score, and for each pair.
    per_half_point: f64,
    per_pair: f64,
    /// Variance of the ratio for each pair.
    variance: f64,
}

impl Walk {
    fn new(config: &SprtConfig, odds: &PairOdds) -> Self {
        let (game, pair) = (odds.game_variance(), odds.game_variance() / 2.0);
        let score_at = |elo: f64| match config.model {
            EloModel::Logistic => Elo(elo).score(),
            EloModel::Normalized => 0.5 + NormalizedElo(elo).deviations() * game.sqrt(),
            EloModel::Bayesian => DrawElo::of_equals(1.0 - 4.0 * game).score(elo),
        };
        let [null, alternative] = [config.hypotheses.null(), config.hypotheses.alternative()].map(score_at);
        let gap = alternative - null;
        Self {
            kind: config.kind,
            start: config.bounds(),
            per_half_point: gap / (4.0 * pair),
            per_pair: (0.5 - (null + alternative) / 2.0) * gap / pair,
            variance: gap * gap / pair,
        }
    }

    fn judge(&self, pairs: u64, half_points: i64) -> Option<Hypothesis> {
        let pairs = pairs as f64;
        let llr = self.per_half_point * half_points as f64 + self.per_pair * pairs;
        let inwards = match self.kind {
            TestKind::Sprt => 0.0,
            TestKind::Bounded => SLOPE * self.variance * pairs + OVERSHOOT * self.variance.sqrt(),
        };
        Bounds { lower: self.start.lower + inwards, upper: self.start.upper - inwards }.judge(llr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{GameModel, GameVariance, Hypotheses, OperatingCurve};

    fn config(kind: TestKind, elo1: f64) -> SprtConfig {
        SprtConfig { kind, ..SprtConfig::usual(Hypotheses::new(0.0, elo1).unwrap()) }
    }

    #[test]
    fn the_bounded_test_keeps_its_error_rates_exactly() {
        for (model, name) in [(GameModel::balanced(), "balanced"), (GameModel::unbalanced(), "unbalanced")] {
            for elo1 in [10.0, 20.0, 40.0, 80.0] {
                let config = config(TestKind::Bounded, elo1);
                let at =
                    |elo: f64| config.exact_course(&model.odds(model.difference(config.model, elo))).unwrap();
                let (passes, fails) = (at(0.0).passes, 1.0 - at(elo1).passes);
                assert!((passes - 0.05).abs() < 0.003, "{name} [0, {elo1}] at H0: {passes}");
                assert!((fails - 0.05).abs() < 0.003, "{name} [0, {elo1}] at H1: {fails}");
            }
        }
    }

    #[test]
    fn the_bounded_test_is_far_shorter_half_way_and_hardly_longer_at_the_hypotheses() {
        let model = GameModel::unbalanced();
        let course = |kind: TestKind, elo: f64| {
            config(kind, 20.0).exact_course(&model.odds(model.difference(EloModel::Normalized, elo))).unwrap()
        };
        let ratio = |elo: f64| {
            let (bounded, sprt) = (course(TestKind::Bounded, elo), course(TestKind::Sprt, elo));
            (bounded.pairs / sprt.pairs, bounded.pairs_p95 as f64 / sprt.pairs_p95 as f64)
        };
        let (mean, late) = ratio(10.0);
        assert!(mean < 0.9 && late <= 0.6, "half-way: {mean} {late}");
        assert!(ratio(0.0).0 < 1.1 && ratio(20.0).0 < 1.1, "{:?} {:?}", ratio(0.0), ratio(20.0));
    }

    #[test]
    fn close_hypotheses_are_left_to_the_curve() {
        let odds = GameModel::balanced().odds(Elo(0.0));
        assert_eq!(config(TestKind::Sprt, 0.1).exact_course(&odds), None);
        assert!(config(TestKind::Sprt, 6.0).exact_course(&odds).is_some());
    }

    #[test]
    fn the_curve_of_a_test_agrees_with_its_exact_course() {
        let model = GameModel::balanced();
        for kind in [TestKind::Sprt, TestKind::Bounded] {
            let config = config(kind, 20.0);
            for elo in [0.0, 8.0, 20.0] {
                let truth = model.difference(config.model, elo);
                let odds = model.odds(truth);
                let variance = GameVariance::measured(odds.game_variance()).unwrap();
                let curve = OperatingCurve::new(&config, variance).with_overshoot();
                let exact = config.exact_course(&odds).unwrap();
                assert!((curve.pass_probability(truth) - exact.passes).abs() < 0.004, "{kind} {elo}");
                assert!((curve.expected_pairs(truth) / exact.pairs - 1.0).abs() < 0.02, "{kind} {elo}");
                let late = curve.pairs_quantile(truth, 0.95) / exact.pairs_p95 as f64;
                assert!((late - 1.0).abs() < 0.03, "{kind} {elo}: {late}");
            }
        }
    }
}
