//! `benchmark`: how fast the engine searches, and the signature of how it plays.

#[path = "engine_arguments/bench.rs"]
mod bench;

use clap::Parser;

use crate::bench::BenchArgs;

#[derive(Debug, Parser)]
#[command(name = "benchmark", version)]
struct Cli {
    #[command(flatten)]
    bench: BenchArgs,
}

fn main() {
    Cli::parse().bench.run();
}
