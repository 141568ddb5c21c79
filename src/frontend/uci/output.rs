//! Where both threads write: whole lines, never mixed, flushed at once.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A shared sink for lines.
#[derive(Clone)]
pub(super) struct Output(Arc<SharedOutput>);

struct SharedOutput {
    sink: Mutex<Box<dyn Write + Send>>,
    /// Set once nobody reads any more.
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
    pub(super) fn say(&self, text: impl fmt::Display) {
        let lines = text.to_string();
        self.text(&lines.lines().map(|line| format!("info string {line}\n")).collect::<String>());
    }

    /// Writes lines that end themselves, in one go.
    pub(super) fn text(&self, lines: &str) {
        // A thread that panicked while writing left at worst half a line behind; the sink is still a sink.
        let mut sink = self.0.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if sink.write_all(lines.as_bytes()).and_then(|()| sink.flush()).is_err() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nobody reads any more.
    pub(super) fn is_broken(&self) -> bool {
        self.0.broken.load(Ordering::Relaxed)
    }
}
