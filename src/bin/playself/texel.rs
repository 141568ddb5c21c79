//! `playself texel`: the evaluation's weights tuned to positions with results.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};
use playself::engine::{Declared, Evaluator, Weights};
use playself::texel::{EpochReport, Plan, Sample, Scale, Tuned, read_positions, tune};

use crate::data::cores;

/// Tune the evaluation's weights to positions with results.
#[derive(Debug, clap::Args)]
pub(crate) struct TexelCommand {
    /// Files of `playself data make`, EPD or FEN lists with results, or PGN games.
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Where the tuned weights go.
    #[arg(long, value_name = "FILE.toml", default_value = "weights-tuned.toml")]
    out: PathBuf,
    /// The weights to start from; the defaults if left out.
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
    /// One weight, set after the file is read; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Passes over the data at most.
    #[arg(long, default_value_t = 60)]
    epochs: usize,
    /// Runs behind each other, each taking the coefficients down afresh with the weights of the one before.
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Positions per step.
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// Length of the first steps, in declared steps of each weight.
    #[arg(long, default_value_t = 0.25)]
    pace: f64,
    /// How many declared steps a weight is expected to lie from its start; 0 for no such expectation.
    #[arg(long, default_value_t = 12.0)]
    spread: f64,
    /// The share of the game's result in the target, 0 to 1; the rest is what the search's score promised.
    #[arg(long, default_value_t = 0.7)]
    result_share: f64,
    /// The scale k of 1 / (1 + 10^(-k · score / 400)); fitted if left out.
    #[arg(long)]
    scale: Option<f64>,
    /// Shuffles the data.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores if left out.
    #[arg(long)]
    threads: Option<usize>,
    /// One line of JSON on standard output at the end.
    #[arg(long)]
    json: bool,
}

impl TexelCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        ensure!((0.0..=1.0).contains(&self.result_share), "--result-share must lie between 0 and 1");
        for (name, number) in [("--pace", Some(self.pace)), ("--scale", self.scale)] {
            let above_zero = number.is_none_or(|number| number.is_finite() && number > 0.0);
            ensure!(above_zero, "{name} must be a number above 0");
        }
        ensure!(self.spread.is_finite() && self.spread >= 0.0, "--spread must be 0 or more");
        let counts = [("--epochs", self.epochs), ("--rounds", self.rounds), ("--batch", self.batch)];
        for (name, count) in counts.into_iter().chain(self.threads.map(|threads| ("--threads", threads))) {
            ensure!(count > 0, "{name} must be 1 or more");
        }
        let started = Instant::now();
        let start = weights_of(self.weights.as_deref(), &self.set)?;
        let samples = self.samples(&start)?;
        ensure!(samples.len() >= 4096, "{} positions are too few to tune with", samples.len());
        say(&format!("{} positions read in {:.1} s", samples.len(), started.elapsed().as_secs_f64()));

        let mut plan = self.plan();
        let mut tuned = tune(&samples, &start, &plan, &mut tell);
        for _ in 1..self.rounds.max(1) {
            plan.scale = Some(tuned.scale);
            let next = tune(&samples, &tuned.weights, &plan, &mut tell);
            tuned = Tuned { held_out: [tuned.held_out[0], next.held_out[1]], ..next };
        }
        self.finish(&tuned, started)
    }

    fn plan(&self) -> Plan {
        Plan {
            epochs: self.epochs,
            batch: self.batch,
            pace: self.pace,
            spread: (self.spread > 0.0).then_some(self.spread),
            result_share: self.result_share,
            scale: self.scale.map(Scale),
            seed: self.seed,
            ..Plan::with_threads(self.threads.unwrap_or_else(cores).max(1))
        }
    }

    fn samples(&self, start: &Weights) -> anyhow::Result<Vec<Sample>> {
        let mut evaluator = Evaluator::new(start.clone());
        let mut samples = Vec::new();
        for path in &self.data {
            let name = path.display();
            let file = File::open(path).with_context(|| format!("could not open {name}"))?;
            let read = read_positions(BufReader::new(file), &mut evaluator, |sample| samples.push(sample))
                .with_context(|| format!("{name} could not be used"))?;
            if read.skipped_games > 0 {
                say(&format!("{name}: {} games could not be read and were left out", read.skipped_games));
            }
        }
        Ok(samples)
    }

    fn finish(&self, tuned: &Tuned, started: Instant) -> anyhow::Result<ExitCode> {
        let [before, after] = tuned.held_out;
        let [learnt, held_out] = tuned.positions;
        let head = format!(
            "# Tuned on {learnt} positions, {held_out} held out; scale {:.4}.\n\
             # Held-out loss {before:.6} before, {after:.6} after.\n\n",
            tuned.scale.0
        );
        let name = self.out.display();
        std::fs::write(&self.out, head + &tuned.weights.to_text())
            .with_context(|| format!("could not write {name}"))?;
        if !tuned.unmoved.is_empty() {
            say(&format!(
                "no position pulled at {}; a weight that counts only in a product with zeros moves once some of them \
                 are given another start, by --set",
                tuned.unmoved.join(", ")
            ));
        }
        let seconds = started.elapsed().as_secs_f64();
        say(&format!(
            "scale {:.4}, held-out loss {before:.6} -> {after:.6}, {} epochs, {seconds:.1} s; weights in {name}",
            tuned.scale.0, tuned.epochs
        ));
        if self.json {
            let line = serde_json::json!({
                "positions": learnt, "held_out_positions": held_out, "scale": tuned.scale.0,
                "held_out_before": before, "held_out_after": after, "epochs": tuned.epochs,
                "seconds": seconds, "weights": self.out,
            });
            writeln!(std::io::stdout(), "{line}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn tell(report: EpochReport) {
    say(&format!("epoch {:3}  loss {:.6}  held out {:.6}", report.epoch, report.loss, report.held_out));
}

/// A line for the person watching, on standard error.
fn say(line: &str) {
    // Progress that nobody can read any more is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The default weights with a file, then single assignments, on top.
pub(crate) fn weights_of(file: Option<&Path>, assignments: &[String]) -> anyhow::Result<Weights> {
    let mut weights = Weights::default();
    if let Some(path) = file {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("could not read {name}"))?;
        weights.read_text(&text).with_context(|| format!("{name} is no weights file"))?;
    }
    for assignment in assignments {
        weights.assign(assignment).with_context(|| format!("--set {assignment}"))?;
    }
    Ok(weights)
}
