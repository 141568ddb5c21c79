//! The engine behind UCI.

use std::io;
use std::process::ExitCode;

use playself::frontend::uci;

use super::bench::BenchArgs;
use super::setup::{SetupArgs, complain};

/// Wrong arguments.
const USAGE: u8 = 2;

/// Speak UCI on standard input and output.
#[derive(Debug, clap::Args)]
pub(crate) struct UciArgs {
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
    /// What is wrong with the setup these arguments ask for.
    #[allow(dead_code, reason = "only the harness asks before it starts an engine")]
    pub(crate) fn mistake(&self) -> Option<String> {
        self.setup.options().err()
    }

    pub(crate) fn run(self) -> ExitCode {
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
