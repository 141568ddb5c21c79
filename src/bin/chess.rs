//! `chess`: a game of chess on the console, for people and, over pipes, for programs.

#[path = "engine_arguments/ace.rs"]
mod ace;
#[path = "engine_arguments/setup.rs"]
mod setup;
mod usage;

use std::process::ExitCode;

use clap::Parser;

use crate::ace::{AceArgs, USAGE};

#[derive(Debug, Parser)]
#[command(name = "chess", version)]
struct Cli {
    #[command(flatten)]
    game: AceArgs,
}

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => cli.game.run(),
        Err(message) => {
            if !message.use_stderr() {
                // Help and version, which are answers.
                message.exit();
            }
            usage::refuse(usage::in_short(&message));
            // The usual status for this, 2, would say that White won.
            ExitCode::from(USAGE)
        }
    }
}
