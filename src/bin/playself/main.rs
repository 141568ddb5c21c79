//! `playself`: matches, sequential tests and tuning runs of chess engines.
//!
//! Each command is a file: a `clap::Args` struct whose `run` returns the exit status.

mod ask;
mod book;
mod check;
mod command;
mod completions;
mod control;
mod data;
mod doctor;
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
mod rivals;
mod run_dir;
mod serve;
mod several_tests;
mod simulate;
mod simulate_tune;
mod sprt;
mod stats;
mod stats_text;
mod texel;
mod tune;
mod verify;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use playself::cli::foreign_calls::foreign_call_hint;
use playself::cli::usage;
use playself::commands::{Environment, Failure, OrFailure, asks_to_detach, start_detached};
use playself::player::{GuardianProgram, run_guardian};

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
    // Not a command for users: the process that kills left-over engines if this one is killed.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == GuardianProgram::ARGUMENT) {
        run_guardian();
        return ExitCode::SUCCESS;
    }
    if let Some(status) = rivals::dispatch() {
        return status;
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(hint) = foreign_call_hint(arguments.iter().map(String::as_str)) {
        return usage::refuse(hint);
    }
    if let [first, second] = &arguments[..]
        && first == "help"
        && ["--help", "-h"].contains(&second.as_str())
    {
        let printed = Cli::command().print_help();
        return usage::exit_code("playself", printed.map(|()| ExitCode::SUCCESS).map_err(Failure::Output));
    }
    let cli: Cli = match usage::parse() {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    // The arguments are valid. A run in the background is played by a second process with the same ones.
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if asks_to_detach(&arguments) {
        return usage::exit_code("playself", detach(arguments));
    }
    usage::exit_code("playself", cli.run())
}
