//! The decision of a sequential test that reaches its limit of pairs without touching a bound.
//!
//! A test that may not go on has not spent its alpha: it has passed fewer candidates of strength H0 than it was allowed
//! to. What is left is spent at the limit: H1 is accepted there if the log-likelihood ratio reaches a level that candidates
//! of strength H0 exceed with just the probability that remains.

use super::brownian::BrownianPoint;
use super::llr::expected_score;
use super::root::find_root;
use super::sample::Tally;
use super::sprt::{Hypothesis, SprtConfig};
use super::stopped_motion::{Pace, StoppedMotion};
use super::strength::FEW;

impl SprtConfig {
    /// Returns the log-likelihood ratio from which on H1 is accepted at the limit, for a test that ends with these counts.
    /// It is at most the upper bound, and at least 0: a candidate that looks worse than the middle of the hypotheses never
    /// passes. `None` for few games, to which the model does not apply.
    pub fn level_at_limit(&self, tally: &impl Tally) -> Option<f64> {
        if tally.games_counted() < 2 * FEW {
            return None;
        }
        let sample = tally.sample();
        let score_at = |elo: f64| expected_score(&sample, self.model, elo);
        let gap = score_at(self.hypotheses.alternative()) - score_at(self.hypotheses.null());
        let variance = gap * gap / sample.moments().variance;
        // Under H0 the ratio drifts down by half its variance.
        let motion = self.motion(Pace { drift: -variance / 2.0, variance });
        Some(level_spending(&motion, sample.total(), self.alpha.get()))
    }

    /// Returns the hypothesis accepted at the limit of pairs: H1, or none.
    pub fn judge_at_limit(&self, tally: &impl Tally) -> Option<Hypothesis> {
        let level = self.level_at_limit(tally)?;
        (self.llr(tally) >= level).then_some(Hypothesis::Alternative)
    }
}

/// Returns the level above which a motion without effect ends at `time` with the probability `alpha`, paths that reached the
/// upper bound before included; at least 0 and at most the bound.
fn level_spending(motion: &StoppedMotion, time: f64, alpha: f64) -> f64 {
    let upper = motion.bounds_at(time).upper;
    let spent_above =
        |level: f64| 1.0 - motion.probability_of_no_better(BrownianPoint { time, position: level }) - alpha;
    if upper <= 0.0 || spent_above(0.0) <= 0.0 {
        return 0.0;
    }
    find_root(spent_above, 0.0, upper, 1e-9).unwrap_or(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{GameModel, Hypotheses, Pentanomial, Random, Sprt};
    use std::ops::ControlFlow;

    /// Returns the shares of tests that accept H1 at a bound, and at a bound or at the limit.
    fn passes(config: SprtConfig, strength: f64, limit: u64, runs: u64) -> (f64, f64) {
        let model = GameModel::balanced();
        let odds = model.odds(model.difference(config.model, strength));
        let (mut at_bound, mut in_all) = (0u64, 0u64);
        for run in 0..runs {
            let mut random = Random::of_item(11, run);
            let mut test = Sprt::new(config);
            let mut pairs = 0;
            loop {
                match test.observe(odds.draw(&mut random)) {
                    ControlFlow::Break(decision) => {
                        let passed = u64::from(decision.accepted == Hypothesis::Alternative);
                        at_bound += passed;
                        in_all += passed;
                        break;
                    }
                    ControlFlow::Continue(next) => test = next,
                }
                pairs += 1;
                if pairs == limit {
                    in_all += u64::from(config.judge_at_limit(test.seen()).is_some());
                    break;
                }
            }
        }
        (at_bound as f64 / runs as f64, in_all as f64 / runs as f64)
    }

    #[test]
    fn a_limit_spends_what_is_left_of_alpha_and_no_more() {
        // Wide hypotheses keep the simulation short; the limit is 90 % of the mean length at H1.
        let config = SprtConfig::usual(Hypotheses::new(0.0, 40.0).unwrap());
        let (bound, all) = passes(config, 0.0, 185, 1500);
        assert!(bound < 0.04 && all > bound && all < 0.066, "at H0: {bound} and {all}");
        let (bound, all) = passes(config, 40.0, 185, 600);
        assert!(all > bound + 0.08 && all > 0.62, "at H1: {bound} and {all}");
    }

    #[test]
    fn the_power_at_the_limit_is_that_of_a_test_which_spends_all_of_its_alpha() {
        let config = SprtConfig::usual(Hypotheses::new(0.0, 5.0).unwrap());
        let null = config.motion(Pace { drift: -0.5, variance: 1.0 });
        let alternative = null.with_drift(0.5);
        // Limits in mean lengths at H1.
        for (limit, power, undecided) in [(0.57, 0.533, 0.303), (0.90, 0.688, 0.538), (1.51, 0.839, 0.776)] {
            let time = limit * alternative.expected_time();
            let level = level_spending(&null, time, 0.05);
            let passes = |motion: &StoppedMotion| {
                1.0 - motion.probability_of_no_better(BrownianPoint { time, position: level })
            };
            assert!((passes(&null) - 0.05).abs() < 1e-6, "{limit}: {}", passes(&null));
            assert!((passes(&alternative) - power).abs() < 0.002, "{limit}: {}", passes(&alternative));
            let as_is = alternative.upper_by(time);
            assert!((as_is - undecided).abs() < 0.002, "{limit}: {as_is}");
        }
    }

    #[test]
    fn the_level_falls_towards_the_middle_and_never_below() {
        let config = SprtConfig::usual(Hypotheses::new(0.0, 5.0).unwrap());
        let early = config.level_at_limit(&Pentanomial([10, 40, 100, 45, 12])).unwrap();
        let late = config.level_at_limit(&Pentanomial([1_000, 4_000, 10_000, 4_500, 1_200])).unwrap();
        assert!(
            (0.0..=config.bounds().upper).contains(&early) && (0.0..early.max(1.5)).contains(&late),
            "{early} {late}"
        );
        assert_eq!(config.judge_at_limit(&Pentanomial::default()), None);
    }
}
