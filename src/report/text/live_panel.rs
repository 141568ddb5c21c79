//! The view of a running command: a panel on the terminal, with faults and warnings above it.

use crate::game::LiveGame;
use std::io::{self, Stderr, Write};
use std::time::{Duration, Instant};

use crate::run::control::{RunPhase, from_white};
use crate::run::{Observer, RunEvent, RunView};

use crate::report::pgn_text;
use crate::report::text::ansi_screen::{AnsiScreen, Ink};
use crate::report::text::panel::{BoardLine, PanelNews, panel};
use crate::report::text::plain_lines::{closing, finished_line};
use crate::report::text::sparkline::Trend;

/// How often the panel is drawn at most.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// A panel on standard error.
pub struct LivePanel {
    screen: AnsiScreen<Stderr>,
    ink: Ink,
    games_shown: u64,
    trend: Trend,
    news: PanelNews,
    due: Instant,
}

impl LivePanel {
    /// The first `games_shown` games get a line of their own above the panel.
    pub fn new(games_shown: u64) -> Self {
        Self {
            screen: AnsiScreen::new(io::stderr()),
            ink: Ink::for_terminal(),
            games_shown,
            trend: Trend::default(),
            news: PanelNews { phase: Some(RunPhase::Playing), ..PanelNews::default() },
            due: Instant::now(),
        }
    }

    fn draw(&mut self, view: &RunView<'_>) -> io::Result<()> {
        if Instant::now() < self.due {
            return Ok(());
        }
        self.due = Instant::now() + DRAW_EVERY;
        self.news.phase = Some(if view.state.is_paused() { RunPhase::Paused } else { RunPhase::Playing });
        self.screen.draw(&panel(view, &self.trend, &self.news, self.ink))
    }
}

/// A game on the board as a line.
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
                self.news.games = games.iter().map(|game| game_line(game, view)).collect();
                self.draw(view)
            }
            RunEvent::GameFinished(game) => {
                let number = game.game.number_in_run(game.pair);
                if view.plan.last_pair() == Some(1)
                    && let Ok(text) = pgn_text(view.plan, game)
                {
                    // A single pair is played to be looked at.
                    let moves = text.split_once("\n\n").map_or("", |(_, moves)| moves.trim_end());
                    for line in moves.lines() {
                        self.screen.say(line)?;
                    }
                }
                if number <= self.games_shown || game.ending.failed_side().is_some() {
                    self.screen.say(&finished_line(game, view))?;
                }
                Ok(())
            }
            RunEvent::Counted(pair) => {
                self.trend.note(pair, view);
                self.draw(view)
            }
            RunEvent::Warning(text) => self.screen.say(&format!("Warning; {text}")),
            RunEvent::Finished(outcome) => {
                self.screen.clear()?;
                write!(io::stderr().lock(), "{}", closing(outcome, view))
            }
        }
    }
}
