//! A run as people watch it: a live line on a terminal, plain lines everywhere else.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::experiment::{Observer, Outcome, RunEvent, RunView};
use crate::fleet::LiveGame;
use crate::journal::GameEntry;

use super::pgn::pgn_text;
use super::score_block::{decision_line, fault_lines, score_block};
use super::summary::Summary;
use super::wording::reason_text;

/// Pairs between two blocks of results.
const BLOCK_EVERY: u64 = 10;

/// Plain lines, in the words that wrappers of other match runners know.
pub struct PlainLines<W> {
    out: W,
}

impl<W: Write + Send> PlainLines<W> {
    /// Lines to `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Observer for PlainLines<W> {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started | RunEvent::Boards(_) | RunEvent::Fault(_) => return Ok(()),
            RunEvent::GameStarted { pair, game, white, black } => {
                let number = 2 * pair + u64::from(game.number());
                let of = view.plan.max_pairs.map_or(String::new(), |pairs| format!(" of {}", 2 * pairs));
                let (white, black) = (view.plan.name_of(*white), view.plan.name_of(*black));
                writeln!(self.out, "Started game {number}{of} ({white} vs {black})")?;
            }
            RunEvent::GameFinished(game) => writeln!(self.out, "{}", finished_line(game, view))?,
            RunEvent::Counted(pair) => {
                let last = view.plan.max_pairs == Some(pair.pair + 1);
                if (pair.pair + 1).is_multiple_of(BLOCK_EVERY) && !last {
                    write!(self.out, "{}", score_block(view))?;
                }
            }
            RunEvent::Warning(text) => writeln!(self.out, "Warning; {text}")?,
            RunEvent::Finished(outcome) => write!(self.out, "{}", closing(outcome, view))?,
        }
        self.out.flush()
    }
}

/// `Finished game 1 (new vs base): 1-0 {White mates}`.
pub fn finished_line(game: &GameEntry, view: &RunView<'_>) -> String {
    format!(
        "Finished game {} ({} vs {}): {} {{{}}}",
        2 * game.pair + u64::from(game.game.number()),
        view.plan.name_of(game.white),
        view.plan.name_of(game.black),
        game.ending.result,
        reason_text(&game.ending)
    )
}

/// The last words of a run.
pub fn closing(outcome: &Outcome, view: &RunView<'_>) -> String {
    let mut text = score_block(view);
    if let Some(line) = decision_line(view) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&fault_lines(view));
    for label in noise(view) {
        text.push_str(&format!("Warning; {label}\n"));
    }
    text.push_str(match outcome {
        Outcome::Finished | Outcome::Decided(_) => "Finished match\n",
        Outcome::Undecided => "Finished match: the test is undecided at its last pair\n",
        Outcome::Interrupted => "The run was interrupted.\n",
        Outcome::Faulty(_) => "",
    });
    if let Outcome::Faulty(why) = outcome {
        text.push_str(&format!("A fault stopped the run: {why}\n"));
    }
    let seconds = view.seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    text.push_str(&format!("Total Time: {hours:02}:{minutes:02}:{seconds:02} (hours:minutes:seconds)\n"));
    text
}

/// Whether a run was too noisy to be trusted as it stands; nothing is filtered for it.
fn noise(view: &RunView<'_>) -> Vec<String> {
    let summary = Summary::of(view);
    let mut labels = Vec::new();
    if summary.games >= 100 && summary.faults * 200 > summary.games {
        labels.push(format!(
            "noisy run: {} of {} games were lost by faults; play again at lower concurrency",
            summary.faults, summary.games
        ));
    }
    if summary.pairs >= 100 && summary.voids * 100 > summary.pairs {
        labels.push(format!("noisy run: {} pairs were void by the host's fault", summary.voids));
    }
    labels
}

/// A live line on a terminal, with faults and warnings above it.
pub struct LiveLine {
    bar: ProgressBar,
    games_shown: u64,
    standing: String,
}

impl LiveLine {
    /// A line on standard error. The first `games_shown` games get a line of their own.
    pub fn new(games_shown: u64) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar, games_shown, standing: String::new() }
    }

    fn start(&mut self, view: &RunView<'_>) {
        let template = match view.plan.max_pairs {
            Some(pairs) => {
                self.bar.set_length(pairs);
                "{elapsed_precise} {wide_bar} {pos}/{len} pairs, {eta} left\n{msg}"
            }
            None => "{elapsed_precise} {spinner} {pos} pairs\n{msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_position(view.state.counted());
        self.bar.reset_eta();
    }

    fn message(view: &RunView<'_>) -> String {
        let summary = Summary::of(view);
        let mut parts = vec![format!("+{} ={} -{}", summary.wins, summary.draws, summary.losses)];
        if let (Some(elo), Some(error)) = (summary.elo, summary.elo_error) {
            parts.push(format!("Elo {elo:+.1} ± {error:.1}"));
        }
        let [a, b, c, d, e] = summary.pentanomial.0;
        parts.push(format!("[{a}, {b}, {c}, {d}, {e}]"));
        if let (Some(llr), Some(lower), Some(upper)) = (summary.llr, summary.llr_lower, summary.llr_upper) {
            parts.push(format!("LLR {llr:.2} ({lower:.2}, {upper:.2})"));
        }
        if summary.seconds > 0.0 {
            parts.push(format!("{:.2} games/s", summary.games as f64 / summary.seconds));
        }
        if summary.faults > 0 {
            parts.push(format!("{} faults", summary.faults));
        }
        parts.join("  ")
    }
}

/// The last move on every board, as many as fit on a line.
fn boards(games: &[LiveGame]) -> String {
    let shown = games.iter().take(4).map(|game| {
        let last = game.last_move.map_or("…".to_owned(), |mv| mv.to_string());
        let score = game.score.map(|score| format!(" {:+.2}", f64::from(score.as_centipawns()) / 100.0));
        let number = 2 * game.id.index + u64::from(game.game.number());
        format!("game {number}: {}. {last}{}", game.plies.div_ceil(2), score.unwrap_or_default())
    });
    shown.collect::<Vec<_>>().join("   ")
}

impl Observer for LiveLine {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started => self.start(view),
            RunEvent::GameStarted { .. } | RunEvent::Fault(_) => {}
            RunEvent::Boards(games) => self.bar.set_message(format!("{}{}", self.standing, boards(games))),
            RunEvent::GameFinished(game) => {
                let number = 2 * game.pair + u64::from(game.game.number());
                if view.plan.max_pairs == Some(1)
                    && let Ok(text) = pgn_text(view.plan, game)
                {
                    // A single pair is played to be looked at.
                    self.bar.println(text.split_once("\n\n").map_or("", |(_, moves)| moves.trim_end()));
                }
                if number <= self.games_shown || game.ending.failed_side().is_some() {
                    self.bar.println(finished_line(game, view));
                }
            }
            RunEvent::Counted(_) => {
                self.bar.set_position(view.state.counted());
                self.standing = Self::message(view) + "\n";
            }
            RunEvent::Warning(text) => self.bar.println(format!("Warning; {text}")),
            RunEvent::Finished(outcome) => {
                self.bar.finish_and_clear();
                let mut out = io::stderr().lock();
                write!(out, "{}", closing(outcome, view))?;
            }
        }
        Ok(())
    }
}
