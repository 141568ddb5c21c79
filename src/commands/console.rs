//! Output of commands: text, JSON, or none.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::commands::failure::Failure;
use crate::report::{
    JsonEvents, LivePanel, PlainLines, ProgressBar, QueuedLines, SlowReader, harmless, is_dumb_terminal,
    lost_lines_event, lost_lines_text,
};
use crate::run::Observer;

/// Number of games that get a line on a terminal.
const GAMES_SHOWN: u64 = 20;

/// How long a reader may accept nothing before a single line for it is dropped.
const LINE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a reader may accept nothing at the end of a run before the rest of its lines are dropped.
const END_DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

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
            Self::Text => print_line(io::stdout(), text),
            Self::Json => print_line(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Prints a line of progress on standard error. If the reader has stopped reading, the line is dropped.
    pub fn print_progress(self, text: &str) {
        match self {
            Self::Text | Self::Json => print_line(io::stderr(), text),
            Self::Silent => {}
        }
    }

    /// Returns the observers that show a short run, of which nothing is kept, as one line. Without a thread for it, the run is
    /// played without.
    pub(super) fn progress_bar(self, label: &str) -> Vec<Box<dyn Observer>> {
        let bar = || duplicate(io::stderr()).and_then(|terminal| ProgressBar::new(terminal, label));
        match self {
            Self::Text | Self::Json if has_live_terminal() => {
                bar().map(|bar| Box::new(bar) as Box<dyn Observer>).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the observers that show a run while it is played. None of them ever blocks the run. Fails if the system
    /// refuses the threads that write for them.
    pub(super) fn observers(self) -> io::Result<Vec<Box<dyn Observer>>> {
        let terminal = has_live_terminal();
        let panel = || -> io::Result<Box<dyn Observer>> {
            Ok(Box::new(LivePanel::new(duplicate(io::stderr())?, GAMES_SHOWN)?))
        };
        let lines = |stream: File| -> io::Result<Box<dyn Observer>> {
            Ok(Box::new(PlainLines::new(queued(stream, lost_lines_text)?)))
        };
        let events = || -> io::Result<Box<dyn Observer>> {
            Ok(Box::new(JsonEvents::new(queued(duplicate(io::stdout())?, lost_lines_event)?)))
        };
        Ok(match self {
            Self::Text if terminal && io::stdout().is_terminal() => vec![panel()?],
            Self::Text => vec![lines(duplicate(io::stdout())?)?],
            Self::Json if terminal => vec![events()?, panel()?],
            Self::Json => vec![events()?, lines(duplicate(io::stderr())?)?],
            Self::Silent => Vec::new(),
        })
    }
}

/// Returns whether standard error is a terminal on which lines can be redrawn.
fn has_live_terminal() -> bool {
    io::stderr().is_terminal() && !is_dumb_terminal()
}

/// Returns a handle of its own for a standard stream, so that a thread that waits for a reader does not hold the lock that
/// the rest of the program writes under.
fn duplicate(stream: impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

fn queued(stream: File, lost: fn(u64) -> String) -> io::Result<QueuedLines> {
    QueuedLines::new(stream, SlowReader::LosesLines, lost, END_DRAIN_TIMEOUT)
}

/// Prints a line, unless the reader has stopped reading.
fn print_line(mut stream: impl AsFd + Write, text: &str) {
    let output = duplicate(&stream).and_then(|stream| {
        QueuedLines::new(stream, SlowReader::LosesLines, lost_lines_text, LINE_DRAIN_TIMEOUT)
    });
    // A closed terminal needs no message.
    let _ = match output {
        Ok(mut output) => writeln!(output, "{text}"),
        // There is no descriptor or no thread left, and the user should learn why.
        Err(_) if is_writable(stream.as_fd()) => writeln!(stream, "{text}"),
        Err(_) => Ok(()),
    };
}

fn is_writable(stream: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::new(stream, PollFlags::POLLOUT)];
    let limit = PollTimeout::try_from(LINE_DRAIN_TIMEOUT).unwrap_or(PollTimeout::ZERO);
    poll(&mut asked, limit).is_ok_and(|ready| ready > 0)
}

/// Writes the answer of a command and a line end to standard output, without what could control a terminal.
pub fn answer(text: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(io::stdout(), "{}", harmless(&text.to_string())).map_err(Failure::Output)
}
