//! `playself plan CONFIG`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::number_lists::prior;
use playself::cli::run_flags::RunFlags;
use playself::cli::sprt_flags::SprtFlags;
use playself::commands::{
    Console, Environment, Failure, Forecast, ForecastSummary, OrFailure, answer, book_advice, checked_plan,
    pilot,
};
use playself::config::{EngineEntry, RunFile};
use playself::stats::PatchPrior;

use crate::forecast_text::forecast_text;
use crate::patches_text::patches_text;

/// Forecast the cost of a sequential test.
///
/// Plays a short pilot to measure the time per pair, then prints the expected pairs and hours, and the probability to pass
/// by true strength. Nothing of the pilot is kept. A pilot of at least 8 pairs also judges the book by its draws. With --prior,
/// compares the test with the one that gains the most Elo per hour.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  playself plan configs/sprt.toml
  playself plan --candidate builtin \\
      --baseline builtin:configs/weights-plain.toml \\
      --nodes 20000 --sprt 0,10 --openings openings/balanced.epd.gz")]
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
    /// Mean and standard deviation of your patches in Elo, e.g. -1,2: find the test that gains the most Elo per hour
    #[arg(long, value_name = "MEAN,SD", allow_hyphen_values = true, value_parser = prior)]
    prior: Option<PatchPrior>,
    #[command(flatten)]
    flags: RunFlags,
    #[command(flatten)]
    test: SprtFlags,
    /// Print the forecast as JSON on standard output, and text on standard error
    #[arg(long, help_heading = "Output")]
    json: bool,
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
        let console = Console::of_flag(self.json);
        let mut notes = self.flags.apply(&mut run);
        notes.extend(self.test.ensure_test(&mut run).or_usage()?);
        for note in notes {
            console.print_progress(&note);
        }
        let no_test = || Failure::usage("nothing to forecast: the run has no test of two engines");
        let plan = checked_plan(&run, &environment)?.plan;
        let measured = pilot(&plan, self.pilot_pairs, console, &environment)?;
        let forecast = Forecast::of(&plan, measured).ok_or_else(no_test)?;
        let patches = self.prior.map(|prior| forecast.patches(prior)).unwrap_or_default();
        if self.json {
            let summary = ForecastSummary { patches, ..forecast.summary() };
            answer(serde_json::to_string(&summary).or_fault()?)?;
        } else {
            let mut text = forecast_text(&forecast, plan.concurrency).or_fault()?;
            text.extend(book_advice(&forecast.pilot).map(|advice| format!("\n{advice}\n")));
            text.push_str(&patches_text(&patches).or_fault()?);
            answer(text.trim_end())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
