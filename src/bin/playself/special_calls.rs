//! Calls that are answered before the arguments are parsed.

use std::process::ExitCode;

use clap::CommandFactory;
use playself::cli::call_hints::call_hint;
use playself::cli::usage;
use playself::commands::Failure;
use playself::player::{GuardianProgram, run_guardian};
use playself::spelling::nearest;

use crate::{Cli, compat};

/// Answers a call that is none of the commands of this program. Returns its exit status, or `None` for all others.
pub(crate) fn answer() -> Option<ExitCode> {
    // Not a command for users: the process that kills left-over engines if this one is killed.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == GuardianProgram::ARGUMENT) {
        run_guardian();
        return Some(ExitCode::SUCCESS);
    }
    if let Some(status) = compat::dispatch() {
        return Some(status);
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(hint) = call_hint(arguments.iter().map(String::as_str)) {
        return Some(usage::refuse(hint));
    }
    match &arguments[..] {
        [first, second] if first == "help" && ["--help", "-h"].contains(&second.as_str()) => {
            let printed = Cli::command().print_help();
            let printed = printed.map(|()| ExitCode::SUCCESS).map_err(Failure::Output);
            Some(usage::exit_code("playself", printed))
        }
        [first, second, ..] if are_engines(first, second) => Some(usage::refuse(format_args!(
            "there is no command `{first}`; `playself --white {first} --black {second}` plays two engines"
        ))),
        _ => None,
    }
}

/// Returns whether a call begins with two words that are neither flags nor commands.
fn are_engines(first: &str, second: &str) -> bool {
    let is_word = |text: &str| !text.starts_with('-');
    let command = Cli::command();
    let is_similar = |name: &str| nearest(first, [name]).is_some();
    is_word(first)
        && is_word(second)
        && first != "help"
        && !command
            .get_subcommands()
            .any(|known| known.get_all_aliases().chain([known.get_name()]).any(is_similar))
}
