//! Commands sent to an engine and replies expected from it, one protocol per file.

mod ace;
mod expect_line;
mod go_command;
mod handshake_error;
mod uci;
mod xboard;
mod xboard_features;
mod xboard_game;

pub(super) use ace::AceDialogue;
pub use ace::exit_disagrees;
pub(super) use expect_line::ExpectError;
pub(super) use handshake_error::{HandshakeError, SpokenProtocol};
pub(super) use uci::UciDialogue;
pub(super) use xboard::XboardDialogue;
