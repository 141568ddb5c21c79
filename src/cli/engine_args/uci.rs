//! The engine behind UCI.

use std::io;
use std::process::ExitCode;

use crate::frontend::uci;

use crate::cli::engine_args::bench::BenchArgs;
use crate::cli::engine_args::setup::{SetupArgs, complain};

/// Wrong arguments.
const USAGE: u8 = 2;

/// Speak UCI on standard input and output.
#[derive(Debug, clap::Args)]
pub struct UciArgs {
    #[command(flatten)]
    setup: SetupArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Debug, clap::Subcommand)]
enum Task {
    /// Search fixed positions and tell nodes and speed, as `benchmark` does
    Bench(BenchArgs),
}

impl UciArgs {
    /// Serves UCI until `quit` or the end of input, or runs the benchmark.
    pub fn run(self) -> ExitCode {
        if let Some(Task::Bench(bench)) = self.task {
            bench.run();
            return ExitCode::SUCCESS;
        }
        let served = self.setup.options().and_then(|options| {
            // Not the locked standard output: the thread that searches writes too.
            uci::run(io::stdin().lock(), io::stdout(), options).map_err(|error| error.to_string())
        });
        match served {
            Ok(_) => ExitCode::SUCCESS,
            Err(mistake) => {
                complain("chess-uci", &mistake);
                ExitCode::from(USAGE)
            }
        }
    }
}
