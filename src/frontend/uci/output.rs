//! Output shared by both threads: whole lines, never interleaved, flushed immediately.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A shared sink for lines.
#[derive(Clone)]
pub(super) struct Output(Arc<SharedOutput>);

struct SharedOutput {
    sink: Mutex<Box<dyn Write + Send>>,
    /// Set when a write fails because the reader has gone.
    broken: AtomicBool,
}

impl Output {
    pub(super) fn new(sink: impl Write + Send + 'static) -> Self {
        Self(Arc::new(SharedOutput { sink: Mutex::new(Box::new(sink)), broken: AtomicBool::new(false) }))
    }

    /// Writes one line.
    pub(super) fn line(&self, line: impl fmt::Display) {
        self.text(&format!("{line}\n"));
    }

    /// Writes an `info string`, one for each line of `text`.
    pub(super) fn info_string(&self, text: impl fmt::Display) {
        let lines = text.to_string();
        self.text(&lines.lines().map(|line| format!("info string {line}\n")).collect::<String>());
    }

    /// Writes one or more lines, each with its line ending, in one write.
    pub(super) fn text(&self, lines: &str) {
        // A thread that panicked while writing left at worst an incomplete line; the sink is still usable.
        let mut sink = self.0.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if sink.write_all(lines.as_bytes()).and_then(|()| sink.flush()).is_err() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether a write has failed because the reader has gone.
    pub(super) fn is_broken(&self) -> bool {
        self.0.broken.load(Ordering::Relaxed)
    }
}
