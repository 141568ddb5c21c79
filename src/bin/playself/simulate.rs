//! `playself simulate`: tests and tuners on games without engines.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Subcommand;
use playself::stats::{Counting, Elo, GameModel, GameVariance, Hypothesis, OperatingCurve, SprtSimulation};
use serde::Serialize;

use crate::simulate_tune::TuneArguments;
use crate::stats::TestFlags;

/// Try a test or a tuner on simulated games, in seconds.
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
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: how often does a candidate without any gain pass?\n  \
    playself simulate sprt --elo 0 --elo0 0 --elo1 5 --runs 1000 --seed 1")]
struct SprtArguments {
    /// The candidate's true strength, on the scale of --model.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo: f64,

    #[command(flatten)]
    games: GameFlags,

    /// The strength of H0.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: f64,

    /// The strength of H1.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: f64,

    #[command(flatten)]
    test: TestFlags,

    /// Tests to run.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,

    /// Pairs in play at once; their length depends on their result.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    concurrency: NonZeroUsize,

    /// All chance follows from it.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// The games of a simulation.
#[derive(Debug, clap::Args)]
struct GameFlags {
    /// Share of draws between equals [default: 0.49].
    #[arg(long, value_name = "D")]
    draw_ratio: Option<f64>,

    /// What the openings are worth to one side [default: 191, or 0 where --draw-ratio is given].
    #[arg(long, value_name = "ELO")]
    bias: Option<f64>,
}

impl GameFlags {
    fn model(&self) -> anyhow::Result<GameModel> {
        let bias = self.bias.unwrap_or(if self.draw_ratio.is_some() { 0.0 } else { 191.0 });
        Ok(GameModel::new(self.draw_ratio.unwrap_or(0.49), Elo(bias))?)
    }
}

impl SimulateCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            Simulation::Sprt(arguments) => arguments.run(),
            Simulation::Tune(arguments) => arguments.run(),
        }
    }
}

#[derive(Debug, Serialize)]
struct SprtSummary {
    runs: u64,
    accepted_h1: u64,
    accepted_h0: u64,
    mean_pairs: Option<f64>,
    p95_pairs: Option<f64>,
}

impl SprtArguments {
    fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.test.config(self.elo0, self.elo1)?;
        let games = self.games.model()?;
        anyhow::ensure!(
            self.elo.abs() <= 500.0,
            "--elo {} is beyond ±500, where no test is needed",
            self.elo
        );
        let truth = games.difference(config.model, self.elo);
        let odds = games.odds(truth);
        let (concurrency, seed) = (self.concurrency, self.seed);
        let tests =
            SprtSimulation { config, odds, seed, concurrency, counting: Counting::Schedule }.run(self.runs);
        let mut lengths: Vec<u64> = tests.iter().map(|test| test.seen.pairs()).collect();
        lengths.sort_unstable();
        let accepted_h1 = tests.iter().filter(|test| test.accepted == Hypothesis::Alternative).count() as u64;
        let total: u64 = lengths.iter().sum();
        let summary = SprtSummary {
            runs: self.runs,
            accepted_h1,
            accepted_h0: self.runs - accepted_h1,
            mean_pairs: (self.runs > 0).then(|| total as f64 / self.runs as f64),
            p95_pairs: lengths
                .get((lengths.len() * 95).div_ceil(100).saturating_sub(1))
                .map(|&pairs| pairs as f64),
        };
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&summary)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let share = 100.0 * accepted_h1 as f64 / self.runs.max(1) as f64;
        writeln!(out, "Runs         {}", summary.runs)?;
        writeln!(out, "Passed       {accepted_h1} ({share:.2} %)")?;
        writeln!(out, "Pairs, mean  {:.0}", summary.mean_pairs.unwrap_or_default())?;
        writeln!(out, "Pairs, p95   {:.0}", summary.p95_pairs.unwrap_or_default())?;
        if let Some(variance) = GameVariance::measured(odds.game_variance()) {
            let curve = OperatingCurve::new(&config, variance).with_overshoot();
            let (pass, pairs) = (100.0 * curve.pass_probability(truth), curve.expected_pairs(truth));
            writeln!(out, "Foretold     {pass:.2} % after {pairs:.0} pairs on average")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
