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

use clap::Parser;

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

/// A call of the built-in engine, read without making it.
#[derive(Debug, Parser)]
#[command(name = "engine")]
struct Call {
    #[command(flatten)]
    engine: EngineArgs,
}

/// What the built-in engine would refuse in a call with these arguments, `engine` the first of them.
///
/// A weight that does not exist is a mistake of the configuration, to be told before any engine is started.
pub(crate) fn mistake_of_call(args: &[String]) -> Option<String> {
    let call = Call::try_parse_from(args).ok()?;
    match call.engine.protocol {
        Protocol::Uci(args) => args.mistake(),
        Protocol::Ace(_) => None,
    }
}

/// Serves until the other side is done with us.
pub(crate) fn run(args: EngineArgs) -> ExitCode {
    match args.protocol {
        Protocol::Uci(args) => args.run(),
        Protocol::Ace(args) => args.run(),
    }
}
