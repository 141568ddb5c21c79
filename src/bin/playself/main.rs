//! `playself`: matches, sequential tests and tuning runs between chess engines, from the command line.
//!
//! Each subcommand lives in its own file: a `clap::Args` struct whose `run` returns the exit status.

mod book;
mod completions;
mod control;
mod data;
mod doctor;
mod engine;
mod forecast;
mod launch;
mod match_command;
mod output;
mod pilot;
mod report;
mod resume;
mod revision;
mod run_flags;
mod serve;
mod simulate;
mod simulate_tune;
mod sprt;
mod stats;
mod test_forecast;
mod texel;
mod tune;
mod tune_list;
#[path = "../usage/mod.rs"]
mod usage;
mod verify;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use playself::player::{GuardianProgram, run_guardian};

/// Exit status for a wrong call or a wrong configuration file.
const USAGE: u8 = 2;

/// Play chess engines against each other, decide by statistics, and tune their weights.
///
/// With two engines and nothing else, plays a pair of games and says who won.
#[derive(Debug, Parser)]
#[command(name = "playself", version, arg_required_else_help = true, args_conflicts_with_subcommands = true)]
#[command(max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    classic: match_command::ClassicForm,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Match(match_command::MatchCommand),
    Sprt(sprt::SprtCommand),
    Tune(tune::TuneCommand),
    Resume(resume::ResumeCommand),
    Report(report::ReportCommand),
    Verify(verify::VerifyCommand),
    Watch(watch::WatchCommand),
    Serve(serve::ServeCommand),
    Status(control::StatusCommand),
    Pause(control::PauseCommand),
    Continue(control::ContinueCommand),
    Concurrency(control::ConcurrencyCommand),
    Stop(control::StopCommand),
    Doctor(doctor::DoctorCommand),
    Plan(forecast::PlanCommand),
    Stats(stats::StatsCommand),
    Simulate(simulate::SimulateCommand),
    Book(book::BookArgs),
    Data(data::DataCommand),
    Texel(texel::TexelCommand),
    Engine(engine::EngineArgs),
    Completions(completions::CompletionsCommand),
}

impl Cli {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(command) => command.run(),
            None if self.classic.white.is_none() => {
                anyhow::bail!("name two engines, --white A --black B, or a command: see --help")
            }
            None => self.classic.run(),
        }
    }
}

impl Command {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Match(command) => command.run(),
            Self::Sprt(command) => command.run(),
            Self::Tune(command) => command.run(),
            Self::Resume(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Watch(command) => command.run(),
            Self::Serve(command) => command.run(),
            Self::Status(command) => command.run(),
            Self::Pause(command) => command.run(),
            Self::Continue(command) => command.run(),
            Self::Concurrency(command) => command.run(),
            Self::Stop(command) => command.run(),
            Self::Doctor(command) => command.run(),
            Self::Plan(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Simulate(command) => command.run(),
            Self::Book(command) => command.run(),
            Self::Data(command) => command.run(),
            Self::Texel(command) => command.run(),
            Self::Engine(args) => Ok(engine::run(args)),
            Self::Completions(command) => command.run(),
        }
    }
}

fn main() -> ExitCode {
    // Not a command: a process of ours that kills the engines we leave behind should we be killed.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == GuardianProgram::ARGUMENT) {
        run_guardian();
        return ExitCode::SUCCESS;
    }
    let cli: Cli = match usage::parse() {
        Ok(cli) => cli,
        Err(status) => return status,
    };
    match cli.run() {
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
