//! `playself texel`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use playself::cli::number_lists::count;
use playself::commands::{Console, Failure, OrFailure, TexelRequest, answer, fit_weights, processors};
use playself::frontend::options::EngineOptions;
use playself::texel::{Scale, Selection, TexelPlan};

/// Fit the weights of the evaluation to positions with results
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  playself data make --out games.bin
  playself texel games.bin --out tuned.toml")]
pub(crate) struct TexelCommand {
    /// Files of `playself data make`, EPD or FEN lists with results, or PGN games
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// File for the tuned weights
    #[arg(long, value_name = "FILE.toml", default_value = "weights-tuned.toml")]
    out: PathBuf,
    /// Weights to start from, as `name = value` lines [default: those of the engine]
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
    /// Start of one weight, applied after the file; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Maximum number of passes over the data
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = count(0..=1_000_000))]
    epochs: usize,
    /// Number of rounds; each recomputes the coefficients of all positions with the weights of the round before
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(0..=1000))]
    rounds: usize,
    /// Positions per step
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = count(0..=1 << 30))]
    batch: usize,
    /// Length of the first steps, in declared steps of each weight
    #[arg(long, value_name = "STEPS", default_value_t = 0.25)]
    pace: f64,
    /// Expected distance of a weight from its start, in declared steps; 0 for no such expectation
    #[arg(long, value_name = "STEPS", default_value_t = 12.0)]
    spread: f64,
    /// Share of the game result in the target, 0 to 1, or `auto`; the rest is the expected result of the search score
    #[arg(long, value_name = "SHARE", default_value = "0.7", value_parser = result_share)]
    result_share: ResultShare,
    /// Largest number of positions of one game [default: all]
    #[arg(long, value_name = "N", value_parser = count(1..=100_000))]
    per_game: Option<usize>,
    /// Scale k of 1 / (1 + 10^(-k · score / 400)) [default: fitted]
    #[arg(long, value_name = "K")]
    scale: Option<f64>,
    /// Random seed of the order of the data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = count(0..=1024))]
    threads: Option<usize>,
    /// Print the result as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// A share of the results, or `None` to choose it.
#[derive(Clone, Copy, Debug)]
struct ResultShare(Option<f64>);

fn result_share(text: &str) -> Result<ResultShare, String> {
    if text == "auto" {
        return Ok(ResultShare(None));
    }
    let share: Option<f64> = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share
        .map(|share| ResultShare(Some(share)))
        .ok_or_else(|| "expected a number from 0 to 1, or `auto`".to_owned())
}

impl TexelCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        self.check().or_usage()?;
        let options = EngineOptions::load(self.weights.as_deref(), &self.set).map_err(Failure::usage)?;
        let plan = TexelPlan {
            epochs: self.epochs,
            batch: self.batch,
            learning_rate: self.pace,
            spread: (self.spread > 0.0).then_some(self.spread),
            scale: self.scale.map(Scale),
            seed: self.seed,
            ..TexelPlan::with_threads(self.threads.unwrap_or_else(processors))
        };
        let request = TexelRequest {
            data: self.data,
            start: options.weights,
            plan,
            result_share: self.result_share.0,
            selection: Selection { per_game: self.per_game },
            rounds: self.rounds,
        };
        let summary = fit_weights(&request, &self.out, Console::Text)?;
        if self.json {
            answer(serde_json::to_string(&summary).or_fault()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn check(&self) -> anyhow::Result<()> {
        for (name, number) in [("--pace", Some(self.pace)), ("--scale", self.scale)] {
            let is_positive = number.is_none_or(|number| number.is_finite() && number > 0.0);
            ensure!(is_positive, "{name} must be a number above 0");
        }
        ensure!(self.spread.is_finite() && self.spread >= 0.0, "--spread must be 0 or more");
        let counts = [("--epochs", self.epochs), ("--rounds", self.rounds), ("--batch", self.batch)];
        for (name, count) in counts.into_iter().chain(self.threads.map(|threads| ("--threads", threads))) {
            ensure!(count > 0, "{name} must be at least 1");
        }
        Ok(())
    }
}
