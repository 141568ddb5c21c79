//! `playself manual DIR`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use playself::commands::{Failure, OrFailure, answer};
use playself::store::write_whole;

use crate::completions::script;

/// Write man pages and completion scripts into a folder such as ~/.local/share
///
/// The files are where man and the shells look for them: man/man1, bash-completion/completions, zsh/site-functions and
/// fish/vendor_completions.d.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  playself manual ~/.local/share")]
pub(crate) struct ManualCommand {
    /// Folder, e.g. ~/.local/share or /usr/local/share
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManualCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let mut files = Vec::new();
        let mut command = crate::Cli::command();
        command.build();
        add_pages(&command, "playself", &mut files).or_fault()?;
        for (shell, path) in [
            (Shell::Bash, "bash-completion/completions/playself"),
            (Shell::Zsh, "zsh/site-functions/_playself"),
            (Shell::Fish, "fish/vendor_completions.d/playself.fish"),
        ] {
            files.push((PathBuf::from(path), script(shell).into_bytes()));
        }
        for (path, bytes) in &files {
            write_file(&self.folder.join(path), bytes).or_fault()?;
        }
        answer(format_args!("{} files written to {}", files.len(), self.folder.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Adds the page of a command and those of the commands below it.
fn add_pages(
    command: &clap::Command,
    name: &str,
    files: &mut Vec<(PathBuf, Vec<u8>)>,
) -> Result<(), std::io::Error> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    files.push((PathBuf::from(format!("man/man1/{name}.1")), page));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
    {
        add_pages(below, &format!("{name}-{}", below.get_name()), files)?;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be created", folder.display()))?;
    }
    write_whole(path, bytes).context("the manual cannot be written")
}
