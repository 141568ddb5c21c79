//! `playself engine uci|ace`: the built-in engine in the same program, so that a run needs no other.

use std::process::ExitCode;

use crate::cli::engine_args::{AceArgs, UciArgs};

/// Run the built-in engine.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    #[command(subcommand)]
    protocol: EngineProtocol,
}

#[derive(Debug, clap::Subcommand)]
enum EngineProtocol {
    Uci(UciArgs),
    Ace(AceArgs),
}

impl EngineArgs {
    /// Serves until the other side ends the session.
    pub fn run(self) -> ExitCode {
        match self.protocol {
            EngineProtocol::Uci(args) => args.run(),
            EngineProtocol::Ace(args) => args.run(),
        }
    }
}
