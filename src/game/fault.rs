//! What an anomalous game leaves behind for whoever looks into it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::{EngineIndex, GameOfPair};
use crate::player::ExitEvidence;

/// An oddity that changed no result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    /// Lines nobody asked for: a second `bestmove`, one before `go`, a spare `readyok`.
    StrayLine {
        /// How many.
        count: u64,
        /// Whose.
        by: EngineIndex,
    },
    /// Lines that are not in the protocol, or not text.
    Garbage {
        /// How many.
        count: u64,
        /// Whose.
        by: EngineIndex,
    },
    /// `info` fields that could not be read.
    BrokenInfo {
        /// How many.
        count: u64,
        /// Whose.
        by: EngineIndex,
    },
    /// An engine that used the processor while it should have waited.
    BusyWhileIdle {
        /// Its processor time on the opponent's time.
        cpu_ms: u64,
        /// Whose.
        by: EngineIndex,
    },
    /// Reported times beyond what passed between our write and our read.
    FalseTime {
        /// How many moves.
        count: u64,
        /// Whose.
        by: EngineIndex,
    },
    /// An ACE program whose exit status told another result than the board.
    ExitStatusDisagrees {
        /// The status.
        exit: ExitEvidence,
        /// Whose.
        by: EngineIndex,
    },
    /// Processes it had started were still there when it ended, and were killed.
    Leak {
        /// How many.
        count: u64,
        /// Whose.
        by: EngineIndex,
    },
}

impl Warning {
    /// Whose oddity it is.
    pub fn by(&self) -> EngineIndex {
        match *self {
            Self::StrayLine { by, .. }
            | Self::Garbage { by, .. }
            | Self::BrokenInfo { by, .. }
            | Self::BusyWhileIdle { by, .. }
            | Self::FalseTime { by, .. }
            | Self::ExitStatusDisagrees { by, .. }
            | Self::Leak { by, .. } => by,
        }
    }
}

/// What it did, with its name to come first.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StrayLine { count, .. } => write!(f, "said {count} lines out of turn, which were dropped"),
            Self::Garbage { count, .. } => write!(f, "said {count} lines that are not in the protocol"),
            Self::BrokenInfo { count, .. } => write!(f, "gave {count} scores that cannot be read"),
            Self::BusyWhileIdle { cpu_ms, .. } => {
                write!(f, "used {cpu_ms} ms of processor time on its opponent's time")
            }
            Self::FalseTime { count, .. } => {
                write!(f, "reported more time than had passed for {count} moves")
            }
            Self::ExitStatusDisagrees { exit, .. } => {
                write!(f, "ended with {exit}, which tells another result than the board")
            }
            Self::Leak { count, .. } => write!(f, "left {count} processes behind, which were killed"),
        }
    }
}

/// How the time of a lost-on-time move was spent, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeEvidence {
    /// From our write to our read.
    pub measured_us: u64,
    /// What the engine had, margin included.
    pub allowed_us: u64,
    /// What the engine itself last reported, if it did.
    pub engine_reported_us: Option<u64>,
    /// The longest our own thread overslept during the move: the host's delay, not the engine's.
    pub host_delay_us: u64,
    /// Processor time the engine used for the move, all threads together; up to five milliseconds before it may be in it.
    pub engine_cpu_us: Option<u64>,
    /// Time the engine waited for a processor during the move, likewise.
    pub engine_runqueue_us: Option<u64>,
}

/// All that is known about an anomalous game: enough to see it, and to repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultBundle {
    /// The pair.
    pub pair: u64,
    /// The try at that pair.
    pub attempt: u32,
    /// The game of the pair.
    pub game: GameOfPair,
    /// Who failed.
    pub engine: EngineIndex,
    /// Its name.
    pub engine_name: String,
    /// The reason, in words.
    pub reason: String,
    /// The last lines, `>` to the engine and `<` from it, oldest first; bytes that are not text are escaped.
    pub transcript: Vec<String>,
    /// The end of its stderr, escaped likewise.
    pub stderr_tail: String,
    /// How its process ended, if it did.
    pub exit: Option<ExitEvidence>,
    /// The position it had to move in, or the last one.
    pub fen: String,
    /// The `position` command that reaches it.
    pub position: String,
    /// On a time loss, where the time went.
    pub time: Option<TimeEvidence>,
    /// A shell command that puts the same question to the same engine.
    pub repeat: String,
}

/// Why a pair does not count: something of ours failed, not an engine. Never depends on the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "void", rename_all = "snake_case")]
pub enum VoidReason {
    /// The system refused a process or a descriptor.
    Resources {
        /// What it said.
        message: String,
    },
    /// The machine or this process stood still.
    Suspended {
        /// For how long, at least.
        gap_ms: u64,
    },
    /// Our own thread was kept from running for longer than fair play allows.
    HostDelay {
        /// For how long, at least.
        gap_ms: u64,
    },
    /// Our own code failed.
    HarnessError {
        /// What it said.
        message: String,
    },
    /// Both engines failed before the first move.
    BothFailed {
        /// The two reasons.
        message: String,
    },
    /// The run was stopped.
    Cancelled,
}

impl fmt::Display for VoidReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resources { message } => write!(f, "the system refused resources: {message}"),
            Self::Suspended { gap_ms } => write!(f, "the host stood still for {gap_ms} ms"),
            Self::HostDelay { gap_ms } => write!(f, "the host was late by {gap_ms} ms"),
            Self::HarnessError { message } => write!(f, "the harness failed: {message}"),
            Self::BothFailed { message } => write!(f, "both engines failed: {message}"),
            Self::Cancelled => f.write_str("the run was stopped"),
        }
    }
}
