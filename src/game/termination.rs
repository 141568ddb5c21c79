//! Reasons why games end.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chess::Color;
use crate::player::{CrashMoment, ExitEvidence, ProtocolBreach, StallPoint};

/// Reason why a game ended. The winner is in the [`GameResult`](crate::game::GameResult) beside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Termination {
    /// Checkmate on the board.
    Checkmate,
    /// No legal move without being in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// A hundred half-moves without a capture or a pawn move.
    FiftyMoves,
    /// The same position for the third time.
    Repetition,
    /// The move arrived after the flag had fallen, or not at all.
    TimeForfeit {
        /// Time beyond clock and margin when the move arrived or the wait ended.
        over_us: u64,
    },
    /// A flag fell, but the opponent had no material to mate with: a draw.
    TimeForfeitWithoutMate {
        /// Side whose flag fell; absent in records of old versions.
        #[serde(default)]
        flag: Option<Flag>,
    },
    /// The engine's reply was not a legal move.
    IllegalMove {
        /// The reply, truncated to 16 characters; `<empty>` for an empty one.
        text: String,
    },
    /// The engine's process ended or closed one of its streams.
    Crash {
        /// State of the engine at that time.
        during: CrashMoment,
        /// How the process ended, if it did.
        exit: Option<ExitEvidence>,
    },
    /// The engine did not respond.
    Stall {
        /// The response that was due.
        waiting_for: StallPoint,
    },
    /// The engine broke the protocol.
    Protocol {
        /// The breach.
        breach: ProtocolBreach,
    },
    /// Both engines' scores stayed near zero for long enough.
    AdjudicatedDraw,
    /// The loser's score was hopeless for long enough.
    AdjudicatedWin,
    /// The game reached its move limit: a draw.
    MaxMoves,
    /// The loser resigned, as an xboard engine can.
    Resignation,
    /// One engine offered a draw and the other accepted it, as xboard engines can.
    AgreedDraw,
    /// Endgame tables know the result.
    Tablebase,
}

/// Side whose flag fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<Color> for Flag {
    fn from(side: Color) -> Self {
        match side {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }
}

impl From<Flag> for Color {
    fn from(flag: Flag) -> Self {
        match flag {
            Flag::White => Self::White,
            Flag::Black => Self::Black,
        }
    }
}

impl Termination {
    /// Returns whether an engine failed, rather than lost by chess, clock or adjudication.
    pub fn is_engine_fault(&self) -> bool {
        matches!(self, Self::IllegalMove { .. }) || self.ends_the_process()
    }

    /// Returns whether an engine exceeded its time, whatever the result.
    pub fn is_time_loss(&self) -> bool {
        matches!(self, Self::TimeForfeit { .. } | Self::TimeForfeitWithoutMate { .. })
    }

    /// Returns whether the process of the engine at fault must be replaced.
    pub fn ends_the_process(&self) -> bool {
        matches!(self, Self::Crash { .. } | Self::Stall { .. } | Self::Protocol { .. })
    }

    /// Returns the reason without its details, as used by CSV and counts: `time_forfeit`, `crash`, …
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient_material",
            Self::FiftyMoves => "fifty_moves",
            Self::Repetition => "repetition",
            Self::TimeForfeit { .. } => "time_forfeit",
            Self::TimeForfeitWithoutMate { .. } => "time_forfeit_without_mate",
            Self::IllegalMove { .. } => "illegal_move",
            Self::Crash { .. } => "crash",
            Self::Stall { .. } => "stall",
            Self::Protocol { .. } => "protocol",
            Self::AdjudicatedDraw => "adjudicated_draw",
            Self::AdjudicatedWin => "adjudicated_win",
            Self::MaxMoves => "max_moves",
            Self::Resignation => "resignation",
            Self::AgreedDraw => "agreed_draw",
            Self::Tablebase => "tablebase",
        }
    }
}

/// Displays the reason with its details: `illegal_move:a1a1`, `crash(SIGSEGV)`, `stall(readyok)`.
impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::IllegalMove { text } => write!(f, ":{text}"),
            Self::Crash { during, exit } => match (during, exit) {
                (CrashMoment::Startup, _) => f.write_str("(startup)"),
                (CrashMoment::Idle, _) => f.write_str("(idle)"),
                (CrashMoment::Memory, _) => f.write_str("(memory)"),
                (CrashMoment::StdinClosed, _) => f.write_str("(stdin closed)"),
                (CrashMoment::Thinking, Some(exit)) => write!(f, "({exit})"),
                (CrashMoment::StdoutClosed | CrashMoment::Thinking, _) => f.write_str("(stdout closed)"),
            },
            Self::Stall { waiting_for } => write!(f, "({})", waiting_for.word()),
            Self::Protocol { breach } => write!(f, "({})", breach.word()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_displayed_as_in_the_fault_table() {
        let crash = |during, exit| Termination::Crash { during, exit };
        for (termination, text) in [
            (Termination::IllegalMove { text: "a1a1".into() }, "illegal_move:a1a1"),
            (crash(CrashMoment::Startup, Some(ExitEvidence::Code(1))), "crash(startup)"),
            (crash(CrashMoment::Thinking, Some(ExitEvidence::Signal(11))), "crash(SIGSEGV)"),
            (crash(CrashMoment::Thinking, Some(ExitEvidence::Code(0))), "crash(exit 0)"),
            (crash(CrashMoment::Idle, Some(ExitEvidence::Signal(6))), "crash(idle)"),
            (crash(CrashMoment::StdoutClosed, None), "crash(stdout closed)"),
            (Termination::Stall { waiting_for: StallPoint::Bestmove }, "stall(no bestmove)"),
            (Termination::Protocol { breach: ProtocolBreach::Flood }, "protocol(flood)"),
            (Termination::TimeForfeit { over_us: 3 }, "time_forfeit"),
            (Termination::TimeForfeitWithoutMate { flag: Some(Flag::Black) }, "time_forfeit_without_mate"),
        ] {
            assert_eq!(termination.to_string(), text);
            let json = serde_json::to_string(&termination).unwrap();
            assert_eq!(serde_json::from_str::<Termination>(&json).unwrap(), termination);
        }
    }
}
