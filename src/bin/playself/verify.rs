//! `playself verify RUN_DIR`.

use std::process::ExitCode;

use playself::commands::{Console, Failure, verify};

use crate::run_dir::RunDir;

/// Check a run's journal, and repair the files that follow from it
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    run: RunDir,
    /// Give up a damaged journal from this byte on; what is cut is kept beside it
    #[arg(long, value_name = "BYTE")]
    cut_journal_at: Option<u64>,
}

impl VerifyCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let verification = verify(&self.run.path, self.cut_journal_at)?;
        Console::Text.print(&verification.to_string());
        Ok(ExitCode::SUCCESS)
    }
}
