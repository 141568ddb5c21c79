//! `chess`: a game of chess on the console, for people and, over pipes, for programs.

#[path = "engine_arguments/ace.rs"]
mod ace;
#[path = "engine_arguments/setup.rs"]
mod setup;

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
            // Nothing can be said about a failure to say what is wrong.
            let _ = message.print();
            // The usual status for this, 2, would say that White won.
            if message.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
        }
    }
}
