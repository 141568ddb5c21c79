//! A run in a few lines, as wide and high as the terminal allows.

use crate::report::number_text::{chance_text, duration, estimate_text, grouped, signed};
use crate::report::text::ansi_screen::Ink;
use crate::report::text::board_view::BoardView;
use crate::report::text::panel_tuning::tuning;
use crate::report::text::sparkline::{Trend, sparkline};
use crate::report::{Summary, TableRow, Verdict, table};
use crate::run::RunView;
use crate::run::control::RunPhase;

/// Widest panel; wider lines are hard to read.
const WIDEST: usize = 140;
/// Games in progress that are listed in a panel that is not on a terminal.
const GAMES_SHOWN: usize = 4;

/// Size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelSize {
    /// Number of columns.
    pub columns: usize,
    /// Number of rows; `None` for output that scrolls.
    pub rows: Option<usize>,
}

impl Default for PanelSize {
    fn default() -> Self {
        Self { columns: 80, rows: None }
    }
}

impl PanelSize {
    /// Returns the size of the terminal that `stream` is.
    pub fn of(stream: impl std::os::fd::AsFd) -> Self {
        terminal_size::terminal_size_of(stream).map_or(
            Self { rows: Some(24), ..Self::default() },
            |(width, height)| Self { columns: usize::from(width.0), rows: Some(usize::from(height.0)) },
        )
    }

    /// Widest line; the last column is left to the terminal.
    pub(super) fn width(self) -> usize {
        self.columns.saturating_sub(1).clamp(20, WIDEST)
    }
}

/// The time left is estimated up to this multiple of the time played.
const FURTHEST: f64 = 1000.0;

/// The line of a game in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardLine {
    /// `pair.game`.
    pub round: String,
    /// Names of the engines, White first.
    pub names: [String; 2],
    /// The last move with its number, in SAN.
    pub last: Option<String>,
    /// The last score from White's side.
    pub score: Option<String>,
}

/// The content of a panel that does not come from the journal.
#[derive(Clone, Debug, Default)]
pub struct PanelStatus {
    /// Phase of the run; `None` if it is not running.
    pub phase: Option<RunPhase>,
    /// Seconds of play, if they are known better than from the journal.
    pub seconds: Option<f64>,
    /// The games in progress.
    pub games: Vec<BoardLine>,
    /// Games that are finished and count once their pair does.
    pub uncounted: u64,
    /// The board of a run that plays one game at a time.
    pub board: Option<BoardView>,
    /// The last incident.
    pub last_incident: Option<String>,
    /// The outcome of a tuning run that has ended, with its acceptance test.
    pub outcome: Option<String>,
}

/// Returns the lines of the panel, each at most as wide as the terminal, and not more than it has rows.
pub fn panel(
    view: &RunView<'_>,
    trend: &Trend,
    status: &PanelStatus,
    ink: Ink,
    size: PanelSize,
) -> Vec<String> {
    let width = size.width();
    // The cursor needs a row of its own.
    let rows = size.rows.map_or(usize::MAX, |rows| rows.saturating_sub(1).max(2));
    let summary = Summary::of(view);
    let frame = Frame { view, summary: &summary, status, ink, width };
    let mut lines = vec![frame.title(), frame.progress()];
    let faults = frame.faults();
    let mut room = rows.saturating_sub(lines.len() + usize::from(faults.is_some()));
    let outcome = status.outcome.as_ref().map(|outcome| fit(&format!("Outcome {outcome}"), width));
    room = room.saturating_sub(usize::from(outcome.is_some()));
    let results = frame.results(trend, room);
    room = room.saturating_sub(results.len());
    lines.extend(results);
    lines.extend(outcome);
    lines.extend(faults);
    let board = status.board.as_ref().filter(|_| room > BoardView::height(ink));
    match board.and_then(|board| board.draw(ink, width)) {
        Some(board) => {
            lines.push(String::new());
            lines.extend(board);
        }
        None => lines.extend(frame.games(if size.rows.is_none() { GAMES_SHOWN + 1 } else { room })),
    }
    lines.truncate(rows);
    lines
}

/// What the lines of a panel are made of.
struct Frame<'a> {
    view: &'a RunView<'a>,
    summary: &'a Summary,
    status: &'a PanelStatus,
    ink: Ink,
    width: usize,
}

impl Frame<'_> {
    fn seconds(&self) -> f64 {
        self.status.seconds.unwrap_or(self.view.seconds)
    }

    fn title(&self) -> String {
        let phase = self.status.phase.map_or("not running", RunPhase::word);
        let right = fit(&format!("{phase}  {}", duration(self.seconds())), self.width);
        let room = self.width.saturating_sub(right.chars().count() + 2);
        let (name, engines) = (&self.summary.name, self.view.plan.engines.len());
        let who = if self.view.plan.is_tuning() {
            name.clone()
        } else if engines > 2 {
            format!("{name}: {engines} engines")
        } else {
            let versus = format!("{} vs {}", self.summary.candidate, self.summary.baseline);
            // The name of a run without one repeats its engines.
            if *name == versus.replace(" vs ", "-vs-") { versus } else { format!("{name}: {versus}") }
        };
        let who = fit(&who, room);
        let gap = self.width.saturating_sub(who.chars().count() + right.chars().count());
        format!("{}{:gap$}{}", self.ink.strong(&who), "", self.ink.soft(&right))
    }

    fn progress(&self) -> String {
        let (status, plan) = (self.status, self.view.plan);
        let games = 2 * self.view.state.counted() + status.uncounted;
        let seconds = self.seconds();
        let rate = if seconds > 0.0 { games as f64 / seconds } else { 0.0 };
        let is_stopping = status.phase == Some(RunPhase::Stopping);
        let speed = if games > 0 && !is_stopping { format!("  {rate:.2} games/s") } else { String::new() };
        let most = plan.last_pair().map(|pairs| pairs.saturating_mul(2));
        let left = match (status.phase, most) {
            (Some(RunPhase::Stopping), _) => "  finishing pairs; Ctrl-C again stops now".to_owned(),
            (Some(RunPhase::Paused), _) => "  `playself continue` ends the pause".to_owned(),
            (Some(RunPhase::Playing), Some(most)) if games < most => {
                let seconds_left = (most - games) as f64 / rate;
                // The games in play are a large part of a short run, so the first few are a poor measure of its speed; and the
                // first seconds of a long one are mostly starts of engines.
                let is_too_early = games < 2 * (plan.concurrency as u64).min(most / 4)
                    || games == 0
                    || seconds_left > FURTHEST * seconds;
                if is_too_early {
                    "  time left is not known yet".to_owned()
                } else {
                    // A test may end at any pair; its limit is an upper bound.
                    let word = if plan.sprt().is_some() { "at most " } else { "" };
                    format!("  {word}{} left", duration(seconds_left))
                }
            }
            _ => String::new(),
        };
        let Some(most) = most else {
            return fit(&format!("Games   {}{speed}{left}", grouped(games)), self.width);
        };
        let bar = bar(games as f64 / most.max(1) as f64, (self.width / 4).clamp(8, 40));
        fit(&format!("Games   {} of {}  {bar}{speed}{left}", grouped(games), grouped(most)), self.width)
    }

    /// Returns the result so far, in at most `room` lines.
    fn results(&self, trend: &Trend, room: usize) -> Vec<String> {
        if self.view.plan.is_tuning() {
            return tuning(self.view, trend, self.ink, self.width, room);
        }
        if self.view.plan.engines.len() > 2 {
            return standings(&table(self.view), self.ink, self.width, room);
        }
        let mut lines = vec![self.score()];
        lines.push(self.elo(trend));
        lines.extend(self.llr(trend));
        lines
    }

    fn score(&self) -> String {
        let Summary { wins, draws, losses, games, .. } = *self.summary;
        if games == 0 {
            let first = if self.status.uncounted > 0 { "game counts" } else { "games count" };
            return fit(&format!("Score   the first {first} when the pair is complete"), self.width);
        }
        let [a, b, c, d, e] = self.summary.pentanomial.0;
        let percent = 100.0 * (wins as f64 + draws as f64 / 2.0) / games as f64;
        let counts = match self.status.uncounted {
            0 => String::new(),
            1 => "   1 game counts with its pair".to_owned(),
            number => format!("   {number} games count with their pairs"),
        };
        let text = format!(
            "Score   +{wins} ={draws} \u{2212}{losses} ({percent:.1} %)   pairs [{a}, {b}, {c}, {d}, {e}]{counts}"
        );
        fit(&text, self.width)
    }

    fn elo(&self, trend: &Trend) -> String {
        let (lower, upper) = (self.summary.elo_lower, self.summary.elo_upper);
        if lower.or(upper).is_none() {
            return fit("Elo     not known yet: too few pairs", self.width);
        }
        let los = self.summary.los.map_or_else(String::new, |los| format!("   LOS {}", chance_text(los)));
        // The first estimates vary by hundreds of Elo, so the scale follows the later half.
        let later = &trend.elo()[trend.elo().len() / 2..];
        let range = later
            .iter()
            .fold((0.0, 0.0), |(low, high): (f64, f64), &value| (low.min(value), high.max(value)));
        let colour = |text: &str| {
            if lower.is_some_and(|lower| lower > 0.0) {
                self.ink.good(text)
            } else if upper.is_some_and(|upper| upper < 0.0) {
                self.ink.bad(text)
            } else {
                text.to_owned()
            }
        };
        let figures = format!("{}{los}", self.summary.elo_text());
        with_sparks("Elo", &figures, (trend.elo(), range), self.width, colour)
    }

    fn llr(&self, trend: &Trend) -> Option<String> {
        let summary = self.summary;
        let (llr, lower, upper) = (summary.llr?, summary.llr_lower?, summary.llr_upper?);
        let colour = |text: &str| match summary.verdict {
            Verdict::Accepted => self.ink.good(text),
            Verdict::Rejected => self.ink.bad(text),
            Verdict::Undecided | Verdict::NoTest => text.to_owned(),
        };
        let verdict = match summary.verdict {
            Verdict::Accepted => "  H1 accepted",
            Verdict::Rejected => "  H0 accepted",
            Verdict::Undecided | Verdict::NoTest => "",
        };
        let figures = format!("{} ({} to {}){verdict}", signed(llr, 2), signed(lower, 2), signed(upper, 2));
        Some(with_sparks("LLR", &figures, (trend.llr(), (lower, upper)), self.width, colour))
    }

    fn faults(&self) -> Option<String> {
        // Those of games that count later are reported, too.
        let waiting = self.view.state.uncounted_games().filter(|game| game.ending.failed_side().is_some());
        let faults = self.summary.faults + waiting.count() as u64;
        if faults == 0 && self.status.last_incident.is_none() {
            return None;
        }
        let last =
            self.status.last_incident.as_deref().map(|text| format!("  last: {text}")).unwrap_or_default();
        let text = format!("Faults  {}{last}", grouped(faults));
        Some(self.ink.bad(&fit(&text, self.width)))
    }

    /// Returns the games in progress, in at most `room` lines.
    fn games(&self, room: usize) -> Vec<String> {
        let games = &self.status.games;
        let shown = if games.len() <= room { games.len() } else { room.saturating_sub(1) };
        let line = |game: &BoardLine| self.ink.soft(&fit(&game_text(game, self.width), self.width));
        let mut lines: Vec<String> = games.iter().take(shown).map(line).collect();
        if games.len() > shown && room > 0 {
            lines.push(self.ink.soft(&format!("        and {} more games", games.len() - shown)));
        }
        lines
    }
}

/// Returns a bar that is filled to `share`.
pub(super) fn bar(share: f64, width: usize) -> String {
    let full = ((share * width as f64) as usize).min(width);
    (0..width).map(|place| if place < full { '█' } else { '░' }).collect()
}

/// Returns a line with figures on the left and a sparkline on the right.
pub(super) fn with_sparks(
    label: &str,
    figures: &str,
    (values, range): (&[f64], (f64, f64)),
    width: usize,
    colour: impl Fn(&str) -> String,
) -> String {
    let sparks = (width * 2 / 5).clamp(8, 64);
    let left = fit(&format!("{label:<7} {figures}"), width - sparks - 2);
    let gap = width - sparks - left.chars().count();
    let (label, figures) = left.split_at(8.min(left.len()));
    let line = format!("{label}{}{:gap$}{}", colour(figures), "", sparkline(values, range, sparks));
    line.trim_end().to_owned()
}

/// Returns the standings of a tournament, in at most `room` lines.
fn standings(rows: &[TableRow], ink: Ink, width: usize, room: usize) -> Vec<String> {
    let shown = if rows.len() < room { rows.len() } else { room.saturating_sub(2) };
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let name = longest.clamp(6, width.saturating_sub(50).max(6));
    let count = rows.iter().map(|row| row.games).max().unwrap_or(0).to_string().len().max(3);
    let signs = ["+", "=", "−"].map(|sign| format!("{sign:>count$}")).join(" ");
    let head = format!("   # {:<name$}  {:>16}  {:>6}  {:>7}  {signs}", "engine", "Elo", "games", "score");
    let mut lines = vec![ink.soft(&fit(&head, width))];
    for (rank, row) in rows.iter().take(shown).enumerate() {
        let score = if row.games == 0 {
            "–".to_owned()
        } else {
            format!("{:.1} %", 100.0 * (row.wins as f64 + row.draws as f64 / 2.0) / row.games as f64)
        };
        let text = format!(
            "{:>4} {:<name$}  {:>16}  {:>6}  {score:>7}  {:>count$} {:>count$} {:>count$}",
            rank + 1,
            fit(&row.name, name),
            estimate_text(row.rating.or(row.elo), row.rating_error.or(row.elo_error)),
            row.games,
            row.wins,
            row.draws,
            row.losses
        );
        lines.push(fit(&text, width));
    }
    if rows.len() > shown {
        lines.push(ink.soft(&format!("     and {} more engines", rows.len() - shown)));
    }
    lines
}

fn game_text(game: &BoardLine, width: usize) -> String {
    let last = game.last.as_deref().unwrap_or("…");
    let score = game.score.as_deref().unwrap_or("");
    let [white, black] = &game.names;
    let name = width.saturating_sub(37).max(16) / 2;
    format!("  {:>9}  {last:<13} {score:>7}  {} – {}", game.round, fit(white, name), fit(black, name))
}

/// Returns the text cut to `width` columns and without control characters.
pub(super) fn fit(text: &str, width: usize) -> String {
    let clean = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    if text.chars().count() <= width {
        return text.chars().map(clean).collect();
    }
    text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).take(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_its_width_and_cannot_move_the_cursor() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!((fit("abcd", 1).as_str(), fit("abcd", 0).as_str()), ("…", ""));
        assert_eq!(fit("a\x1b[2J", 10), "a\u{fffd}[2J");
    }

    #[test]
    fn figures_and_a_sparkline_fit_into_every_width() {
        let values = vec![1.0; 200];
        for width in [20, 39, 79, 140] {
            for figures in [&"9".repeat(200), "1"] {
                let line = with_sparks("Elo", figures, (&values, (0.0, 1.0)), width, str::to_owned);
                assert_eq!(line.chars().count(), width, "{figures}");
            }
        }
    }

    #[test]
    fn standings_that_do_not_fit_are_cut_with_a_count() {
        let row = |number: u32| TableRow {
            name: format!("engine-{number}"),
            games: 2,
            wins: 1,
            draws: 1,
            losses: 0,
            pentanomial: crate::stats::Pentanomial([0, 0, 0, 1, 0]),
            elo: Some(1.0),
            elo_error: Some(2.0),
            elo_lower: None,
            elo_upper: None,
            rating: None,
            rating_error: None,
            faults: 0,
        };
        let rows: Vec<TableRow> = (0..9).map(row).collect();
        assert_eq!(standings(&rows, Ink::Plain, 79, 20).len(), 10);
        let cut = standings(&rows, Ink::Plain, 79, 6);
        assert_eq!(cut.len(), 6);
        assert!(cut[5].contains("and 5 more engines"), "{cut:#?}");
        assert!(cut.iter().all(|line| line.chars().count() <= 79), "{cut:#?}");
    }
}
