//! `playself completions SHELL`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use playself::commands::Failure;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  playself completions bash > ~/.local/share/bash-completion/completions/playself")]
pub(crate) struct CompletionsCommand {
    /// Shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        // Written to memory first: the generator panics if its output is closed.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "playself", &mut script);
        io::stdout().write_all(&script).map_err(Failure::Output)?;
        Ok(ExitCode::SUCCESS)
    }
}
