//! `playself`: matches, sequential tests and tuning runs of chess engines.
//!
//! Each command is a file: a `clap::Args` struct whose `run` returns the exit status.

mod ask;
mod book;
mod check;
mod command;
mod compat;
mod completions;
mod control;
mod data;
mod doctor;
#[cfg(feature = "nats")]
mod fleet;
#[cfg(feature = "nats")]
mod fleet_status;
mod forecast_text;
mod init;
mod list;
mod manual;
mod options;
mod patches_text;
mod plan;
mod play;
mod play_plan;
mod rate;
mod report;
mod resume;
mod revision;
mod run_dir;
mod serve;
mod several_tests;
mod simulate;
mod simulate_tune;
mod special_calls;
mod sprt;
mod stats;
mod stats_text;
mod texel;
mod tune;
mod verify;
mod watch;
#[cfg(feature = "nats")]
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use playself::cli::output_flags::DetachFlags;
use playself::cli::{entry, usage};
use playself::commands::{Environment, Failure, OrFailure, start_detached};

/// Play matches of chess engines, test them sequentially, and tune their weights.
///
/// With only --white and --black, plays one pair of games and prints its result. An ENGINE is the path of a UCI program,
/// xboard:PATH, ace:PATH, builtin, builtin:WEIGHTS.toml, or a name in configs/engines. Configuration files are described in
/// docs/configuration.md.
///
/// Exit status: 0 finished or H1 accepted, 1 H0 accepted, 2 wrong usage, 3 undecided, 4 stopped by a fault, 130
/// interrupted. A run that ended with 4 or 130 can be resumed.
#[derive(Debug, Parser)]
#[command(name = "playself", version, arg_required_else_help = true, args_conflicts_with_subcommands = true)]
#[command(max_term_width = 110)]
#[command(after_help = "Examples:
  playself --white builtin --black builtin:configs/weights-plain.toml
  playself --white ./my-engine --black 'gnuchess --uci' --games 20 --tc 2+0.02
  playself sprt configs/sprt.toml
  playself report                            shows the newest run again")]
struct Cli {
    #[command(flatten)]
    classic: play::ClassicForm,
    #[command(subcommand)]
    command: Option<command::Command>,
}

impl Cli {
    fn run(self) -> Result<ExitCode, Failure> {
        match self.command {
            Some(command) => command.run(),
            None if self.classic.white.is_none() && self.classic.engines.is_empty() => {
                Err(Failure::usage("name two engines, --white A --black B, or a command: see --help"))
            }
            None => self.classic.run(),
        }
    }
}

fn detach(arguments: Vec<OsString>) -> Result<ExitCode, Failure> {
    let environment = Environment::current().or_fault()?;
    start_detached(environment.program(), arguments).map(ExitCode::from)
}

fn main() -> ExitCode {
    entry::run(program)
}

fn program() -> ExitCode {
    if let Some(status) = special_calls::answer() {
        return status;
    }
    let (cli, matches): (Cli, _) = match usage::parse_with_matches() {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    if DetachFlags::are_asked_for(&matches) {
        // A run in the background is played by a second process with the same arguments.
        return usage::exit_code("playself", detach(std::env::args_os().skip(1).collect()));
    }
    usage::exit_code("playself", cli.run())
}
