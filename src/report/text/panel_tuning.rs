//! The weights of a tuning run in the terminal panel.

use crate::report::number_text::signed;
use crate::report::text::ansi_screen::Ink;
use crate::report::text::panel::{fit, with_sparks};
use crate::report::text::sparkline::Trend;
use crate::report::text::tuning_block::{effect_word, most_moved, short};
use crate::run::RunView;
use crate::tuning::{ParameterEffect, ParameterReport, TuningReport};

/// Returns the estimated gain and the weights, in at most `room` lines.
pub(super) fn tuning(view: &RunView<'_>, trend: &Trend, ink: Ink, width: usize, room: usize) -> Vec<String> {
    let Some(tuner) = view.state.tuner() else { return Vec::new() };
    // The result of a finished run is the one in its files.
    let report = if view.state.outcome().is_some() { tuner.final_report() } else { tuner.report() };
    let mut lines = vec![gain(&report, trend, ink, width)];
    let count =
        |effect: ParameterEffect| report.parameters.iter().filter(|weight| weight.effect == effect).count();
    let mut summary = format!("Weights {}", report.parameters.len());
    if report.gain.is_some() {
        let (clear, none) = (count(ParameterEffect::Clear), count(ParameterEffect::NotSeen));
        summary.push_str(&format!(": {clear} with a clear effect, {none} with none seen"));
    }
    lines.push(fit(&summary, width));
    let room = room.saturating_sub(lines.len());
    let shown = rows(&report, room);
    let name = shown.iter().map(|weight| weight.name.chars().count()).max().unwrap_or(0).min(32);
    lines.extend(shown.iter().map(|weight| ink.soft(&fit(&row(weight, name), width))));
    let hidden = report.parameters.len() - shown.len();
    if hidden > 0 && room > 0 {
        lines.push(ink.soft(&format!("        and {hidden} more, in weights.toml")));
    }
    lines
}

/// Returns the line of the estimated gain, or why there is none.
fn gain(report: &TuningReport, trend: &Trend, ink: Ink, width: usize) -> String {
    let Some(gain) = report.gain else {
        return fit("Gain    this method does not estimate it; an [accept] test measures it", width);
    };
    if report.is_at_start() {
        return fit("Gain    none yet: the best values so far are those of the start", width);
    }
    let high = trend.elo().iter().copied().fold(1.0, f64::max);
    let figures = format!("{} ± {:.1} Elo estimated", signed(gain.elo.0, 1), gain.error.0);
    let colour = |text: &str| if gain.elo.0 > gain.error.0 { ink.good(text) } else { text.to_owned() };
    with_sparks("Gain", &figures, (trend.elo(), (0.0, high)), width, colour)
}

/// Returns the weights that fit, those that moved furthest, in the order of the plan, so that rows keep their places.
fn rows(report: &TuningReport, room: usize) -> Vec<&ParameterReport> {
    if report.parameters.len() <= room {
        return report.parameters.iter().collect();
    }
    let mut chosen = most_moved(report);
    chosen.truncate(room.saturating_sub(1));
    report.parameters.iter().filter(|weight| chosen.iter().any(|other| other.name == weight.name)).collect()
}

fn row(weight: &ParameterReport, name: usize) -> String {
    let interval = weight.interval.map_or(String::new(), |[low, high]| {
        format!("95 %: {} to {}", short(low, weight), short(high, weight))
    });
    let (start, best) = (short(weight.start, weight), short(weight.best, weight));
    let change =
        if start == best { format!("{start:>8}           ") } else { format!("{start:>8} → {best:<8}") };
    // The effect states whether the weight matters, not whether it has moved.
    let effect = if weight.interval.is_some() { effect_word(weight.effect) } else { "" };
    format!("        {:<name$} {change}  {interval:<24} {effect}", fit(&weight.name, name))
        .trim_end()
        .to_owned()
}
