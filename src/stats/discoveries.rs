//! Several tests at once: which candidates may be called stronger if few of those calls shall be wrong.

use super::brownian::BrownianPoint;
use super::llr::expected_score;
use super::sample::Tally;
use super::sprt::SprtConfig;
use super::stopped_motion::Pace;

impl SprtConfig {
    /// Returns the chance that a candidate of strength H0 does at least as well in this test, where an earlier end at the
    /// upper bound is better than a later one; `None` before the first game.
    pub fn p_value(&self, tally: &impl Tally) -> Option<f64> {
        if tally.games_counted() == 0 {
            return None;
        }
        let sample = tally.sample();
        let score_at = |elo: f64| expected_score(&sample, self.model, elo);
        let (null, alternative) = (score_at(self.hypotheses.null()), score_at(self.hypotheses.alternative()));
        let (gap, moments) = (alternative - null, sample.moments());
        let drift_at = |score: f64| (score - (null + alternative) / 2.0) * gap / moments.variance;
        let motion = self.motion(Pace { drift: drift_at(null), variance: gap * gap / moments.variance });
        let outcome: BrownianPoint = motion.end_of_path(sample.total(), drift_at(moments.mean));
        Some(1.0 - motion.probability_of_no_better(outcome))
    }
}

/// Returns which of the p-values are discoveries, by the rule of Benjamini and Hochberg: among them at most the share `rate`
/// is expected to be false, if the tests are independent.
pub fn discoveries(p_values: &[f64], rate: f64) -> Vec<bool> {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let last = sorted.iter().enumerate().rev().find(|(rank, p)| **p <= rate * (*rank as f64 + 1.0) / count);
    p_values.iter().map(|p| last.is_some_and(|(_, most)| p <= most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Elo, GameModel, Hypotheses, Pentanomial, Random, Sprt, TestKind};
    use std::ops::ControlFlow;

    #[test]
    fn the_rule_agrees_with_its_published_example() {
        // Benjamini and Hochberg (1995), section 3.1: fifteen p-values, four discoveries at 0.05.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = discoveries(&p_values, 0.05);
        assert_eq!(found.iter().filter(|found| **found).count(), 4);
        assert!(found[..4].iter().all(|found| *found));
        assert_eq!(discoveries(&[], 0.05), Vec::<bool>::new());
    }

    #[test]
    fn p_values_at_h0_are_uniform() {
        let model = GameModel::balanced();
        for kind in [TestKind::Sprt, TestKind::Bounded] {
            let config = SprtConfig { kind, ..SprtConfig::usual(Hypotheses::new(0.0, 40.0).unwrap()) };
            let odds = model.odds(Elo(0.0));
            let mut p_values: Vec<f64> = (0..600)
                .map(|run| {
                    let mut random = Random::of_item(3, run);
                    let mut test = Sprt::new(config);
                    loop {
                        match test.observe(odds.draw(&mut random)) {
                            ControlFlow::Continue(next) => test = next,
                            ControlFlow::Break(decision) => break config.p_value(&decision.seen).unwrap(),
                        }
                    }
                })
                .collect();
            p_values.sort_by(f64::total_cmp);
            for (rank, p) in p_values.iter().enumerate() {
                // Kolmogorov's bound for 600 values at one in a thousand is 0.08.
                let share = (rank as f64 + 0.5) / 600.0;
                assert!((p - share).abs() < 0.09, "{kind}: {p} at {share}");
            }
            assert_eq!(config.p_value(&Pentanomial::default()), None);
        }
    }
}
