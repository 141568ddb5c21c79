//! Engine faults, in the terms that results and journals use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a process ended, as reported by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitEvidence {
    /// The process exited with this status.
    Code(i32),
    /// The process was ended by this signal.
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

/// Returns the name of a signal, such as `SIGSEGV`.
fn signal_name(number: i32) -> Option<&'static str> {
    nix::sys::signal::Signal::try_from(number).ok().map(nix::sys::signal::Signal::as_str)
}

/// State of an engine when its failure was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrashMoment {
    /// Starting, or receiving its options.
    Startup,
    /// Thinking on its own time.
    Thinking,
    /// Waiting on its opponent's time.
    Idle,
    /// Running, with its output closed.
    StdoutClosed,
    /// Running, with its input closed.
    StdinClosed,
    /// Out of the memory that its sandbox allows.
    Memory,
}

/// The action that an engine did not take in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StallPoint {
    /// `uciok` after `uci`.
    Uciok,
    /// `readyok` after `isready`.
    Readyok,
    /// `bestmove`, without a clock to forfeit on; `move` of an xboard engine.
    Bestmove,
    /// Reading its input.
    Stdin,
    /// `feature done=1` after `feature done=0` of an xboard engine.
    Features,
    /// `pong` after `ping`.
    Pong,
}

impl StallPoint {
    /// Returns the word shown in parentheses after `stall`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Uciok => "uciok",
            Self::Readyok => "readyok",
            Self::Bestmove => "no bestmove",
            Self::Stdin => "stdin",
            Self::Features => "feature done=1",
            Self::Pong => "pong",
        }
    }
}

/// A breach of the protocol after which an engine cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProtocolBreach {
    /// More output for one move than the limit allows.
    Flood,
    /// An xboard engine refused a legal move or a command without which it cannot play the game.
    Refused,
    /// The engine no longer declares an option or a feature that it declared before and that its games need.
    Changed,
}

impl ProtocolBreach {
    /// Returns the word shown in parentheses after `protocol`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flood => "flood",
            Self::Refused => "refused",
            Self::Changed => "changed",
        }
    }
}

/// A failure of an engine. It always loses the game; it is never an error of the harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerFault {
    /// The process ended or closed one of its streams.
    Crash {
        /// State of the engine at that time.
        during: CrashMoment,
        /// How the process ended, if it did.
        exit: Option<ExitEvidence>,
    },
    /// The engine did not respond.
    Stall(StallPoint),
    /// The engine broke the protocol.
    Protocol(ProtocolBreach),
}

impl fmt::Display for PlayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash { during: CrashMoment::StdoutClosed, .. } => f.write_str("it closed its output"),
            Self::Crash { during: CrashMoment::StdinClosed, .. } => f.write_str("it closed its input"),
            Self::Crash { during: CrashMoment::Memory, .. } => f.write_str("it ran out of memory"),
            Self::Crash { exit: Some(exit), .. } => write!(f, "it ended ({exit})"),
            Self::Crash { exit: None, .. } => f.write_str("its process disappeared"),
            Self::Stall(StallPoint::Stdin) => f.write_str("it stopped reading its input"),
            Self::Stall(point) => {
                write!(f, "it did not send {} in time", point.word().trim_start_matches("no "))
            }
            Self::Protocol(ProtocolBreach::Flood) => f.write_str("it exceeded the limit on output"),
            Self::Protocol(ProtocolBreach::Changed) => {
                f.write_str("it no longer declares an option that it declared before")
            }
            Self::Protocol(ProtocolBreach::Refused) => f.write_str("it refused a legal move or a command"),
        }
    }
}
