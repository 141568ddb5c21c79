//! `playself plan CONFIG`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::run_flags::RunFlags;
use playself::commands::{Environment, Failure, Forecast, OrFailure, answer, checked_plan, pilot};
use playself::config::{EngineEntry, RunFile};

use crate::forecast_text::forecast_text;
use crate::play::apply;

/// Forecast the cost of a sequential test.
///
/// Plays a short pilot to measure the time per pair, then prints the expected pairs and hours, and the probability to pass
/// by true strength.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlanCommand {
    /// Configuration file, e.g. configs/sprt.toml
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Engine to be tested
    #[arg(long, value_name = "ENGINE", requires = "baseline")]
    candidate: Option<EngineEntry>,
    /// Engine to test against
    #[arg(long, value_name = "ENGINE", requires = "candidate")]
    baseline: Option<EngineEntry>,
    /// Number of pairs of the pilot
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pilot_pairs: u64,
    #[command(flatten)]
    flags: RunFlags,
}

impl PlanCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let mut run = match &self.config {
            Some(path) => RunFile::read(path).or_usage()?,
            None => RunFile::default(),
        };
        if let (Some(candidate), Some(baseline)) = (&self.candidate, &self.baseline) {
            run.engines = vec![candidate.clone(), baseline.clone()];
        }
        apply(&self.flags, &mut run)?;
        let no_test =
            || Failure::usage("nothing to forecast: the run has no test; add [sprt], --sprt or --preset");
        if run.sprt.is_none() {
            return Err(no_test());
        }
        let plan = checked_plan(&run, &environment)?.plan;
        let measured = pilot(&plan, self.pilot_pairs, self.flags.output.console(), &environment)?;
        let forecast = Forecast::of(&plan, measured).ok_or_else(no_test)?;
        if self.flags.output.json {
            answer(serde_json::to_string(&forecast.summary()).or_fault()?)?;
        } else {
            answer(forecast_text(&forecast, plan.concurrency).or_fault()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
