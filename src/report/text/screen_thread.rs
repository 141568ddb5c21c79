//! A terminal that is drawn by a separate thread, so that a terminal that is not read never blocks a run.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use crate::report::text::ansi_screen::AnsiScreen;
use crate::report::text::stream_thread::{Queue, StreamThread};

/// Lines above the panel that wait for a terminal that is not read; older ones are dropped.
const MAX_WAITING: usize = 1000;

/// How long the last output may take on a terminal that accepts nothing: after Ctrl-S, or behind a dead connection.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// A terminal with permanent lines and a panel below them. Of several panels that wait, only the newest is drawn.
pub struct ScreenThread {
    thread: StreamThread<ScreenQueue>,
}

impl ScreenThread {
    /// Takes over a terminal. Fails if the system refuses a thread.
    pub fn start(terminal: impl Write + Send + 'static) -> io::Result<Self> {
        let queue = ScreenQueue {
            screen: AnsiScreen::new(Vec::new()),
            above: VecDeque::new(),
            dropped: 0,
            panel: None,
        };
        Ok(Self { thread: StreamThread::start(terminal, queue, DRAIN_TIMEOUT)? })
    }

    /// Replaces the panel of a terminal with `columns` columns. Never fails: a closed terminal shows nothing.
    pub fn draw(&self, lines: &[String], columns: usize) -> io::Result<()> {
        self.thread.put(|queue| queue.panel = Some((lines.to_vec(), columns)));
        Ok(())
    }

    /// Prints permanent lines above the panel.
    pub fn print_above(&self, text: &str) -> io::Result<()> {
        self.thread.put(|queue| queue.push(text));
        Ok(())
    }

    /// Removes the panel.
    pub fn clear(&self) -> io::Result<()> {
        self.draw(&[], usize::MAX)
    }
}

struct ScreenQueue {
    /// Output that follows from what was taken so far.
    screen: AnsiScreen<Vec<u8>>,
    above: VecDeque<String>,
    dropped: u64,
    /// The newest panel, and the columns of the terminal.
    panel: Option<(Vec<String>, usize)>,
}

impl ScreenQueue {
    fn push(&mut self, text: &str) {
        self.above.extend(text.lines().map(str::to_owned));
        while self.above.len() > MAX_WAITING {
            self.above.pop_front();
            self.dropped += 1;
        }
    }
}

impl Queue for ScreenQueue {
    fn take(&mut self) -> Option<Vec<u8>> {
        // Writing to memory does not fail.
        if self.dropped > 0 {
            let dropped = std::mem::take(&mut self.dropped);
            let _ = self.screen.print_above(&format!("({dropped} earlier lines are not shown)"));
        }
        if !self.above.is_empty() {
            let lines: Vec<String> = self.above.drain(..).collect();
            let _ = self.screen.print_above(&lines.join("\r\n"));
        }
        if let Some((panel, columns)) = self.panel.take() {
            let _ = self.screen.draw(&panel, columns);
        }
        let bytes = self.screen.take_output();
        (!bytes.is_empty()).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_terminal_that_is_read_late_shows_the_newest_panel_and_the_newest_lines() {
        let (mut reader, writer) = io::pipe().unwrap();
        let screen = ScreenThread::start(writer).unwrap();
        let filler = "x".repeat(200);
        for number in 0..5000 {
            screen.print_above(&format!("game {number} {filler}")).unwrap();
            screen.draw(&[format!("panel {number} {filler}")], 300).unwrap();
        }
        screen.clear().unwrap();
        screen.print_above("the end").unwrap();
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        drop(screen);
        let text = reading.join().unwrap();
        assert!(text.contains("game 4999") && text.contains("the end"), "the newest lines are kept");
        assert!(text.contains("earlier lines are not shown"));
        assert!(text.matches("panel").count() < 4000, "panels in between are skipped");
    }
}
