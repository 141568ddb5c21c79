//! `playself simulate sprt|tune`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Subcommand;
use playself::cli::number_lists::positive_count;
use playself::cli::test_flags::TestFlags;
use playself::commands::{Failure, OrFailure, SimulatedTest, answer};
use playself::stats::{Elo, ExactCourse, GameModel};

use crate::simulate_tune::TuneArguments;

/// Beyond this strength no test is needed.
const MAX_ELO: f64 = 500.0;

/// Run a test or a tuner on simulated games, without engines
#[derive(Debug, clap::Args)]
pub(crate) struct SimulateCommand {
    #[command(subcommand)]
    what: Simulation,
}

#[derive(Debug, Subcommand)]
enum Simulation {
    Sprt(SprtArguments),
    Tune(TuneArguments),
}

/// Run a sequential test many times on simulated pairs of a known strength.
///
/// Prints how often the candidate passed and how many pairs the tests took.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: how often does a candidate without any gain pass?\n  \
    playself simulate sprt --elo 0 --elo0 0 --elo1 5 --runs 1000 --seed 1")]
struct SprtArguments {
    /// True strength of the candidate, on the scale of --model
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo: f64,
    /// Draw ratio between equal engines [default: 0.49]
    #[arg(long, value_name = "RATIO")]
    draw_ratio: Option<f64>,
    /// Advantage of the opening for one side, in Elo [default: 191, or 0 with --draw-ratio]
    #[arg(long, value_name = "ELO")]
    bias: Option<f64>,
    /// Strength of H0
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: f64,
    /// Strength of H1, above --elo0
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: f64,
    #[command(flatten)]
    test: TestFlags,
    /// Number of tests
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    runs: u64,
    /// Number of pairs in play at once; the duration of a simulated pair depends on its result
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, value_parser = positive_count(4096))]
    concurrency: NonZeroUsize,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl SimulateCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            Simulation::Sprt(arguments) => arguments.run(),
            Simulation::Tune(arguments) => arguments.run(),
        }
    }
}

impl SprtArguments {
    fn run(self) -> Result<ExitCode, Failure> {
        if !(-MAX_ELO..=MAX_ELO).contains(&self.elo) {
            return Err(Failure::usage(format_args!("--elo must be from -{MAX_ELO} to {MAX_ELO}")));
        }
        let test = SimulatedTest {
            config: self.test.config(self.elo0, self.elo1).or_usage()?,
            games: self.games().or_usage()?,
            elo: self.elo,
            runs: self.runs,
            concurrency: self.concurrency,
            seed: self.seed,
        };
        let summary = test.run();
        if self.json {
            answer(serde_json::to_string(&summary).or_fault()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let share = 100.0 * summary.accepted_h1 as f64 / summary.runs.max(1) as f64;
        answer(format_args!("Runs         {}", summary.runs))?;
        answer(format_args!("Passed       {} ({share:.2} %)", summary.accepted_h1))?;
        answer(format_args!("Pairs, mean  {:.0}", summary.mean_pairs.unwrap_or_default()))?;
        answer(format_args!("Pairs, p95   {:.0}", summary.p95_pairs.unwrap_or_default()))?;
        if let Some(ExactCourse { passes, pairs, pairs_p95 }) = test.forecast() {
            answer(format_args!(
                "Computed     {:.2} % after {pairs:.0} pairs on average, 95 % within {pairs_p95}",
                100.0 * passes
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn games(&self) -> anyhow::Result<GameModel> {
        let bias = self.bias.unwrap_or(if self.draw_ratio.is_some() { 0.0 } else { 191.0 });
        Ok(GameModel::new(self.draw_ratio.unwrap_or(0.49), Elo(bias))?)
    }
}
