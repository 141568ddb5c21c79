//! `playself fastchess` and `playself cutechess-cli`, also through a link or copy with such a name.

use std::process::ExitCode;

use playself::commands::Failure;
use playself::compat::{self, Surface};

/// Use the command line of fastchess.
///
/// All its flags, lines and files; the run itself is played by playself. A link or copy of playself whose name begins with
/// fastchess does the same. --explain prints the run file that a command line means. See docs/coming-from-fastchess.md.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct FastchessCommand {
    /// Flags of fastchess
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

/// Use the command line of cutechess-cli.
///
/// All its flags, lines and files; the run itself is played by playself. A link or copy of playself whose name begins with
/// cutechess does the same. --explain prints the run file that a command line means. See docs/coming-from-fastchess.md.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct CutechessCommand {
    /// Flags of cutechess-cli
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

impl FastchessCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        Ok(compat::main(Surface::Fastchess, "fastchess", &self.flags))
    }
}

impl CutechessCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        Ok(compat::main(Surface::Cutechess, "cutechess-cli", &self.flags))
    }
}

/// Runs the other program's command line if the name of this one, or its first argument, asks for it. Their grammar is not
/// that of clap, so this comes before it.
pub(crate) fn dispatch() -> Option<ExitCode> {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let (program, rest) = words.split_first()?;
    if let Some(surface) = Surface::of_program(program) {
        return Some(compat::main(surface, program, rest));
    }
    let (word, rest) = rest.split_first()?;
    let surface = Surface::of_command(word)?;
    Some(compat::main(surface, &format!("{program} {word}"), rest))
}
