//! All commands of `playself`.

use std::process::ExitCode;

use clap::Subcommand;
use playself::cli::engine_args::EngineArgs;
use playself::commands::Failure;

use crate::{
    ask, book, check, compat, completions, control, data, doctor, init, list, manual, options, plan, play,
    rate, report, resume, serve, simulate, sprt, stats, texel, tune, verify, watch,
};
#[cfg(feature = "nats")]
use crate::{fleet, worker};

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "a process has one command")]
pub(crate) enum Command {
    Init(init::InitCommand),
    Match(play::MatchCommand),
    Sprt(sprt::SprtCommand),
    Tune(tune::TuneCommand),
    Resume(resume::ResumeCommand),
    Report(report::ReportCommand),
    Verify(verify::VerifyCommand),
    List(list::ListCommand),
    Watch(watch::WatchCommand),
    Ask(ask::AskCommand),
    Serve(serve::ServeCommand),
    Status(control::StatusCommand),
    Pause(control::PauseCommand),
    Continue(control::ContinueCommand),
    Concurrency(control::ConcurrencyCommand),
    Stop(control::StopCommand),
    #[cfg(feature = "nats")]
    Fleet(fleet::FleetArgs),
    #[cfg(feature = "nats")]
    Worker(worker::WorkerCommand),
    Check(check::CheckCommand),
    Doctor(doctor::DoctorCommand),
    Options(options::OptionsCommand),
    Plan(plan::PlanCommand),
    Stats(stats::StatsCommand),
    Rate(rate::RateCommand),
    Simulate(simulate::SimulateCommand),
    Book(book::BookArgs),
    Data(data::DataCommand),
    Texel(texel::TexelCommand),
    Engine(EngineArgs),
    Fastchess(compat::FastchessCommand),
    #[command(name = "cutechess-cli")]
    Cutechess(compat::CutechessCommand),
    Completions(completions::CompletionsCommand),
    Manual(manual::ManualCommand),
}

impl Command {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Init(command) => command.run(),
            Self::Match(command) => command.run(),
            Self::Sprt(command) => command.run(),
            Self::Tune(command) => command.run(),
            Self::Resume(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Watch(command) => command.run(),
            Self::Ask(command) => command.run(),
            Self::Serve(command) => command.run(),
            Self::Status(command) => command.run(),
            Self::Pause(command) => command.run(),
            Self::Continue(command) => command.run(),
            Self::Concurrency(command) => command.run(),
            Self::Stop(command) => command.run(),
            #[cfg(feature = "nats")]
            Self::Fleet(command) => command.run(),
            #[cfg(feature = "nats")]
            Self::Worker(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Doctor(command) => command.run(),
            Self::Options(command) => command.run(),
            Self::Plan(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Rate(command) => command.run(),
            Self::Simulate(command) => command.run(),
            Self::Book(command) => command.run(),
            Self::Data(command) => command.run(),
            Self::Texel(command) => command.run(),
            Self::Engine(args) => Ok(args.run()),
            Self::Fastchess(command) => command.run(),
            Self::Cutechess(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Manual(command) => command.run(),
        }
    }
}
