//! Flags of a sequential test between two strengths that are given separately.

use anyhow::Context;

use crate::cli::choices::choice;
use crate::stats::{EloModel, ErrorRate, Hypotheses, SprtConfig, TestKind};

/// Error rates and Elo scale of a test.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct TestFlags {
    /// Probability of passing a candidate of strength ELO0
    #[arg(long, value_name = "RATE", default_value_t = ErrorRate::FIVE_PERCENT.get())]
    alpha: f64,
    /// Probability of failing a candidate of strength ELO1
    #[arg(long, value_name = "RATE", default_value_t = ErrorRate::FIVE_PERCENT.get())]
    beta: f64,
    /// Scale of all strengths
    #[arg(long, value_name = "MODEL", value_parser = choice::<EloModel>(), default_value_t)]
    model: EloModel,
    /// When the test ends
    #[arg(long, value_name = "TEST", value_parser = choice::<TestKind>(), default_value_t)]
    test: TestKind,
}

impl TestFlags {
    /// Returns the test between two strengths.
    pub fn config(&self, elo0: f64, elo1: f64) -> anyhow::Result<SprtConfig> {
        Ok(SprtConfig {
            hypotheses: Hypotheses::new(elo0, elo1)?,
            model: self.model,
            alpha: ErrorRate::new(self.alpha).context("--alpha")?,
            beta: ErrorRate::new(self.beta).context("--beta")?,
            kind: self.test,
        })
    }
}
