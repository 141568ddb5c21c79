//! `playself completions SHELL`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use playself::cli::run_completion::{RunShell, with_runs};
use playself::commands::Failure;

/// Print a completion script for a shell; it completes run folders too
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  playself completions bash \\
      > ~/.local/share/bash-completion/completions/playself")]
pub(crate) struct CompletionsCommand {
    /// Shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        // Written in memory first: the generator panics if its output is closed.
        io::stdout().write_all(script(self.shell).as_bytes()).map_err(Failure::Output)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the completion script for a shell.
pub(crate) fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::Cli::command(), "playself", &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Bash => with_runs(RunShell::Bash, &script),
        Shell::Zsh => with_runs(RunShell::Zsh, &script),
        Shell::Fish => with_runs(RunShell::Fish, &script),
        _ => script.into_owned(),
    }
}
