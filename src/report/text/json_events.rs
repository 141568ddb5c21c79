//! The events of a run as JSON, one object per line, for scripts.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::chess::Color;
use crate::journal::GameEntry;
use crate::report::Summary;
use crate::run::{AfterRun, CountedPair, Observer, RunEvent, RunOutcome, RunView};
use crate::tuning::TuningReport;

/// Writes and flushes every event of a run as it happens.
pub struct JsonEvents<W> {
    out: W,
}

impl<W: Write + Send> JsonEvents<W> {
    /// Returns an observer that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    fn line(&mut self, value: &Value) -> io::Result<()> {
        writeln!(self.out, "{value}")?;
        self.out.flush()
    }
}

impl<W: Write + Send> Observer for JsonEvents<W> {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::GameStarted { .. } | RunEvent::Boards(_) | RunEvent::Fault(_) => Ok(()),
            RunEvent::Started => self.line(&json!({
                "event": "start",
                "name": view.plan.name,
                "engines": view.plan.engines.iter().map(|engine| &engine.spec.name).collect::<Vec<_>>(),
                "seed": view.plan.seed,
                "pairs": view.state.counted(),
            })),
            RunEvent::GameFinished(game) => self.line(&game_line(game, view)),
            RunEvent::Counted(pair) => {
                self.line(&pair_line(pair))?;
                self.line(&progress_line(view))
            }
            RunEvent::Warning(text) => self.line(&json!({ "event": "warning", "text": text })),
            RunEvent::Finished(outcome) => {
                let Some(tuner) = view.state.tuner() else { return self.line(&verdict_line(outcome, view)) };
                let report = tuner.final_report();
                self.line(&tuned_line(&report))?;
                // The verdict comes last: if a test of the tuned values follows, it is the verdict of the test.
                if let AfterRun::Test(_) = AfterRun::of(view.plan, view.state, outcome) {
                    return Ok(());
                }
                self.line(&verdict_line(outcome, view))
            }
        }
    }
}

/// Returns the event that stands for events that were dropped because they were not read.
pub fn lost_lines_event(lines: u64) -> String {
    let text = format!("{lines} events were dropped here, because they were not read");
    json!({ "event": "warning", "text": text }).to_string()
}

fn game_line(game: &GameEntry, view: &RunView<'_>) -> Value {
    let fault = game.ending.failed_side().map(|side| {
        json!({
            "engine": view.plan.name_of(if side == Color::White { game.white } else { game.black }),
            "reason": game.ending.termination.to_string(),
        })
    });
    json!({
        "event": "game",
        "pair": game.pair + 1,
        "game": game.game.number(),
        "white": view.plan.name_of(game.white),
        "black": view.plan.name_of(game.black),
        "result": game.ending.result.text(),
        "reason": game.ending.termination.to_string(),
        "plies": game.plies(),
        "fault": fault,
    })
}

/// Returns the points of the first engine of a pair, in both games or in the only one.
fn candidate_points(pair: &CountedPair) -> f64 {
    let first = pair.fixture.engines[0];
    let half_points = |game: &GameEntry| {
        let side = if game.white == first { Color::White } else { Color::Black };
        f64::from(game.ending.result.half_points(side))
    };
    pair.games.iter().map(half_points).sum::<f64>() / 2.0
}

fn pair_line(pair: &CountedPair) -> Value {
    json!({
        "event": "pair",
        "pair": pair.pair + 1,
        "opening": pair.games[0].opening + 1,
        "candidate_points": candidate_points(pair),
        "llr": pair.llr,
    })
}

fn progress_line(view: &RunView<'_>) -> Value {
    let summary = Summary::of(view);
    json!({
        "event": "progress",
        "pairs": summary.pairs,
        "max_pairs": view.plan.last_pair(),
        "pentanomial": summary.pentanomial,
        "elo": summary.elo,
        "elo_error": summary.elo_error,
        "llr": summary.llr,
        "faults": summary.faults,
        "seconds": summary.seconds,
    })
}

fn tuned_line(report: &TuningReport) -> Value {
    let mut line = serde_json::to_value(report).unwrap_or_default();
    line["event"] = "tuned".into();
    line
}

fn verdict_line(outcome: &RunOutcome, view: &RunView<'_>) -> Value {
    let mut line = serde_json::to_value(Summary::of(view)).unwrap_or_default();
    line["event"] = "verdict".into();
    line["outcome"] = match outcome {
        RunOutcome::Finished => "finished",
        RunOutcome::Decided(_) => "decided",
        RunOutcome::Undecided => "undecided",
        RunOutcome::Interrupted => "interrupted",
        RunOutcome::Quarantined(_) | RunOutcome::Faulty(_) => "fault",
    }
    .into();
    if let RunOutcome::Quarantined(why) | RunOutcome::Faulty(why) = outcome {
        line["why"] = why.as_str().into();
    }
    line
}
