//! `benchmark`: search speed, and the node count that identifies how the engine plays.

use std::process::ExitCode;

use clap::Parser;
use playself::cli::engine_args::BenchArgs;
use playself::cli::usage;

#[derive(Debug, Parser)]
#[command(name = "benchmark", version)]
struct Cli {
    #[command(flatten)]
    bench: BenchArgs,
}

fn main() -> ExitCode {
    match usage::parse::<Cli>() {
        Ok(cli) => usage::exit_code("benchmark", cli.bench.run()),
        Err(status) => status,
    }
}
