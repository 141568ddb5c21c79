//! `chess-uci`: our engine for any program that speaks UCI.

#[path = "engine_arguments/bench.rs"]
mod bench;
#[path = "engine_arguments/setup.rs"]
mod setup;
#[path = "engine_arguments/uci.rs"]
mod uci;
mod usage;

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
    match usage::parse::<Cli>() {
        Ok(cli) => cli.engine.run(),
        Err(status) => status,
    }
}
