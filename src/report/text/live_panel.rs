//! The terminal view of a running command: a panel, with games, faults and warnings above it.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::chess::{Move, Position};
use crate::game::{FaultBundle, GameId, LiveGame};
use crate::journal::GameEntry;
use crate::report::text::ansi_screen::Ink;
use crate::report::text::board_view::BoardView;
use crate::report::text::panel::{BoardLine, PanelSize, PanelStatus, panel};
use crate::report::text::plain_lines::{closing_text, finished_line};
use crate::report::text::san_lines::{numbered_move, san_lines};
use crate::report::text::screen_thread::ScreenThread;
use crate::report::text::sparkline::Trend;
use crate::run::control::from_white;
use crate::run::{LiveClock, Observer, RunEvent, RunView, fault_file_name};

/// Shortest time between two redraws.
const DRAW_EVERY: Duration = Duration::from_millis(180);

/// A panel on standard error.
pub struct LivePanel {
    screen: ScreenThread,
    ink: Ink,
    games_shown: u64,
    trend: Trend,
    status: PanelStatus,
    clock: LiveClock,
    due: Instant,
}

impl LivePanel {
    /// Returns a panel on `terminal`, which is standard error, that prints a line for each of the first `games_shown` games
    /// above it.
    pub fn new(terminal: impl Write + Send + 'static, games_shown: u64) -> io::Result<Self> {
        Ok(Self {
            screen: ScreenThread::start(terminal)?,
            ink: Ink::for_terminal(),
            games_shown,
            trend: Trend::default(),
            status: PanelStatus::default(),
            clock: LiveClock::default(),
            due: Instant::now(),
        })
    }

    /// Draws the panel, unless that was done a moment ago.
    fn draw(&mut self, view: &RunView<'_>) -> io::Result<()> {
        if Instant::now() < self.due { Ok(()) } else { self.draw_now(view) }
    }

    fn draw_now(&mut self, view: &RunView<'_>) -> io::Result<()> {
        let now = Instant::now();
        self.due = now + DRAW_EVERY;
        let phase = view.state.phase();
        self.status.phase = Some(phase);
        self.status.seconds = Some(self.clock.at(now, view.seconds, phase, view.state.flying().len()));
        let size = PanelSize::of(io::stderr());
        self.screen.draw(&panel(view, &self.trend, &self.status, self.ink, size), size.columns)
    }

    fn show_games(&mut self, games: &[LiveGame], view: &RunView<'_>) {
        self.status.games = games.iter().map(|game| game_line(game, view)).collect();
        let only = if view.plan.concurrency == 1 { games.first() } else { None };
        self.status.board = only.map(|game| BoardView::of_game(game, view.plan, Instant::now()));
    }

    fn game_finished(&mut self, game: &GameEntry, view: &RunView<'_>) -> io::Result<()> {
        self.status.uncounted += 1;
        let number = view.plan.game_number(game.pair, game.game);
        if number <= self.games_shown || game.ending.failed_side().is_some() {
            self.screen.print_above(&finished_line(game, view))?;
        }
        if number == self.games_shown && view.plan.last_pair().is_none_or(|pairs| 2 * pairs > number) {
            self.screen.print_above("Further games are not listed here; games.pgn has all of them.")?;
        }
        if view.plan.last_pair() == Some(1) {
            // The user of a single pair wants to see its moves.
            let size = PanelSize::of(io::stderr());
            for line in san_lines(view.plan, game, size.columns.saturating_sub(1)) {
                self.screen.print_above(&self.ink.soft(&line))?;
            }
        }
        Ok(())
    }

    fn fault(&mut self, bundle: &FaultBundle) -> io::Result<()> {
        let game = GameId { pair: bundle.pair, game: bundle.game };
        let file = fault_file_name(game, bundle.attempt);
        let text = format!("game {game}: {} {}", bundle.engine_name, bundle.what_happened());
        self.screen
            .print_above(&self.ink.bad(&format!("Fault in {text}; the dialogue is in faults/{file}")))?;
        self.status.last_incident = Some(text);
        Ok(())
    }
}

/// Returns the line of a game in progress.
fn game_line(game: &LiveGame, view: &RunView<'_>) -> BoardLine {
    let last = || -> Option<(Position, Move)> { game.line().pop() };
    BoardLine {
        round: game.game_id().to_string(),
        names: [game.white, game.black].map(|engine| view.plan.name_of(engine).to_owned()),
        last: game.last_move.and_then(|_| last()).map(|(before, mv)| numbered_move(&before, mv)),
        score: game.score.map(|score| from_white(score, !game.position.turn())),
    }
}

impl Observer for LivePanel {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::Started => self.draw(view),
            RunEvent::GameStarted { .. } => Ok(()),
            RunEvent::Fault(bundle) => self.fault(bundle),
            RunEvent::Boards(games) => {
                self.show_games(games, view);
                self.draw(view)
            }
            RunEvent::GameFinished(game) => {
                self.game_finished(game, view)?;
                self.draw(view)
            }
            RunEvent::Counted(pair) => {
                self.status.uncounted = self.status.uncounted.saturating_sub(2);
                self.trend.note(pair, view);
                self.draw(view)
            }
            RunEvent::Warning(text) => {
                self.screen.print_above(&format!("Warning: {text}"))?;
                // A warning may announce that the run stops.
                self.draw_now(view)
            }
            RunEvent::Finished(outcome) => {
                self.screen.clear()?;
                self.screen.print_above(&closing_text(outcome, view))
            }
        }
    }
}
