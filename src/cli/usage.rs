//! Command lines: a mistake is told in one line that says what is wrong and where help is, with exit status 2.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

/// Reads the command line; `Err` is the status to leave with, everything having been said.
pub fn parse<A: Parser>() -> Result<A, ExitCode> {
    A::try_parse().map_err(|error| {
        let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if is_help || !error.use_stderr() {
            // Help and version, which are answers.
            error.exit();
        }
        refuse(in_short(&error))
    })
}

/// What is wrong and the hint that may follow, without the usage, which --help has.
pub fn in_short(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut parts = text.split("\n\n").map(str::trim);
    let mistake = parts.next().unwrap_or_default().trim_start_matches("error: ");
    let hint = parts.find(|part| part.starts_with("tip: ")).map(|hint| format!("; {hint}"));
    format!("{mistake}{}; see --help", hint.unwrap_or_default())
}

/// The status after an answer was written: whoever closed the pipe has read enough, any other failure is told.
pub fn answered(written: io::Result<ExitCode>) -> ExitCode {
    match written {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => refuse(format_args!("standard output: {error}")),
    }
}

/// Says what is wrong in one line; gives the exit status of wrong usage.
#[expect(clippy::print_stderr, reason = "a program says what it was given wrong")]
pub fn refuse(what: impl std::fmt::Display) -> ExitCode {
    let text = what.to_string();
    eprintln!("error: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    ExitCode::from(2)
}
