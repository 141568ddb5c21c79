//! `playself completions SHELL`: a completion script on standard output.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsCommand {
    /// The shell that will read the script.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "playself", &mut io::stdout());
        Ok(ExitCode::SUCCESS)
    }
}
