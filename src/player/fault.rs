//! What can go wrong with an engine, in the words that results and journals use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a process ended, as the kernel tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitEvidence {
    /// It returned this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for ExitEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Signal(number) => match signal_name(number) {
                Some(name) => f.write_str(name),
                None => write!(f, "signal {number}"),
            },
        }
    }
}

/// The names of the signals that end programs.
fn signal_name(number: i32) -> Option<&'static str> {
    nix::sys::signal::Signal::try_from(number).ok().map(nix::sys::signal::Signal::as_str)
}

/// What an engine was doing when it was found gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrashMoment {
    /// Being started, or told its options.
    Startup,
    /// Thinking on its own time.
    Thinking,
    /// Waiting on its opponent's time.
    Idle,
    /// Alive, with its output closed.
    StdoutClosed,
    /// Alive, with its input closed.
    StdinClosed,
    /// Out of the memory it may have.
    Memory,
}

/// The answer an engine failed to give in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StallPoint {
    /// `uciok` after `uci`.
    Uciok,
    /// `readyok` after `isready`.
    Readyok,
    /// `bestmove`, with no clock to forfeit on.
    Bestmove,
    /// It stopped reading its input.
    Stdin,
}

impl StallPoint {
    /// The word in brackets.
    pub fn word(self) -> &'static str {
        match self {
            Self::Uciok => "uciok",
            Self::Readyok => "readyok",
            Self::Bestmove => "no bestmove",
            Self::Stdin => "stdin",
        }
    }
}

/// A rule of the conversation that an engine broke beyond repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProtocolBreach {
    /// More output for one move than the limit allows.
    Flood,
}

impl ProtocolBreach {
    /// The word in brackets.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flood => "flood",
        }
    }
}

/// What an engine did wrong: always its loss, never an error of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerFault {
    /// Its process went away, or cut itself off.
    Crash {
        /// What it was doing.
        during: CrashMoment,
        /// How the process ended, if it did.
        exit: Option<ExitEvidence>,
    },
    /// It did not answer.
    Stall(StallPoint),
    /// It broke the conversation.
    Protocol(ProtocolBreach),
}

impl fmt::Display for PlayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash { during: CrashMoment::StdoutClosed, .. } => f.write_str("it closed its output"),
            Self::Crash { during: CrashMoment::StdinClosed, .. } => f.write_str("it closed its input"),
            Self::Crash { during: CrashMoment::Memory, .. } => f.write_str("it ran out of memory"),
            Self::Crash { exit: Some(exit), .. } => write!(f, "it ended ({exit})"),
            Self::Crash { exit: None, .. } => f.write_str("it went away"),
            Self::Stall(StallPoint::Stdin) => f.write_str("it stopped reading its input"),
            Self::Stall(point) => write!(f, "it gave no {} in time", point.word().trim_start_matches("no ")),
            Self::Protocol(ProtocolBreach::Flood) => f.write_str("it flooded its output"),
        }
    }
}
