//! The terminal view of a running command: a panel, with faults and warnings above it.

use std::io::{self, Stderr, Write};
use std::time::{Duration, Instant};

use crate::game::LiveGame;
use crate::report::pgn_text;
use crate::report::text::ansi_screen::{AnsiScreen, Ink};
use crate::report::text::panel::{BoardLine, PanelStatus, panel};
use crate::report::text::plain_lines::{closing_text, finished_line};
use crate::report::text::sparkline::Trend;
use crate::run::control::{RunPhase, from_white};
use crate::run::{Observer, RunEvent, RunView};

/// Shortest time between two redraws.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// A panel on standard error.
pub struct LivePanel {
    screen: AnsiScreen<Stderr>,
    ink: Ink,
    games_shown: u64,
    trend: Trend,
    status: PanelStatus,
    due: Instant,
}

impl LivePanel {
    /// Returns a panel that prints a line for each of the first `games_shown` games above it.
    pub fn new(games_shown: u64) -> Self {
        Self {
            screen: AnsiScreen::new(io::stderr()),
            ink: Ink::for_terminal(),
            games_shown,
            trend: Trend::default(),
            status: PanelStatus { phase: Some(RunPhase::Playing), ..PanelStatus::default() },
            due: Instant::now(),
        }
    }

    fn draw(&mut self, view: &RunView<'_>) -> io::Result<()> {
        if Instant::now() < self.due {
            return Ok(());
        }
        self.due = Instant::now() + DRAW_EVERY;
        self.status.phase = Some(if view.state.is_paused() { RunPhase::Paused } else { RunPhase::Playing });
        self.screen.draw(&panel(view, &self.trend, &self.status, self.ink))
    }
}

/// Returns the line of a game in progress.
fn game_line(game: &LiveGame, view: &RunView<'_>) -> BoardLine {
    BoardLine {
        round: game.game_id().to_string(),
        names: [game.white, game.black].map(|engine| view.plan.name_of(engine).to_owned()),
        plies: game.plies,
        last: game.last_move.map(|mv| mv.to_string()),
        score: game.score.map(|score| from_white(score, !game.position.turn())),
    }
}

impl Observer for LivePanel {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started => self.draw(view),
            RunEvent::GameStarted { .. } | RunEvent::Fault(_) => Ok(()),
            RunEvent::Boards(games) => {
                self.status.games = games.iter().map(|game| game_line(game, view)).collect();
                self.draw(view)
            }
            RunEvent::GameFinished(game) => {
                let number = view.plan.game_number(game.pair, game.game);
                if view.plan.last_pair() == Some(1)
                    && let Ok(text) = pgn_text(view.plan, game)
                {
                    // The user of a single pair wants to see its moves.
                    let moves = text.split_once("\n\n").map_or("", |(_, moves)| moves.trim_end());
                    for line in moves.lines() {
                        self.screen.print_above(line)?;
                    }
                }
                if number <= self.games_shown || game.ending.failed_side().is_some() {
                    self.screen.print_above(&finished_line(game, view))?;
                }
                Ok(())
            }
            RunEvent::Counted(pair) => {
                self.trend.note(pair, view);
                self.draw(view)
            }
            RunEvent::Warning(text) => self.screen.print_above(&format!("Warning; {text}")),
            RunEvent::Finished(outcome) => {
                self.screen.clear()?;
                write!(io::stderr().lock(), "{}", closing_text(outcome, view))
            }
        }
    }
}
