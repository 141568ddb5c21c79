//! What tests gain per hour, for patches whose strengths have a known distribution.

use serde::Serialize;

use crate::commands::forecast::Forecast;
use crate::stats::{GameVariance, OperatingCurve, PatchPrior, SprtConfig, TestKind};

/// Greatest share of all patches that may pass as regressions with the recommended test.
pub const MOST_REGRESSIONS: f64 = 0.01;

/// What one test makes of the patches. Its keys are a contract.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct PatchForecast {
    pub name: &'static str,
    pub elo: [f64; 2],
    pub alpha: f64,
    pub beta: f64,
    pub test: TestKind,
    pub elo_per_hour: f64,
    pub passes: f64,
    pub regressions: f64,
    pub hours_per_patch: f64,
}

impl Forecast {
    /// Compares the test of the forecast with the one that gains the most Elo per hour for these patches.
    pub fn patches(&self, prior: PatchPrior) -> Vec<PatchForecast> {
        let variance = self.variance;
        let row =
            |(name, config): (&'static str, SprtConfig)| self.patch_forecast(name, config, prior, variance);
        let sprt = SprtConfig { kind: TestKind::Sprt, ..self.config };
        let best = prior.best_test(&sprt, variance, MOST_REGRESSIONS);
        let bounded = best.map(|config| SprtConfig { kind: TestKind::Bounded, ..config });
        let rows = [("planned", Some(self.config)), ("best", best), ("best bounded", bounded)];
        rows.into_iter().filter_map(|(name, config)| Some((name, config?))).map(row).collect()
    }

    fn patch_forecast(
        &self,
        name: &'static str,
        config: SprtConfig,
        prior: PatchPrior,
        variance: GameVariance,
    ) -> PatchForecast {
        let found = prior.test_yield(&OperatingCurve::new(&config, variance));
        let hours = found.pairs * self.pilot.seconds_per_pair / 3600.0;
        PatchForecast {
            name,
            elo: config.hypotheses.into(),
            alpha: config.alpha.into(),
            beta: config.beta.into(),
            test: config.kind,
            elo_per_hour: found.elo / hours,
            passes: found.passes,
            regressions: found.regressions,
            hours_per_patch: hours,
        }
    }
}
