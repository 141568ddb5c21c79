//! `chess-uci`: the built-in engine for any program that speaks UCI.

use std::process::ExitCode;

use clap::Parser;
use playself::cli::engine_args::UciArgs;
use playself::cli::{entry, usage};

#[derive(Debug, Parser)]
#[command(name = "chess-uci", version)]
struct Cli {
    #[command(flatten)]
    engine: UciArgs,
}

fn main() -> ExitCode {
    entry::run(program)
}

fn program() -> ExitCode {
    match usage::parse::<Cli>() {
        Ok(cli) => cli.engine.run(),
        Err(status) => status,
    }
}
