//! Texel tuning: the weights of the evaluation, fitted to positions with results.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use crate::commands::console::Console;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::output_file::require_folder_of;
use crate::engine::{Declared, Evaluator, Weights};
use crate::store::open_regular;
use crate::texel::{Sample, SourceError, TexelPlan, Tuned, read_positions, tune};

/// With fewer positions nothing can be held out.
const MIN_POSITIONS: usize = 4096;

/// Parameters of a fit.
#[derive(Clone, Debug)]
pub struct TexelRequest {
    /// Files of positions with results.
    pub data: Vec<PathBuf>,
    /// Weights to start from.
    pub start: Weights,
    /// Parameters of each round.
    pub plan: TexelPlan,
    /// Number of rounds; each starts from the weights of the one before.
    pub rounds: usize,
}

/// Result of a fit. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct TexelSummary {
    pub epochs: usize,
    pub held_out_after: f64,
    pub held_out_before: f64,
    pub held_out_positions: usize,
    pub positions: usize,
    pub scale: f64,
    pub seconds: f64,
    pub weights: PathBuf,
}

/// Fits the weights and writes them to `path`. Progress is printed on standard error.
pub fn fit_weights(request: &TexelRequest, path: &Path, console: Console) -> Result<TexelSummary, Failure> {
    require_folder_of(path)?;
    let started = Instant::now();
    let samples = read_samples(request, console)?;
    let count = samples.len();
    if count < MIN_POSITIONS {
        return Err(Failure::usage(format_args!(
            "{count} positions are too few: at least {MIN_POSITIONS} are needed"
        )));
    }
    console.print_progress(&format!("{count} positions read in {:.1} s", started.elapsed().as_secs_f64()));
    let tuned = fit_rounds(request, &samples, console);
    let [before, after] = tuned.held_out;
    let [learnt, held_out] = tuned.positions;
    let scale = tuned.scale.0;
    let head = format!(
        "# Tuned on {learnt} positions, {held_out} held out; scale {scale:.4}.\n\
         # Held-out loss {before:.6} before, {after:.6} after.\n\n",
    );
    fs::write(path, head + &tuned.weights.to_text())
        .with_context(|| format!("{} cannot be written", path.display()))
        .or_fault()?;
    if !tuned.unmoved.is_empty() {
        console.print_progress(&format!(
            "no position has an effect on {}; a weight that only counts in a product with weights of 0 moves once some of \
             them start at another value, by --set",
            tuned.unmoved.join(", ")
        ));
    }
    let seconds = started.elapsed().as_secs_f64();
    console.print_progress(&format!(
        "scale {scale:.4}, held-out loss {before:.6} -> {after:.6}, {} epochs, {seconds:.1} s; weights in {}",
        tuned.epochs,
        path.display()
    ));
    Ok(TexelSummary {
        epochs: tuned.epochs,
        held_out_after: after,
        held_out_before: before,
        held_out_positions: held_out,
        positions: learnt,
        scale,
        seconds,
        weights: path.to_owned(),
    })
}

fn read_samples(request: &TexelRequest, console: Console) -> Result<Vec<Sample>, Failure> {
    let mut evaluator = Evaluator::new(request.start.clone());
    let mut samples = Vec::new();
    for path in &request.data {
        let name = path.display();
        let file = open_regular(path).with_context(|| format!("{name} cannot be opened")).or_usage()?;
        let read = read_positions(BufReader::new(file), &mut evaluator, |sample| samples.push(sample));
        let read = read.map_err(|error| match error {
            SourceError::Io(_) => Failure::Fault(error.into()),
            error => Failure::Usage(error.into()),
        });
        let report = read.map_err(|failure| failure.context(format!("{name} cannot be used")))?;
        if report.skipped_games > 0 {
            console.print_progress(&format!("{name}: skipped {} unreadable games", report.skipped_games));
        }
    }
    Ok(samples)
}

fn fit_rounds(request: &TexelRequest, samples: &[Sample], console: Console) -> Tuned {
    let mut print_epoch = |epoch: crate::texel::EpochReport| {
        let text = format!("epoch {:3}  loss {:.6}  held out {:.6}", epoch.epoch, epoch.loss, epoch.held_out);
        console.print_progress(&text);
    };
    let mut plan = request.plan.clone();
    let mut tuned = tune(samples, &request.start, &plan, &mut print_epoch);
    for _ in 1..request.rounds {
        plan.scale = Some(tuned.scale);
        let next = tune(samples, &tuned.weights, &plan, &mut print_epoch);
        tuned = Tuned { held_out: [tuned.held_out[0], next.held_out[1]], ..next };
    }
    tuned
}
