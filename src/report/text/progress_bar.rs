//! A run in one line: a bar on a terminal, nothing elsewhere.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::report::number_text::duration;
use crate::report::text::panel::{PanelSize, bar, fit};
use crate::report::text::screen_thread::ScreenThread;
use crate::run::control::RunPhase;
use crate::run::{LiveClock, Observer, RunEvent, RunView};

/// Shortest time between two redraws.
const DRAW_EVERY: Duration = Duration::from_millis(180);

/// The progress of a short run, such as a pilot, on standard error.
pub struct ProgressBar {
    screen: ScreenThread,
    label: String,
    games: u64,
    clock: LiveClock,
    due: Instant,
}

impl ProgressBar {
    /// Returns a bar with this label on `terminal`, which is standard error.
    pub fn new(terminal: impl Write + Send + 'static, label: &str) -> io::Result<Self> {
        Ok(Self {
            screen: ScreenThread::start(terminal)?,
            label: label.to_owned(),
            games: 0,
            clock: LiveClock::default(),
            due: Instant::now(),
        })
    }

    fn draw(&mut self, view: &RunView<'_>) -> io::Result<()> {
        let now = Instant::now();
        if now < self.due {
            return Ok(());
        }
        self.due = now + DRAW_EVERY;
        let size = PanelSize::of(io::stderr());
        let most = view.plan.last_pair().unwrap_or(1) * 2;
        let bar = bar(self.games as f64 / most.max(1) as f64, 24);
        let time = duration(self.clock.at(now, view.seconds, RunPhase::Playing, 1));
        let line = format!("{}  {bar}  {} of {most} games  {time}", self.label, self.games);
        self.screen.draw(&[fit(&line, size.columns.saturating_sub(1))], size.columns)
    }
}

impl Observer for ProgressBar {
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()> {
        match event {
            RunEvent::GameFinished(_) => self.games += 1,
            RunEvent::Warning(text) => self.screen.print_above(&format!("Warning: {text}"))?,
            RunEvent::Finished(_) => return self.screen.clear(),
            _ => {}
        }
        self.draw(view)
    }
}
