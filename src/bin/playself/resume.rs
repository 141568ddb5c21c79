//! `playself resume RUN_DIR`: go on where a run was stopped.

use std::process::ExitCode;

use crate::launch::{self, FAULT, Refused, RunDir, Show};
use crate::run_flags::LiveFlags;

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
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let show = if self.json { Show::Json } else { Show::Human };
        match launch::resume(&self.run.path, show, &self.live) {
            Ok(played) => crate::tune::accept(&played, show),
            Err(Refused::Usage(why)) => Err(why),
            Err(Refused::Fault(why)) => {
                crate::complain(&why);
                Ok(ExitCode::from(FAULT))
            }
        }
    }
}
