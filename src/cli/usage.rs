//! Parsing of command lines and the exit status of a program.
//!
//! A wrong call is reported in one line that names the mistake and `--help`; its exit status is 2.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Parser};

use crate::commands::{Console, Failure};
use crate::report::harmless;

/// Parses the command line. `Err` holds the exit status of a wrong call, which is already reported.
pub fn parse<A: Parser>() -> Result<A, ExitCode> {
    parse_with_matches().map(|(arguments, _)| arguments)
}

/// Parses the command line, and returns its matches too.
pub fn parse_with_matches<A: Parser>() -> Result<(A, ArgMatches), ExitCode> {
    let parsed = A::command().try_get_matches().and_then(|matches| {
        let arguments = A::from_arg_matches(&matches).map_err(|error| error.format(&mut A::command()))?;
        Ok((arguments, matches))
    });
    parsed.map_err(|error| {
        let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if is_help || !error.use_stderr() {
            // Help and version are not errors.
            error.exit();
        }
        refuse(in_short(&error))
    })
}

/// Returns the mistake and the hint of a parse error, without the usage, which `--help` has.
pub fn in_short(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut parts = text.split("\n\n").map(str::trim);
    let mistake = parts.next().unwrap_or_default().trim_start_matches("error: ");
    // An unknown flag is hardly ever meant as a value.
    let is_helpful = |part: &&str| part.starts_with("tip: ") && !part.starts_with("tip: to pass ");
    let hint = parts.find(is_helpful).map(|hint| format!("; {hint}"));
    let needs_file = mistake.ends_with("were not provided:\n  <CONFIG>");
    let hint = hint.or_else(|| needs_file.then(|| "; `playself init` writes one".to_owned()));
    format!("{}{}; see --help", number_in_words(&range_in_words(mistake)), hint.unwrap_or_default())
}

/// Replaces the range at the end of `0 is not in 1..=4096` by words.
fn range_in_words(mistake: &str) -> String {
    let Some((before, range)) = mistake.rsplit_once(" is not in ") else { return mistake.to_owned() };
    match range.split_once("..=") {
        Some(("", most)) => format!("{before} is more than {most}"),
        Some((least, most)) => format!("{before} is not between {least} and {most}"),
        None => mistake.to_owned(),
    }
}

/// Replaces the reasons of the standard library why a text is no number.
fn number_in_words(mistake: &str) -> String {
    const REASONS: [(&str, &str); 5] = [
        (": invalid digit found in string", ": expected a whole number"),
        (": cannot parse integer from empty string", ": expected a whole number"),
        (": number too large to fit in target type", ": the number is too large"),
        (": invalid float literal", ": expected a number"),
        (": cannot parse float from empty string", ": expected a number"),
    ];
    let found =
        REASONS.iter().find_map(|(reason, words)| Some(mistake.strip_suffix(reason)?.to_owned() + words));
    found.unwrap_or_else(|| mistake.to_owned())
}

/// Reports a mistake in one line on standard error. Returns the exit status of wrong usage.
#[expect(clippy::print_stderr, reason = "reports a wrong call")]
pub fn refuse(mistake: impl std::fmt::Display) -> ExitCode {
    let text = mistake.to_string();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    eprintln!("error: {}", harmless(shortened(&text)));
    ExitCode::from(Failure::USAGE_STATUS)
}

/// Returns the exit status of a command of `program`; a failure is reported on standard error.
pub fn exit_code(program: &str, result: Result<ExitCode, Failure>) -> ExitCode {
    result.unwrap_or_else(|failure| {
        if !failure.is_silent() {
            let message = format!("{program}: {failure}");
            Console::Text.print_progress(shortened(&message));
        }
        ExitCode::from(failure.status())
    })
}

/// Cuts a message that quotes a line of megabytes.
fn shortened(message: &str) -> &str {
    const LONGEST: usize = 8 << 10;
    &message[..message.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_megabytes_is_cut() {
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&"é".repeat(10_000)).len(), 8 << 10);
    }

    #[test]
    fn a_number_out_of_its_range_is_refused_in_words() {
        for (clap, words) in [
            ("value '0': 0 is not in 1..=4096", "value '0': 0 is not between 1 and 4096"),
            ("value '9': 9 is not in ..=8", "value '9': 9 is more than 8"),
            ("unexpected argument 'x'", "unexpected argument 'x'"),
        ] {
            assert_eq!(range_in_words(clap), words);
        }
        for (clap, words) in [
            ("value 'abc': invalid digit found in string", "value 'abc': expected a whole number"),
            ("value 'x': invalid float literal", "value 'x': expected a number"),
            ("unexpected argument 'x'", "unexpected argument 'x'"),
        ] {
            assert_eq!(number_in_words(clap), words);
        }
    }
}
