//! `playself data make`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use playself::commands::{Console, Failure, TrainingDataRequest, make_training_data, processors};
use playself::frontend::options::EngineOptions;
use playself::texel::SelfPlay;

/// Make data for `playself texel`
#[derive(Debug, clap::Args)]
pub(crate) struct DataCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Make(MakeCommand),
}

/// Play the built-in engine against itself and write the quiet positions of the games with their results
#[derive(Debug, clap::Args)]
struct MakeCommand {
    /// File to write, 36 bytes for each position
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of positions; the last game of each thread is finished
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(..=100_000_000_000))]
    positions: u64,
    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Random plies before each game; every second game has one more
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(..=60))]
    random_plies: u16,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Weights to play with, as `name = value` lines [default: those of the engine]
    #[arg(long, value_name = "FILE.toml")]
    weights: Option<PathBuf>,
}

impl DataCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            What::Make(command) => command.run(),
        }
    }
}

impl MakeCommand {
    fn run(self) -> Result<ExitCode, Failure> {
        let options = EngineOptions::load(self.weights.as_deref(), &[]).map_err(Failure::usage)?;
        let games = SelfPlay {
            weights: options.weights,
            nodes: self.nodes,
            random_plies: usize::from(self.random_plies),
            seed: self.seed,
        };
        let threads = self.threads.map_or_else(processors, usize::from);
        let request = TrainingDataRequest { games, positions: self.positions, threads };
        make_training_data(&request, &self.out, Console::Text)?;
        Ok(ExitCode::SUCCESS)
    }
}
