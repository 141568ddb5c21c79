//! `chess`: a game of chess on the console, for people and, over pipes, for programs.

use std::process::ExitCode;

use clap::Parser;
use playself::cli::engine_args::{AceArgs, USAGE};
use playself::cli::{entry, usage};

#[derive(Debug, Parser)]
#[command(name = "chess", version)]
struct Cli {
    #[command(flatten)]
    game: AceArgs,
}

fn main() -> ExitCode {
    entry::run(program)
}

fn program() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => cli.game.run(),
        Err(message) => {
            if !message.use_stderr() {
                // Help and version are not errors.
                message.exit();
            }
            usage::refuse(usage::in_short(&message));
            // The usual status 2 would mean that White won.
            ExitCode::from(USAGE)
        }
    }
}
