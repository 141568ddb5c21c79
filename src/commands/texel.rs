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
use crate::texel::{
    EpochReport, Sample, Selection, SourceError, TexelPlan, TrainingSet, Tuned, read_positions, tune,
};

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
    /// Share of the results in the targets; `None` to choose it by the held-out loss.
    pub result_share: Option<f64>,
    /// Which positions of each game are used.
    pub selection: Selection,
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
    pub duplicates: usize,
    pub positions: usize,
    pub result_share: f64,
    pub scale: f64,
    pub search_scale: Option<f64>,
    pub seconds: f64,
    pub weights: PathBuf,
}

/// Fits the weights and writes them to `path`. Progress is printed on standard error.
pub fn fit_weights(request: &TexelRequest, path: &Path, console: Console) -> Result<TexelSummary, Failure> {
    require_folder_of(path)?;
    let started = Instant::now();
    let samples = read_samples(request, console)?;
    let positions = TrainingSet::new(&samples, request.selection);
    drop(samples);
    let count = positions.len();
    if u32::try_from(count).is_err() {
        return Err(Failure::usage(format_args!("{count} positions are more than {} at a time", u32::MAX)));
    }
    if count < MIN_POSITIONS {
        return Err(Failure::usage(format_args!(
            "{count} positions are too few: at least {MIN_POSITIONS} are needed"
        )));
    }
    console.print_progress(&format!(
        "{count} positions read in {:.1} s, {} duplicates merged",
        started.elapsed().as_secs_f64(),
        positions.duplicates
    ));
    let (result_share, tuned) = fit_share(request, &positions, console);
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
        duplicates: positions.duplicates,
        positions: learnt,
        result_share,
        scale,
        search_scale: tuned.search_scale.map(|scale| scale.0),
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
        // Games of different files have different numbers.
        let first = samples.last().map_or(0, |sample: &Sample| sample.game + 1);
        let read = read_positions(BufReader::new(file), &mut evaluator, |sample| {
            samples.push(Sample { game: first.saturating_add(sample.game), ..sample });
        });
        let read = read.map_err(|error| match error {
            SourceError::Io(_) => Failure::Fault(error.into()),
            error => Failure::Usage(error.into()),
        });
        let report = read.map_err(|failure| failure.context(format!("{name} cannot be used")))?;
        for (count, what) in [
            (report.skipped_games, "unreadable games"),
            (report.unfit_games, "games that ended on time or by a fault"),
        ] {
            if count > 0 {
                console.print_progress(&format!("{name}: skipped {count} {what}"));
            }
        }
    }
    Ok(samples)
}

/// Shares of the results that are tried if none is given.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Fits with the given share of the results, or with each of [`SHARES`]; then the one whose weights predict the results of the
/// held-out games best is kept.
fn fit_share(request: &TexelRequest, positions: &TrainingSet, console: Console) -> (f64, Tuned) {
    let fit = |share: f64| {
        let plan = TexelPlan { result_share: share, ..request.plan.clone() };
        (share, fit_rounds(request, plan, positions, console))
    };
    let has_scores = positions.positions().iter().any(|position| position.score.is_some());
    let Some(share) = request.result_share.or((!has_scores).then_some(1.0)) else {
        let tried = SHARES.map(|share| {
            let (share, tuned) = fit(share);
            console.print_progress(&format!(
                "result share {share}: held-out loss of results {:.6}",
                tuned.held_out_results
            ));
            (share, tuned)
        });
        let best = |one: &(f64, Tuned), other: &(f64, Tuned)| {
            one.1.held_out_results.total_cmp(&other.1.held_out_results)
        };
        return tried.into_iter().min_by(best).expect("some shares are tried");
    };
    fit(share)
}

fn fit_rounds(
    request: &TexelRequest,
    mut plan: TexelPlan,
    positions: &TrainingSet,
    console: Console,
) -> Tuned {
    let mut print_epoch = |epoch: EpochReport| {
        let text = format!("epoch {:3}  loss {:.6}  held out {:.6}", epoch.epoch, epoch.loss, epoch.held_out);
        console.print_progress(&text);
    };
    let mut tuned = tune(positions, &request.start, &plan, &mut print_epoch);
    for _ in 1..request.rounds {
        plan.scale = Some(tuned.scale);
        let next = tune(positions, &tuned.weights, &plan, &mut print_epoch);
        tuned = Tuned { held_out: [tuned.held_out[0], next.held_out[1]], ..next };
    }
    tuned
}
