//! `benchmark`: how fast the engine searches, and the signature of how it plays.

#[path = "engine_arguments/bench.rs"]
mod bench;
mod usage;

use std::process::ExitCode;

use clap::Parser;

use crate::bench::BenchArgs;

#[derive(Debug, Parser)]
#[command(name = "benchmark", version)]
struct Cli {
    #[command(flatten)]
    bench: BenchArgs,
}

fn main() -> ExitCode {
    match usage::parse::<Cli>() {
        Ok(cli) => cli.bench.run(),
        Err(status) => return status,
    }
    ExitCode::SUCCESS
}
