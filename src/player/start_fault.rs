//! Reasons why an engine could not be made ready to play.

use crate::player::dialogue::SpokenProtocol;
use crate::player::options::OptionError;
use crate::player::{EngineSpec, PlayerFault};

/// Reason why an engine could not be made ready to play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartFault {
    /// The engine failed.
    #[error("{0}")]
    Fault(PlayerFault),
    /// The plan sets an option that the engine does not accept.
    #[error("it {0}")]
    Option(OptionError),
    /// The engine cannot play the variant of the opening.
    #[error("it does not declare UCI_Chess960, which this opening needs")]
    NoChess960,
    /// The program uses another protocol than the plan states.
    #[error("it {problem}: it printed `{printed}`{advice}")]
    WrongProtocol {
        /// What is known about its protocol.
        problem: &'static str,
        /// The line that shows it.
        printed: String,
        /// What to write instead.
        advice: String,
    },
    /// The protocol, or this engine, cannot express what the plan requires.
    #[error("it {0}")]
    Unsupported(String),
    /// The engine refused a command without which it cannot play; its line.
    #[error("it refused a command that its games need: `{0}`")]
    Refused(String),
}

impl StartFault {
    /// Describes a program that uses another protocol than the plan states.
    pub(super) fn wrong_protocol(spoken: SpokenProtocol, printed: String, spec: &EngineSpec) -> Self {
        let program = spec.program.display();
        let (problem, advice) = match spoken {
            SpokenProtocol::Xboard => ("looks like an xboard engine", format!("; write xboard:{program}")),
            SpokenProtocol::Uci => ("looks like a UCI engine", format!("; write {program} without xboard:")),
            SpokenProtocol::Unknown => ("does not know the command `uci`", String::new()),
        };
        Self::WrongProtocol { problem, printed, advice }
    }
}
