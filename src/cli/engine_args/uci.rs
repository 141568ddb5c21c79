//! Arguments of the engine as a UCI engine.

use std::io;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::engine_args::bench::BenchArgs;
use crate::cli::engine_args::setup::SetupArgs;
use crate::cli::usage;
use crate::commands::{Failure, OrFailure};
use crate::frontend::uci;

/// Speak UCI on standard input and output
#[derive(Debug, clap::Args)]
pub struct UciArgs {
    #[command(flatten)]
    setup: SetupArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Debug, clap::Subcommand)]
enum Task {
    /// Search fixed positions and print node count and speed, as the program `benchmark` does
    Bench(BenchArgs),
}

impl UciArgs {
    /// Serves UCI until `quit` or the end of input, or runs the benchmark.
    pub fn run(self) -> ExitCode {
        usage::exit_code("chess-uci", self.serve())
    }

    fn serve(self) -> Result<ExitCode, Failure> {
        if let Some(Task::Bench(bench)) = self.task {
            return bench.run();
        }
        let options = self.setup.options().map_err(Failure::usage)?;
        // Standard output is not locked here, because the search thread also writes to it.
        uci::run(io::stdin().lock(), io::stdout(), options).context("UCI").or_fault()?;
        Ok(ExitCode::SUCCESS)
    }
}
