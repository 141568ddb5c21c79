//! Strength and test verdict of counted results.

use serde::Serialize;

use crate::report::Verdict;
use crate::stats::{CorrectedElo, Estimate, SprtConfig, Tally};

/// Estimates from counted results. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct ResultStats {
    pub games: u64,
    pub score: Option<f64>,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    pub los: Option<f64>,
    pub nelo: Option<f64>,
    pub nelo_error: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub pairs_ratio: Option<f64>,
    pub llr: Option<f64>,
    pub llr_lower: Option<f64>,
    pub llr_upper: Option<f64>,
    pub verdict: Verdict,
    #[serde(flatten)]
    pub corrected: Option<CorrectedStats>,
}

/// Strength after a decided test, corrected for its early stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct CorrectedStats {
    pub elo_corrected: f64,
    pub elo_corrected_lower: f64,
    pub elo_corrected_upper: f64,
}

impl ResultStats {
    /// Estimates the strength from `counts` and judges them by `test`, if there is one.
    pub fn of(counts: &impl Tally, test: Option<SprtConfig>) -> Self {
        let estimate = Estimate::of(counts);
        let llr = test.map(|test| test.llr(counts));
        let bounds = test.map(|test| test.bounds());
        let accepted = test.zip(llr).map(|(test, llr)| test.judge(llr));
        let corrected = test.filter(|_| accepted.flatten().is_some()).and_then(|test| test.corrected(counts));
        Self {
            games: counts.games_counted(),
            score: estimate.map(|estimate| estimate.score),
            elo: estimate.map(|estimate| estimate.elo.0),
            elo_error: estimate.map(|estimate| estimate.elo_error.0),
            los: estimate.map(|estimate| estimate.los),
            nelo: estimate.map(|estimate| estimate.nelo.0),
            nelo_error: estimate.map(|estimate| estimate.nelo_error.0),
            draw_ratio: estimate.map(|estimate| estimate.draw_ratio),
            pairs_ratio: estimate.and_then(|estimate| estimate.pairs_ratio),
            llr,
            llr_lower: bounds.map(|bounds| bounds.lower),
            llr_upper: bounds.map(|bounds| bounds.upper),
            verdict: accepted.map_or(Verdict::NoTest, Verdict::of_test),
            corrected: corrected.map(|CorrectedElo { elo, lower, upper, .. }| CorrectedStats {
                elo_corrected: elo.0,
                elo_corrected_lower: lower.0,
                elo_corrected_upper: upper.0,
            }),
        }
    }
}
