//! The text at the top of a page: result, conditions and figures.

use crate::report::files::NOTED_SHARE;
use crate::report::number_text::{chance_text, duration, estimate_text, grouped, percentage, signed};
use crate::report::page::PageSetting;
use crate::report::page::html::PageContext;
use crate::report::{Summary, TableRow, TuningSummary, conditions, engine_conditions};
use crate::run::Plan;
use crate::tuning::ParameterEffect;

/// Returns the text of a page outside its sections. `hosts` are the machines that played the run.
pub(super) fn page_context(
    plan: &Plan,
    summary: &Summary,
    hosts: &[String],
    setting: &PageSetting,
) -> PageContext {
    let command = match (plan.tuner(), &plan.sprt()) {
        (Some(_), _) => "tune",
        (None, Some(_)) => "sprt",
        (None, None) => "match",
    };
    let engine_conditions = engine_conditions(plan);
    PageContext {
        name: plan.name.clone(),
        sentence: summary.sentence(),
        engines: engine_conditions.iter().map(|engine| engine.name.clone()).collect(),
        conditions: conditions(plan, hosts),
        engine_conditions,
        unfinished: None,
        gap: caution(summary),
        figures: figures(summary),
        plan: setting.plan_text.clone(),
        repeat: format!("playself {command} plan.toml"),
        written: setting.written.clone(),
    }
}

/// Returns what a reader must know before the result.
fn caution(summary: &Summary) -> Option<String> {
    let notes: Vec<String> = fault_note(summary).into_iter().chain(starvation_note(summary)).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Returns the note that the result is one of the machine, too.
fn starvation_note(summary: &Summary) -> Option<String> {
    summary.starvation().map(|text| text + ".")
}

/// Returns the note that the result is one of faults rather than of play.
fn fault_note(summary: &Summary) -> Option<String> {
    let games = summary.all_games();
    let is_noted = summary.faults > 0 && summary.faults.saturating_mul(NOTED_SHARE) >= games;
    is_noted.then(|| {
        let (faults, games) = (grouped(summary.faults), grouped(games));
        format!("{faults} of {games} games were decided by a fault of an engine, not by its play: see Faults below.")
    })
}

/// Returns label and value of the figures of a summary.
fn figures(summary: &Summary) -> Vec<(String, String)> {
    let mut figures = match &summary.tuning {
        Some(tuning) => tuning_figures(tuning, summary),
        None if !summary.table.is_empty() => tournament_figures(summary),
        None => match_figures(summary),
    };
    figures.push(("Faults", grouped(summary.faults)));
    // The time of a run is known up to its last pair.
    if summary.all_games() > 0 {
        figures.push(("Playing time", playing_time(summary.seconds)));
    }
    figures.into_iter().map(|(label, value)| (label.to_owned(), value)).collect()
}

/// Returns the playing time, of which a run has some even if it is shorter than a second.
fn playing_time(seconds: f64) -> String {
    if seconds > 0.0 && seconds < 1.0 { "< 1 s".to_owned() } else { duration(seconds) }
}

fn tournament_figures(summary: &Summary) -> Vec<(&'static str, String)> {
    let games = summary.all_games();
    let draws = summary.table.iter().map(|row| row.draws).sum::<u64>() / 2;
    let leader = summary.table.first();
    vec![
        ("Leader", leader.map_or_else(|| "–".to_owned(), |row| row.name.clone())),
        ("Rating of the leader", leader.map_or_else(|| "–".to_owned(), TableRow::rating_text)),
        ("Engines", summary.table.len().to_string()),
        ("Games", grouped(games)),
        ("Drawn games", percent((games > 0).then(|| draws as f64 / games as f64))),
    ]
}

fn match_figures(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut figures = vec![
        ("Elo", summary.elo_text()),
        ("Normalized Elo", estimate_text(summary.nelo, summary.nelo_error)),
        ("Likelihood of superiority", summary.los.map_or_else(|| "–".to_owned(), chance_text)),
    ];
    figures.extend(llr_text(summary).map(|llr| ("LLR", llr)));
    figures.extend([
        ("Games", grouped(summary.games)),
        (
            "Won – drawn – lost",
            format!("{} – {} – {}", grouped(summary.wins), grouped(summary.draws), grouped(summary.losses)),
        ),
        ("Even pairs", percent(summary.draw_ratio)),
    ]);
    figures
}

fn tuning_figures(tuning: &TuningSummary, summary: &Summary) -> Vec<(&'static str, String)> {
    let dead = tuning.parameters.iter().filter(|weight| weight.effect == ParameterEffect::NotSeen).count();
    // Without a change there is no gain to estimate, and ± 0 would look like certainty.
    let has_moved = tuning.parameters.iter().any(|weight| weight.best != weight.start);
    let gain = tuning.gain.filter(|_| has_moved);
    let mut figures = Vec::new();
    if let Some(test) = &tuning.test {
        figures.push(("Measured gain, Elo", test.elo_text()));
        figures.extend(llr_text(test).map(|llr| ("LLR of the acceptance test", llr)));
        figures.push(("Games of the test", grouped(test.games)));
    }
    figures.extend([
        (
            "Estimated gain, Elo",
            gain.map_or_else(
                || "–".to_owned(),
                |gain| format!("{} ± {:.1}", signed(gain.elo.0, 1), gain.error.0),
            ),
        ),
        (
            "Remaining gain, Elo",
            tuning.remaining_loss.map_or_else(|| "–".to_owned(), |left| format!("{:.1}", left.0)),
        ),
        ("Weights", tuning.parameters.len().to_string()),
        ("Weights without effect", dead.to_string()),
        ("Pairs", grouped(summary.pairs)),
        ("Games", grouped(summary.games)),
    ]);
    figures
}

/// Returns the log-likelihood ratio with its bounds, or `None` without a test.
fn llr_text(summary: &Summary) -> Option<String> {
    let (llr, lower, upper) = (summary.llr?, summary.llr_lower?, summary.llr_upper?);
    Some(format!("{} ({} to {})", signed(llr, 2), signed(lower, 2), signed(upper, 2)))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percentage)
}
