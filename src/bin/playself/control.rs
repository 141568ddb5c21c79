//! `playself status|pause|continue|concurrency|stop RUN_DIR`: requests to a running run.

use std::process::ExitCode;
use std::time::Duration;

use playself::cli::number_lists::count;
use playself::commands::{Failure, OrFailure, answer};
use playself::run::control::{ControlAnswer, ControlError, ControlRequest, MAX_CONCURRENCY, request};
use playself::store::RunFolder;

use crate::run_dir::{AnyRunDir, RunDir};

/// Time that a run may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Print the state of a running run as JSON
#[derive(Debug, clap::Args)]
pub(crate) struct StatusCommand {
    #[command(flatten)]
    run: AnyRunDir,
}

/// Pause a running run: finish the pairs in play and start no more
#[derive(Debug, clap::Args)]
pub(crate) struct PauseCommand {
    #[command(flatten)]
    run: AnyRunDir,
}

/// Continue a paused run
#[derive(Debug, clap::Args)]
pub(crate) struct ContinueCommand {
    #[command(flatten)]
    run: AnyRunDir,
}

/// Change how many pairs a running run plays at once
#[derive(Debug, clap::Args)]
pub(crate) struct ConcurrencyCommand {
    #[command(flatten)]
    run: RunDir,
    /// Number of pairs at once
    #[arg(value_name = "N", value_parser = count(1..=MAX_CONCURRENCY))]
    number: usize,
}

/// Stop a running run after the pairs in play; it can be resumed
#[derive(Debug, clap::Args)]
pub(crate) struct StopCommand {
    #[command(flatten)]
    run: AnyRunDir,
}

impl StatusCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, ControlRequest::Status)
    }
}

impl PauseCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, ControlRequest::Pause)
    }
}

impl ContinueCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, ControlRequest::Continue)
    }
}

impl ConcurrencyCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, ControlRequest::Concurrency(self.number))
    }
}

impl StopCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        send(&self.run.folder()?, ControlRequest::Stop)
    }
}

/// Sends one request to the run and prints its answer. A refusal is a fault.
pub(crate) fn send(folder: &RunFolder, what: ControlRequest) -> Result<ExitCode, Failure> {
    let answered = request(folder, what, TIMEOUT).map_err(|error| match error {
        ControlError::NotRunning => Failure::fault(format_args!(
            "{} is not running: `playself report` shows its result, `playself resume` resumes it",
            folder.path().display()
        )),
        error => Failure::fault(format_args!("{}: {error}", folder.path().display())),
    })?;
    answer(serde_json::to_string(&answered).or_fault()?)?;
    Ok(match answered {
        ControlAnswer::Status(_) => ExitCode::SUCCESS,
        ControlAnswer::Error { .. } => ExitCode::from(Failure::FAULT_STATUS),
    })
}
