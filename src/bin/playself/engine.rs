//! `playself engine uci|ace`: our own engine, so that one built program is enough for a whole run.

#[path = "../engine_arguments/ace.rs"]
mod ace;
#[path = "../engine_arguments/bench.rs"]
mod bench;
#[path = "../engine_arguments/setup.rs"]
mod setup;
#[path = "../engine_arguments/uci.rs"]
mod uci;

use std::process::ExitCode;

use self::ace::AceArgs;
use self::uci::UciArgs;

/// Be the built-in engine.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineArgs {
    #[command(subcommand)]
    protocol: Protocol,
}

#[derive(Debug, clap::Subcommand)]
enum Protocol {
    Uci(UciArgs),
    Ace(AceArgs),
}

/// Serves until the other side is done with us.
pub(crate) fn run(args: EngineArgs) -> ExitCode {
    match args.protocol {
        Protocol::Uci(args) => args.run(),
        Protocol::Ace(args) => args.run(),
    }
}
