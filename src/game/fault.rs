//! Evidence recorded about irregular games.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::{EngineIndex, GameOfPair};
use crate::player::ExitEvidence;

/// An irregularity that did not affect the result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    /// Lines that answer no question: a second `bestmove`, one before `go`, a spare `readyok`.
    StrayLine {
        /// Number of lines.
        count: u64,
        /// The engine.
        by: EngineIndex,
    },
    /// Lines that are not part of the protocol, or not text.
    Garbage {
        /// Number of lines.
        count: u64,
        /// The beginning of the first one; empty if it is not known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        line: String,
        /// The engine.
        by: EngineIndex,
    },
    /// `info` fields that could not be read.
    BrokenInfo {
        /// Number of moves.
        count: u64,
        /// The engine.
        by: EngineIndex,
    },
    /// An engine that used the processor while its opponent was thinking.
    BusyWhileIdle {
        /// Processor time used on the opponent's time.
        cpu_ms: u64,
        /// The engine.
        by: EngineIndex,
    },
    /// An engine that waited for a processor on its own clock.
    Starved {
        /// Time that it waited, over all its threads.
        waited_ms: u64,
        /// Time that it ran or waited.
        wanted_ms: u64,
        /// The engine.
        by: EngineIndex,
    },
    /// Reported times that exceed the time between writing the question and reading the answer.
    FalseTime {
        /// Number of moves.
        count: u64,
        /// The engine.
        by: EngineIndex,
    },
    /// An ACE program whose exit status contradicts the result on the board.
    ExitStatusDisagrees {
        /// The exit status.
        exit: ExitEvidence,
        /// The engine.
        by: EngineIndex,
    },
    /// Processes started by the engine that were still running when it ended, and were killed.
    Leak {
        /// Number of processes.
        count: u64,
        /// The engine.
        by: EngineIndex,
    },
}

impl Warning {
    /// Returns the engine concerned.
    pub fn by(&self) -> EngineIndex {
        match *self {
            Self::StrayLine { by, .. }
            | Self::Garbage { by, .. }
            | Self::BrokenInfo { by, .. }
            | Self::BusyWhileIdle { by, .. }
            | Self::Starved { by, .. }
            | Self::FalseTime { by, .. }
            | Self::ExitStatusDisagrees { by, .. }
            | Self::Leak { by, .. } => by,
        }
    }
}

/// Displays what the engine did; the name of the engine precedes it in a sentence.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StrayLine { count: 1, .. } => f.write_str("sent an unexpected line, which was dropped"),
            Self::StrayLine { count, .. } => write!(f, "sent {count} unexpected lines, which were dropped"),
            Self::Garbage { count, line, .. } => {
                match count {
                    1 => f.write_str("sent a line that is not part of the protocol")?,
                    _ => write!(f, "sent {count} lines that are not part of the protocol")?,
                }
                if line.is_empty() { Ok(()) } else { write!(f, ": `{line}`") }
            }
            Self::BrokenInfo { count: 1, .. } => f.write_str("sent a score that cannot be read"),
            Self::BrokenInfo { count, .. } => write!(f, "sent {count} scores that cannot be read"),
            Self::BusyWhileIdle { cpu_ms, .. } => {
                write!(f, "used {cpu_ms} ms of processor time on its opponent's time")
            }
            Self::Starved { waited_ms, wanted_ms, .. } => {
                let [waited, wanted] = [waited_ms, wanted_ms].map(|ms| *ms as f64 / 1000.0);
                write!(
                    f,
                    "waited for a processor for {waited:.2} s of the {wanted:.2} s in which it could have run"
                )
            }
            Self::FalseTime { count: 1, .. } => f.write_str("reported more time than had passed for a move"),
            Self::FalseTime { count, .. } => {
                write!(f, "reported more time than had passed for {count} moves")
            }
            Self::ExitStatusDisagrees { exit, .. } => {
                write!(f, "ended with {exit}, which contradicts the result on the board")
            }
            Self::Leak { count: 1, .. } => f.write_str("left a process behind, which was killed"),
            Self::Leak { count, .. } => write!(f, "left {count} processes behind, which were killed"),
        }
    }
}

/// How the time of a move that lost on time was spent, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeEvidence {
    /// Time from writing the question to reading the answer.
    pub measured_us: u64,
    /// Time that the engine had, margin included.
    pub allowed_us: u64,
    /// Time last reported by the engine, if any.
    pub engine_reported_us: Option<u64>,
    /// Longest delay of the harness's own thread during the move: a delay of the host, not of the engine.
    pub host_delay_us: u64,
    /// Processor time that the engine used for the move, over all threads; may include up to five milliseconds before
    /// the move.
    pub engine_cpu_us: Option<u64>,
    /// Time that the engine waited for a processor during the move, with the same inaccuracy.
    pub engine_runqueue_us: Option<u64>,
}

/// Everything known about a game with a fault: enough to analyse and to repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultBundle {
    /// Index of the pair.
    pub pair: u64,
    /// Attempt at the pair.
    pub attempt: u32,
    /// Game of the pair.
    pub game: GameOfPair,
    /// The engine that failed.
    pub engine: EngineIndex,
    /// Name of the engine.
    pub engine_name: String,
    /// The reason as text.
    pub reason: String,
    /// The last lines, `>` to the engine and `<` from it, oldest first; bytes that are not text are escaped.
    pub transcript: Vec<String>,
    /// The end of the engine's stderr, escaped likewise.
    pub stderr_tail: String,
    /// How the process ended, if it did.
    pub exit: Option<ExitEvidence>,
    /// The position in which the engine had to move, or the last one.
    pub fen: String,
    /// The `position` command that leads to it.
    pub position: String,
    /// How the time was spent, on a time loss.
    pub time: Option<TimeEvidence>,
    /// A shell command that asks the same engine the same question.
    pub repeat: String,
}

impl FaultBundle {
    /// Returns what the engine did, in words; the name of the engine precedes it in a sentence.
    pub fn what_happened(&self) -> String {
        fault_in_words(&self.reason)
    }
}

/// Returns the reason of a game that an engine lost by a fault in words, after the name of the engine:
/// `crash(SIGSEGV)` becomes `crashed (SIGSEGV)`.
pub fn fault_in_words(reason: &str) -> String {
    if let Some(played) = reason.strip_prefix("illegal_move:") {
        return match played {
            "(none)" | "0000" => format!("sent bestmove {played} where it has legal moves"),
            _ => format!("played {played}, which is not a legal move"),
        };
    }
    let (kind, detail) = reason.split_once(['(', ':']).unwrap_or((reason, ""));
    let detail = detail.strip_suffix(')').unwrap_or(detail);
    let words = match (kind, detail) {
        ("time_forfeit", _) => "lost on time",
        ("time_forfeit_without_mate", _) => "exceeded its time against a king that cannot mate",
        ("crash", "startup") => "crashed at its start",
        ("crash", "idle") => "crashed while its opponent thought",
        ("crash", "memory") => "used more memory than its sandbox allows",
        ("crash", "stdin closed") => "closed its input",
        ("crash", "stdout closed") => "closed its output",
        ("stall", "no bestmove") => "stalled (sent no bestmove)",
        ("stall", "stdin") => "stalled (did not read its input)",
        ("protocol", "flood") => "printed too much",
        ("protocol", "refused") => "refused a legal move or a command that the game needs",
        ("crash", detail) => return format!("crashed ({detail})"),
        ("stall", detail) => return format!("stalled (waiting for {detail})"),
        _ => return reason.replace('_', " "),
    };
    words.to_owned()
}

/// Reason why a pair does not count: a failure of the host or the harness, not of an engine. Never depends on the
/// result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "void", rename_all = "snake_case")]
pub enum VoidReason {
    /// The system refused a process or a descriptor.
    Resources {
        /// Error message.
        message: String,
    },
    /// The machine or the harness was suspended.
    Suspended {
        /// Minimum duration.
        gap_ms: u64,
    },
    /// The harness's own thread was delayed for longer than a fair game allows.
    HostDelay {
        /// Minimum duration.
        gap_ms: u64,
    },
    /// The harness itself failed.
    HarnessError {
        /// Error message.
        message: String,
    },
    /// Both engines failed before the first move.
    BothFailed {
        /// The two reasons.
        message: String,
    },
    /// Several machines in turn were lost while they played it.
    WorkersLost {
        /// Number of machines.
        count: u32,
    },
    /// A machine reported games that cannot have been played.
    Rejected {
        /// What is impossible about them.
        why: String,
    },
    /// The run was stopped.
    Cancelled,
}

impl fmt::Display for VoidReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resources { message } => write!(f, "the system refused resources: {message}"),
            Self::Suspended { gap_ms } => write!(f, "the host was suspended for at least {gap_ms} ms"),
            Self::HostDelay { gap_ms } => write!(f, "the host was delayed by at least {gap_ms} ms"),
            Self::HarnessError { message } => write!(f, "the harness failed: {message}"),
            Self::BothFailed { message } => write!(f, "both engines failed: {message}"),
            Self::WorkersLost { count } => write!(f, "{count} machines were lost while they played it"),
            Self::Rejected { why } => write!(f, "a machine reported an impossible game: {why}"),
            Self::Cancelled => f.write_str("the run was stopped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_described_in_words() {
        for (reason, words) in [
            ("crash(SIGSEGV)", "crashed (SIGSEGV)"),
            ("crash(idle)", "crashed while its opponent thought"),
            ("stall(no bestmove)", "stalled (sent no bestmove)"),
            ("stall(uciok)", "stalled (waiting for uciok)"),
            ("illegal_move:(none)", "sent bestmove (none) where it has legal moves"),
            ("illegal_move:a7a6", "played a7a6, which is not a legal move"),
            ("time_forfeit", "lost on time"),
        ] {
            assert_eq!(fault_in_words(reason), words);
        }
    }
}
