//! `playself`: matches, sequential tests and tuning runs between chess engines, from the command line.
//!
//! Each subcommand lives in its own file: a `clap::Args` struct whose `run` returns the exit status.

mod book;
mod completions;
mod data;
mod engine;
mod simulate;
mod stats;
mod texel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use playself::player::{GuardianProgram, keep_watch};

/// Exit status for a wrong call or a wrong configuration file.
const USAGE: u8 = 2;

/// Play chess engines against each other, decide by statistics, and tune their weights.
#[derive(Debug, Parser)]
#[command(name = "playself", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Book(book::BookArgs),
    Simulate(simulate::SimulateCommand),
    Stats(stats::StatsCommand),
    Completions(completions::CompletionsCommand),
    Data(data::DataCommand),
    Engine(engine::EngineArgs),
    Texel(texel::TexelCommand),
}

impl Command {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Book(command) => command.run(),
            Self::Simulate(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Data(command) => command.run(),
            Self::Engine(args) => Ok(engine::run(args)),
            Self::Texel(command) => command.run(),
        }
    }
}

fn main() -> ExitCode {
    // Not a command: a process of ours that kills the engines we leave behind should we be killed.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == GuardianProgram::ARGUMENT) {
        keep_watch();
        return ExitCode::SUCCESS;
    }
    match Cli::parse().command.run() {
        Ok(status) => status,
        Err(failure) => {
            complain(&failure);
            ExitCode::from(USAGE)
        }
    }
}

#[expect(clippy::print_stderr, reason = "the one place where a failed command says why")]
fn complain(failure: &anyhow::Error) {
    eprintln!("playself: {failure:#}");
}
