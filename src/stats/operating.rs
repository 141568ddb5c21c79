//! Operating characteristics of a sequential test: its pass probability and its expected length.

use super::elo::{Elo, EloModel, NormalizedElo};
use super::root::find_root;
use super::sprt::SprtConfig;
use super::stopped_motion::{Pace, StoppedMotion};

/// The variance of the score of one game, which depends on the book and the draw ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameVariance(f64);

impl GameVariance {
    /// Returns the variance for a draw ratio and the root mean square advantage of one side in the openings.
    ///
    /// Returns `None` if the two are inconsistent: a large advantage leaves fewer draws.
    pub fn of_games(draw_ratio: f64, opening_bias: Elo) -> Option<Self> {
        let off_centre = opening_bias.score() - 0.5;
        let variance = (1.0 - draw_ratio) / 4.0 - off_centre * off_centre;
        (variance > 0.0 && variance <= 0.25).then_some(Self(variance))
    }

    /// Creates a variance from a measured value. Returns `None` unless it is above 0 and at most one quarter.
    pub fn measured(variance: f64) -> Option<Self> {
        (variance > 0.0 && variance <= 0.25).then_some(Self(variance))
    }

    /// Returns the variance as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Pass probability and expected length of a test as functions of the true Elo difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatingCurve {
    null: f64,
    alternative: f64,
    pair_variance: f64,
    /// The motion of the ratio without drift.
    motion: StoppedMotion,
}

impl OperatingCurve {
    /// Creates the curve with Wald's approximation, in which a test ends exactly on a bound.
    pub fn new(config: &SprtConfig, variance: GameVariance) -> Self {
        let score_at = |elo: f64| match config.model {
            EloModel::Logistic => Elo(elo).score(),
            EloModel::Normalized => 0.5 + NormalizedElo(elo).deviations() * variance.0.sqrt(),
            EloModel::Bayesian => super::elo::DrawElo::of_equals(1.0 - 4.0 * variance.0).score(elo),
        };
        let [null, alternative] = [config.hypotheses.null(), config.hypotheses.alternative()].map(score_at);
        let (gap, pair_variance) = (alternative - null, variance.0 / 2.0);
        let motion = config.motion(Pace { drift: 0.0, variance: gap * gap / pair_variance });
        Self { null, alternative, pair_variance, motion }
    }

    /// Returns the curve with the bounds moved outwards by the mean overshoot of one pair.
    ///
    /// A real test ends slightly beyond its bound, which makes it slightly longer and its error rates slightly lower
    /// than in Wald's approximation. The effect grows with the distance between the hypotheses.
    pub fn with_overshoot(self) -> Self {
        let step = (self.alternative - self.null) / self.pair_variance.sqrt();
        Self { motion: self.motion.with_overshoot(step), ..self }
    }

    /// Returns the probability that the test accepts H1.
    pub fn pass_probability(&self, truth: Elo) -> f64 {
        self.motion(truth).upper_probability()
    }

    /// Returns the expected number of pairs.
    pub fn expected_pairs(&self, truth: Elo) -> f64 {
        self.motion(truth).expected_time()
    }

    /// Returns the number of pairs after which this share of tests has ended.
    pub fn pairs_quantile(&self, truth: Elo, share: f64) -> f64 {
        let motion = self.motion(truth);
        let mut most = 2.0 * motion.expected_time();
        while motion.absorbed_by(most) < share {
            most *= 2.0;
        }
        find_root(|pairs| motion.absorbed_by(pairs) - share, 0.0, most, 1e-6 * most).unwrap_or(most)
    }

    /// Returns the probability that the test ends within `pairs` pairs.
    pub fn ended_within(&self, truth: Elo, pairs: f64) -> f64 {
        self.motion(truth).absorbed_by(pairs)
    }

    /// Returns the probability that the test accepts H1 within `pairs` pairs.
    pub fn passed_within(&self, truth: Elo, pairs: f64) -> f64 {
        self.motion(truth).upper_by(pairs)
    }

    /// Returns H0 as logistic Elo at this game variance.
    pub fn null(&self) -> Elo {
        Elo::from_score(self.null)
    }

    /// Returns H1 as logistic Elo at this game variance.
    pub fn alternative(&self) -> Elo {
        Elo::from_score(self.alternative)
    }

    /// Returns the number of pairs by which every test has ended; `None` if there is none.
    pub fn last_pair(&self) -> Option<f64> {
        self.motion.last_time()
    }

    fn motion(&self, truth: Elo) -> StoppedMotion {
        let gap = self.alternative - self.null;
        let excess = truth.score() - (self.null + self.alternative) / 2.0;
        self.motion.with_drift(excess * gap / self.pair_variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Hypotheses;

    fn curve(elo1: f64) -> OperatingCurve {
        let config = SprtConfig::usual(Hypotheses::new(0.0, elo1).unwrap());
        OperatingCurve::new(&config, GameVariance::of_games(0.49, Elo(191.0)).unwrap())
    }

    #[test]
    fn expected_lengths_agree_with_published_values() {
        // fishtest's calculator, normalized Elo, 5 % error rates, in games: at the midpoint and at a hypothesis.
        for (elo1, at_midpoint, at_bound) in
            [(2.0, 262_000.0, 160_000.0), (5.0, 41_900.0, 25_600.0), (10.0, 10_500.0, 6_400.0)]
        {
            let curve = curve(elo1);
            let middle = Elo::from_score((curve.null + curve.alternative) / 2.0);
            let close = |pairs: f64, games: f64| (2.0 * pairs / games - 1.0).abs() < 0.01;
            assert!(close(curve.expected_pairs(middle), at_midpoint), "{}", curve.expected_pairs(middle));
            assert!(
                close(curve.expected_pairs(curve.null()), at_bound),
                "{}",
                curve.expected_pairs(curve.null())
            );
            assert!(close(curve.expected_pairs(curve.alternative()), at_bound));
        }
    }

    #[test]
    fn error_rates_at_the_hypotheses_are_the_configured_ones() {
        let curve = curve(5.0);
        assert!((curve.pass_probability(curve.null()) - 0.05).abs() < 1e-9);
        assert!((curve.pass_probability(curve.alternative()) - 0.95).abs() < 1e-9);
        assert!(curve.with_overshoot().pass_probability(curve.null()) < 0.05);
        assert!(curve.pass_probability(Elo(900.0)) > 0.999_999 && curve.pass_probability(Elo(-900.0)) < 1e-6);
        assert!(curve.expected_pairs(Elo(900.0)).is_finite());
    }

    #[test]
    fn lengths_are_skewed_and_consistent() {
        let curve = curve(5.0);
        for truth in [curve.null(), Elo(1.0), curve.alternative()] {
            let [median, late] = [0.5, 0.95].map(|share| curve.pairs_quantile(truth, share));
            let mean = curve.expected_pairs(truth);
            assert!(median < mean && mean < late, "{median} {mean} {late}");
            assert!((curve.ended_within(truth, late) - 0.95).abs() < 1e-4);
            assert!(curve.passed_within(truth, late) <= curve.pass_probability(truth));
        }
        // 3,000 simulated tests of [0, 5] at elo0: 95 % ended within 31,355 pairs.
        let late = curve.pairs_quantile(curve.null(), 0.95);
        assert!((late / 31_355.0 - 1.0).abs() < 0.04, "{late}");
    }

    #[test]
    fn impossible_variances_are_rejected() {
        assert_eq!(GameVariance::of_games(0.95, Elo(300.0)), None);
        assert_eq!(GameVariance::measured(f64::NAN), None);
    }
}
