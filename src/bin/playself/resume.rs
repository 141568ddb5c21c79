//! `playself resume RUN_DIR`.

use std::path::PathBuf;
use std::process::ExitCode;

use playself::cli::fleet_flags::FleetFlags;
use playself::cli::output_flags::{DetachFlags, LiveFlags};
use playself::commands::{
    Conclusion, Console, Environment, Failure, OrFailure, ResumeOptions, ResumePlace, accept, resume,
};

use crate::run_dir::AnyRunDir;

/// Resume a run that was stopped, killed or cut off by a power failure.
///
/// No finished game is lost; games that were in play are played again. A finished tuning run continues with its test. The
/// exit status is that of the command that started the run.
#[derive(Debug, clap::Args)]
pub(crate) struct ResumeCommand {
    #[command(flatten)]
    run: AnyRunDir,
    /// Print events as JSON lines on standard output, and text on standard error
    #[arg(long)]
    json: bool,
    /// Append the result to this file in Markdown when the run ends
    #[arg(long, value_name = "FILE")]
    summary_md: Option<PathBuf>,
    /// Resume a run of a fleet on this machine; what its workers have not reported yet is dropped
    #[arg(long, conflicts_with = "fleet", help_heading = "Fleet")]
    local: bool,
    #[command(flatten)]
    fleet: FleetFlags,
    #[command(flatten)]
    live: LiveFlags,
    #[command(flatten)]
    detach: DetachFlags,
}

impl ResumeCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?.on_fleet(self.fleet.access());
        let place = if self.local { ResumePlace::Here } else { ResumePlace::Fleet };
        let session = self.detach.session();
        let console = Console::of_flag(self.json);
        let options = ResumeOptions { console, serve: self.live.serve, session, place };
        let finished = resume(self.run.folder()?.path(), &options, &environment)?;
        let outcome = accept(finished, options.place, options.console, &environment)?;
        let conclusion = Conclusion { summary_md: self.summary_md };
        conclusion.conclude(outcome.tuning(), outcome.status(), options.console)?;
        Ok(ExitCode::from(outcome.status()))
    }
}
