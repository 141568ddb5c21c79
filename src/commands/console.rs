//! What a command shows: on standard output for people, as JSON for programs, or nothing.

use std::io::{self, IsTerminal, Write};

use crate::commands::failure::Failure;
use crate::commands::non_blocking_writer::{NonBlockingWriter, write_if_writable};
use crate::report::{JsonEvents, LivePanel, PlainLines};
use crate::run::Observer;

/// Games that get a line of their own on a terminal.
const GAMES_SHOWN: u64 = 20;

/// Where a command reports to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Console {
    /// Text on standard output; a live panel on a terminal.
    Text,
    /// JSON on standard output, text on standard error.
    Json,
    /// Nowhere: for runs started inside another program.
    Silent,
}

impl Console {
    /// JSON if `json` was asked for, else text.
    pub fn of_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// Prints a line of text for people. A reader that has stopped reading loses it; the command continues.
    pub fn print(self, text: &str) {
        match self {
            Self::Text => write_if_writable(io::stdout(), text),
            Self::Json => write_if_writable(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Prints a line of progress on standard error. A reader that has stopped reading loses it.
    pub fn print_progress(self, text: &str) {
        match self {
            Self::Text | Self::Json => write_if_writable(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Observers that show a run while it is played.
    pub(super) fn observers(self) -> Vec<Box<dyn Observer>> {
        let terminal = io::stderr().is_terminal();
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

/// Writes the answer of a command to standard output, line end included.
pub fn answer(text: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(io::stdout(), "{text}").map_err(Failure::Output)
}
