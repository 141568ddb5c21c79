//! Command lines of the small programs: a mistake is told in one line, with exit status 2.

use std::process::ExitCode;

use clap::Parser;

/// Reads the command line; `Err` is the status to leave with, everything having been said.
pub(crate) fn parse<A: Parser>() -> Result<A, ExitCode> {
    A::try_parse().map_err(|error| {
        if !error.use_stderr() {
            // Help and version, which are answers.
            error.exit();
        }
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        refuse(first.trim_start_matches("error: "))
    })
}

/// Says what is wrong in one line; gives the exit status of wrong usage.
#[expect(clippy::print_stderr, reason = "a program says what it was given wrong")]
pub(crate) fn refuse(what: impl std::fmt::Display) -> ExitCode {
    let text = what.to_string();
    eprintln!("error: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    ExitCode::from(2)
}
