//! Output of commands: text, JSON, or none.

use std::io::{self, IsTerminal, Write};

use crate::commands::failure::Failure;
use crate::commands::non_blocking_writer::{NonBlockingWriter, write_if_writable};
use crate::report::{JsonEvents, LivePanel, PlainLines, ProgressBar, is_dumb_terminal};
use crate::run::Observer;

/// Number of games that get a line on a terminal.
const GAMES_SHOWN: u64 = 20;

/// Destination of the output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Console {
    /// Text on standard output; a live panel on a terminal.
    Text,
    /// JSON on standard output, text on standard error.
    Json,
    /// No output, for runs started inside another program.
    Silent,
}

impl Console {
    /// Returns `Json` if `json` is set, else `Text`.
    pub fn of_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// Prints a line of text. If the reader has stopped reading, the line is dropped and the command continues.
    pub fn print(self, text: &str) {
        match self {
            Self::Text => write_if_writable(io::stdout(), text),
            Self::Json => write_if_writable(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Prints a line of progress on standard error. If the reader has stopped reading, the line is dropped.
    pub fn print_progress(self, text: &str) {
        match self {
            Self::Text | Self::Json => write_if_writable(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Returns the observers that show a short run, of which nothing is kept, as one line.
    pub(super) fn progress_bar(self, label: &str) -> Vec<Box<dyn Observer>> {
        match self {
            Self::Text | Self::Json if has_live_terminal() => vec![Box::new(ProgressBar::new(label))],
            _ => Vec::new(),
        }
    }

    /// Returns the observers that show a run while it is played.
    pub(super) fn observers(self) -> Vec<Box<dyn Observer>> {
        let terminal = has_live_terminal();
        let out = || NonBlockingWriter::new(io::stdout());
        let err = || NonBlockingWriter::new(io::stderr());
        match self {
            Self::Text if terminal && io::stdout().is_terminal() => {
                vec![Box::new(LivePanel::new(GAMES_SHOWN))]
            }
            Self::Text => vec![Box::new(PlainLines::new(out()))],
            Self::Json if terminal => {
                vec![Box::new(JsonEvents::new(out())), Box::new(LivePanel::new(GAMES_SHOWN))]
            }
            Self::Json => vec![Box::new(JsonEvents::new(out())), Box::new(PlainLines::new(err()))],
            Self::Silent => Vec::new(),
        }
    }
}

/// Returns whether standard error is a terminal on which lines can be redrawn.
fn has_live_terminal() -> bool {
    io::stderr().is_terminal() && !is_dumb_terminal()
}

/// Writes the answer of a command and a line end to standard output.
pub fn answer(text: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(io::stdout(), "{text}").map_err(Failure::Output)
}
