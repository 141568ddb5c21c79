//! Pilots: a few pairs played to measure the cost of a run.

use crate::commands::console::Console;
use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::commands::openings::PlannedOpenings;
use crate::commands::start::{NewRun, check_disk, play_new};
use crate::game::TimeControl;
use crate::player::DialogueTap;
use crate::report::counted;
use crate::run::{Plan, RunKind, RunOutcome, StopStyle, plan_to_toml};
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

/// Moves of each side in a game of usual length.
const USUAL_MOVES: f64 = 60.0;

/// Plays `pairs` pairs of `plan` in a temporary folder, and reports that. Ctrl-C stops it at once.
pub fn pilot(plan: &Plan, pairs: u64, console: Console, environment: &Environment) -> Result<Pilot, Failure> {
    let about =
        expected_seconds(plan, pairs).map_or(String::new(), |seconds| format!(", {}", in_words(seconds)));
    let pairs_text = counted(pairs, "pair");
    console.print_progress(&format!("Playing {pairs_text} to measure how long one takes{about}."));
    let plan = Plan { kind: RunKind::Match { pairs }, ..plan.clone() };
    let place = TempFolder::create("playself-pilot").or_fault()?;
    check_disk(place.path(), 2 * pairs, console).or_usage()?;
    let folder = RunFolder::create_at(place.path()).or_fault()?;
    play_pairs(plan, &folder, console, environment)
}

/// Returns the usual duration of `pairs` pairs; `None` if the plan does not limit the time.
pub(super) fn expected_seconds(plan: &Plan, pairs: u64) -> Option<f64> {
    let side = |limits: &TimeControl| -> Option<f64> {
        let clock = limits.clock.map(|rule| {
            let periods = rule.moves.map_or(1.0, |moves| (USUAL_MOVES / f64::from(moves.get())).ceil());
            0.8 * periods * rule.time.as_secs_f64() + USUAL_MOVES * rule.increment.as_secs_f64()
        });
        let moves = limits.movetime_ms.map(|ms| USUAL_MOVES * ms as f64 / 1000.0);
        clock.into_iter().chain(moves).reduce(f64::min)
    };
    let game = plan.engines.iter().take(2).map(|engine| side(&engine.limits)).sum::<Option<f64>>()?;
    Some(2.0 * game * pairs.div_ceil(plan.concurrency.max(1) as u64) as f64)
}

fn in_words(seconds: f64) -> String {
    match (seconds / 60.0).round() as u64 {
        0 => "less than a minute".to_owned(),
        1 => "about a minute".to_owned(),
        minutes => format!("about {minutes} minutes"),
    }
}

fn play_pairs(
    plan: Plan,
    folder: &RunFolder,
    console: Console,
    environment: &Environment,
) -> Result<Pilot, Failure> {
    let openings = PlannedOpenings::open(&plan).or_usage()?;
    let text = plan_to_toml(&plan).or_fault()?;
    let observers = console.progress_bar("Pilot");
    let run = NewRun {
        plan,
        plan_text: text,
        openings,
        folder,
        observers,
        warnings: Vec::new(),
        stops: StopStyle::AtOnce,
        stop: None,
        tap: DialogueTap::default(),
    };
    // A pilot measures this machine.
    let run = play_new(run, &environment.clone().on_fleet(None))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_to_words() {
        for (seconds, words) in
            [(3.0, "less than a minute"), (61.0, "about a minute"), (200.0, "about 3 minutes")]
        {
            assert_eq!(in_words(seconds), words);
        }
    }
}
