//! Pilots: a few pairs played to measure the cost of a run.

use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::openings::PlannedOpenings;
use crate::commands::start::play_new;
use crate::run::{Plan, RunKind, RunOutcome, plan_to_toml};
use crate::stats::Pentanomial;
use crate::store::{RunFolder, TempFolder};

/// Result of a pilot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pilot {
    /// Duration per pair, at the concurrency of the plan.
    pub seconds_per_pair: f64,
    /// Results of the pairs.
    pub pentanomial: Pentanomial,
    /// Share of drawn games.
    pub draw_ratio: f64,
}

/// Plays `pairs` pairs of `plan` in a temporary folder.
pub fn pilot(plan: &Plan, pairs: u64, environment: &Environment) -> Result<Pilot, Failure> {
    let plan = Plan { kind: RunKind::Match { pairs }, ..plan.clone() };
    let place = TempFolder::create("playself-pilot").or_fault()?;
    let folder = RunFolder::create_at(place.path()).or_fault()?;
    play_pairs(plan, &folder, environment)
}

fn play_pairs(plan: Plan, folder: &RunFolder, environment: &Environment) -> Result<Pilot, Failure> {
    let openings = PlannedOpenings::open(&plan).or_usage()?;
    let text = plan_to_toml(&plan).or_fault()?;
    let run = play_new(plan, text, openings, folder, Vec::new(), Vec::new(), environment)?;
    match run.outcome {
        RunOutcome::Finished => {}
        RunOutcome::Interrupted => return Err(Failure::Interrupted("the pilot was interrupted".to_owned())),
        RunOutcome::Faulty(why) | RunOutcome::Quarantined(why) => {
            return Err(Failure::fault(format_args!("the pilot failed: {why}")));
        }
        RunOutcome::Decided(_) | RunOutcome::Undecided => {
            return Err(Failure::fault("the pilot ended as a test, which it is not"));
        }
    }
    let score = run.state.standings().main();
    let pairs = score.pentanomial.pairs().max(1) as f64;
    Ok(Pilot {
        seconds_per_pair: run.seconds / pairs,
        pentanomial: score.pentanomial,
        draw_ratio: score.games.draw_ratio().unwrap_or(0.0),
    })
}
