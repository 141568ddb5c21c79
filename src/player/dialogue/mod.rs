//! Commands sent to an engine and replies expected from it, one protocol per file.

mod ace;
mod expect_line;
mod go_command;
mod uci;

pub(super) use ace::AceDialogue;
pub use ace::exit_disagrees;
pub(super) use expect_line::ExpectError;
pub(super) use uci::{HandshakeError, UciDialogue};
