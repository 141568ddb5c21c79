//! `chess-uci`: our engine for any program that speaks UCI.

#[path = "engine_arguments/bench.rs"]
mod bench;
#[path = "engine_arguments/setup.rs"]
mod setup;
#[path = "engine_arguments/uci.rs"]
mod uci;

use std::process::ExitCode;

use clap::Parser;

use crate::uci::UciArgs;

#[derive(Debug, Parser)]
#[command(name = "chess-uci", version)]
struct Cli {
    #[command(flatten)]
    engine: UciArgs,
}

fn main() -> ExitCode {
    Cli::parse().engine.run()
}
