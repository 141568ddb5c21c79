//! `playself verify RUN_DIR`.

use std::process::ExitCode;

use playself::commands::{Failure, answer, verify};

use crate::run_dir::AnyRunDir;

/// Check the journal of a run and rewrite the files that differ from it.
///
/// The journal itself is never changed without --cut-journal-at. A longer file that is replaced is kept under the name
/// FILE.before-verify.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    run: AnyRunDir,
    /// Cut a damaged journal at this byte; the rest is kept in the file journal.cut-at-BYTE
    #[arg(long, value_name = "BYTE")]
    cut_journal_at: Option<u64>,
}

impl VerifyCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        answer(verify(self.run.folder()?.path(), self.cut_journal_at)?)?;
        Ok(ExitCode::SUCCESS)
    }
}
