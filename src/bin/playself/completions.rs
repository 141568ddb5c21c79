//! `playself completions SHELL`: a completion script on standard output.

use std::io::{self, Write};
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
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "playself", &mut script);
        // Whoever stops reading has read enough.
        match io::stdout().write_all(&script) {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(why.into()),
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}
