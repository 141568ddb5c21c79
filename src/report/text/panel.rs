//! A run in a few lines of at most eighty columns.

use crate::report::number_text::{duration, grouped, signed};
use crate::report::text::ansi_screen::Ink;
use crate::report::text::sparkline::{Trend, sparkline};
use crate::report::text::tuning_block::{most_moved, short};
use crate::report::{Summary, Verdict};
use crate::run::RunView;
use crate::run::control::RunPhase;
use crate::tuning::ParameterEffect;

/// Widest line; the last column is left to the terminal.
const WIDTH: usize = 79;
/// Width of a sparkline.
const SPARKS: usize = 32;
/// Number of games in progress that are listed.
const GAMES_SHOWN: usize = 4;

/// The line of a game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardLine {
    /// `pair.game`.
    pub round: String,
    /// Names of the engines, White first.
    pub names: [String; 2],
    /// Number of plies so far.
    pub plies: usize,
    /// The last move.
    pub last: Option<String>,
    /// The last score from White's side.
    pub score: Option<String>,
}

/// The content of a panel that does not come from the journal.
#[derive(Clone, Debug, Default)]
pub struct PanelStatus {
    /// Phase of the run; `None` if it is not running.
    pub phase: Option<RunPhase>,
    /// The games in progress.
    pub games: Vec<BoardLine>,
    /// The last incident.
    pub last_incident: Option<String>,
}

/// Returns the lines of the panel, each of at most eighty columns.
pub fn panel(view: &RunView<'_>, trend: &Trend, status: &PanelStatus, ink: Ink) -> Vec<String> {
    let summary = Summary::of(view);
    let mut lines = vec![title(&summary, view, status, ink), progress(&summary, view, status)];
    if view.plan.is_tuning() {
        lines.extend(tuning(view, trend, ink));
    } else {
        lines.push(score(&summary));
        lines.extend(elo(&summary, trend, ink));
        lines.extend(llr(&summary, trend, ink));
    }
    for game in status.games.iter().take(GAMES_SHOWN) {
        lines.push(ink.soft(&fit(&game_text(game), WIDTH)));
    }
    if status.games.len() > GAMES_SHOWN {
        lines.push(ink.soft(&format!("        and {} more games", status.games.len() - GAMES_SHOWN)));
    }
    if summary.faults > 0 || status.last_incident.is_some() {
        let last = status.last_incident.as_deref().map(|text| format!("  last: {text}")).unwrap_or_default();
        lines.push(ink.bad(&fit(&format!("Faults  {}{last}", grouped(summary.faults)), WIDTH)));
    }
    lines
}

fn title(summary: &Summary, view: &RunView<'_>, status: &PanelStatus, ink: Ink) -> String {
    let phase = status.phase.map_or("not running", RunPhase::word);
    let right = format!("{phase}  {}", duration(view.seconds));
    let room = WIDTH.saturating_sub(right.chars().count() + 2);
    let who = if view.plan.is_tuning() {
        summary.name.clone()
    } else {
        format!("{}: {} vs {}", summary.name, summary.candidate, summary.baseline)
    };
    let who = fit(&who, room);
    let gap = WIDTH - who.chars().count() - right.chars().count();
    format!("{}{:gap$}{}", ink.strong(&who), "", ink.soft(&right))
}

fn progress(summary: &Summary, view: &RunView<'_>, status: &PanelStatus) -> String {
    const BAR: usize = 20;
    let counted = view.state.counted();
    let rate = if summary.seconds > 0.0 { counted as f64 / summary.seconds } else { 0.0 };
    let speed = format!("{:.2} games/s", 2.0 * rate);
    let Some(most) = view.plan.last_pair() else {
        return fit(&format!("Pairs   {}   {speed}", grouped(counted)), WIDTH);
    };
    let share = counted as f64 / most.max(1) as f64;
    let full = ((share * BAR as f64) as usize).min(BAR);
    let bar: String = (0..BAR).map(|place| if place < full { '█' } else { '░' }).collect();
    let left = if rate > 0.0 && counted < most && status.phase == Some(RunPhase::Playing) {
        // A test may end at any pair; its limit is an upper bound.
        let word = if view.plan.sprt().is_some() { "≤ " } else { "" };
        format!("  {word}{} left", duration((most - counted) as f64 / rate))
    } else {
        String::new()
    };
    fit(&format!("Pairs   {} of {}  {bar}  {speed}{left}", grouped(counted), grouped(most)), WIDTH)
}

fn score(summary: &Summary) -> String {
    let [a, b, c, d, e] = summary.pentanomial.0;
    let games = format!("+{} ={} \u{2212}{}", summary.wins, summary.draws, summary.losses);
    fit(&format!("Games   {games}   pairs [{a}, {b}, {c}, {d}, {e}]"), WIDTH)
}

/// Returns a line with figures on the left and a sparkline on the right.
fn with_sparks(label: &str, figures: &str, sparks: &str, colour: impl Fn(&str) -> String) -> String {
    let left = fit(&format!("{label:<7} {figures}"), WIDTH - SPARKS - 2);
    let gap = WIDTH - SPARKS - left.chars().count();
    let (label, figures) = left.split_at(8.min(left.len()));
    format!("{label}{}{:gap$}{sparks}", colour(figures), "")
}

fn elo(summary: &Summary, trend: &Trend, ink: Ink) -> Option<String> {
    let (elo, error) = summary.elo.zip(summary.elo_error)?;
    let los = summary.los.map_or_else(String::new, |los| format!("   LOS {:.1} %", 100.0 * los));
    // The first estimates vary by hundreds of Elo, so the scale follows the later half.
    let later = &trend.elo()[trend.elo().len() / 2..];
    let range =
        later.iter().fold((0.0, 0.0), |(low, high): (f64, f64), &value| (low.min(value), high.max(value)));
    let colour = |text: &str| {
        if elo > error {
            ink.good(text)
        } else if elo < -error {
            ink.bad(text)
        } else {
            text.to_owned()
        }
    };
    let figures = format!("{} ± {error:.1}{los}", signed(elo, 1));
    Some(with_sparks("Elo", &figures, &sparkline(trend.elo(), range, SPARKS), colour))
}

fn llr(summary: &Summary, trend: &Trend, ink: Ink) -> Option<String> {
    let (llr, lower, upper) = (summary.llr?, summary.llr_lower?, summary.llr_upper?);
    let colour = |text: &str| match summary.verdict {
        Verdict::Accepted => ink.good(text),
        Verdict::Rejected => ink.bad(text),
        Verdict::Undecided | Verdict::NoTest => text.to_owned(),
    };
    let verdict = match summary.verdict {
        Verdict::Accepted => "  accepted",
        Verdict::Rejected => "  rejected",
        Verdict::Undecided | Verdict::NoTest => "",
    };
    let figures = format!("{} ({} to {}){verdict}", signed(llr, 2), signed(lower, 2), signed(upper, 2));
    Some(with_sparks("LLR", &figures, &sparkline(trend.llr(), (lower, upper), SPARKS), colour))
}

fn tuning(view: &RunView<'_>, trend: &Trend, ink: Ink) -> Vec<String> {
    let Some(tuner) = view.state.tuner() else { return Vec::new() };
    // The result of a finished run is the one in its files.
    let report = if view.state.outcome().is_some() { tuner.final_report() } else { tuner.report() };
    let mut lines = Vec::new();
    if let Some(gain) = report.gain {
        let high = trend.elo().iter().copied().fold(1.0, f64::max);
        let figures = format!("{} ± {:.1} Elo estimated", signed(gain.elo.0, 1), gain.error.0);
        let colour = |text: &str| if gain.elo.0 > gain.error.0 { ink.good(text) } else { text.to_owned() };
        lines.push(with_sparks("Gain", &figures, &sparkline(trend.elo(), (0.0, high), SPARKS), colour));
    }
    let count =
        |effect: ParameterEffect| report.parameters.iter().filter(|weight| weight.effect == effect).count();
    lines.push(fit(
        &format!(
            "Weights {}: {} with a clear effect, {} with none seen",
            report.parameters.len(),
            count(ParameterEffect::Clear),
            count(ParameterEffect::NotSeen)
        ),
        WIDTH,
    ));
    for weight in most_moved(&report).into_iter().filter(|weight| weight.best != weight.start).take(4) {
        let interval = weight.interval.map_or(String::new(), |[low, high]| {
            format!("  (95 %: {} to {})", short(low, weight), short(high, weight))
        });
        let (start, best) = (short(weight.start, weight), short(weight.best, weight));
        let text = format!("        {} {start} → {best}{interval}", weight.name);
        lines.push(ink.soft(&fit(&text, WIDTH)));
    }
    lines
}

fn game_text(game: &BoardLine) -> String {
    let last = game.last.as_deref().unwrap_or("…");
    let score = game.score.as_deref().unwrap_or("");
    let [white, black] = &game.names;
    format!(
        "  {:>9}  {:>3}. {last:<5} {score:>7}  {} – {}",
        game.round,
        game.plies.div_ceil(2),
        fit(white, 20),
        fit(black, 20)
    )
}

/// Returns the text cut to `width` columns and without control characters.
fn fit(text: &str, width: usize) -> String {
    let clean = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    if text.chars().count() <= width {
        return text.chars().map(clean).collect();
    }
    text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_its_width_and_cannot_move_the_cursor() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("a\x1b[2J", 10), "a\u{fffd}[2J");
    }

    #[test]
    fn figures_and_a_sparkline_fit_into_eighty_columns() {
        let sparks = "█".repeat(SPARKS);
        let line = with_sparks("Elo", &"9".repeat(100), &sparks, str::to_owned);
        assert_eq!(line.chars().count(), WIDTH);
        let line = with_sparks("Elo", "1", &sparks, str::to_owned);
        assert_eq!(line.chars().count(), WIDTH);
    }
}
