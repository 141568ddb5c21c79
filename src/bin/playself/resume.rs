//! `playself resume RUN_DIR`.

use std::process::ExitCode;

use playself::cli::run_flags::LiveFlags;
use playself::commands::{Console, Environment, Failure, OrFailure, ResumeOptions, accept, resume};

use crate::run_dir::RunDir;

/// Go on with a run that was stopped, killed or cut off, exactly where it was
#[derive(Debug, clap::Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    run: RunDir,
    /// Print the run's events as JSON lines, and nothing else, on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    live: LiveFlags,
}

impl ResumeCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let options = ResumeOptions { console: Console::of_flag(self.json), serve: self.live.serve };
        let finished = resume(&self.run.path, &options, &environment)?;
        Ok(ExitCode::from(accept(finished, options.console, &environment)?.status()))
    }
}
