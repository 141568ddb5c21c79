//! `playself ask RUN_DIR PAIR.GAME`.

use std::process::ExitCode;

use playself::cli::ask_text::{asked_json, asked_text};
use playself::cli::game_id::game_id;
use playself::cli::limit_flags::LimitFlags;
use playself::commands::{AskRequest, Environment, Failure, OrFailure, answer, ask};
use playself::config::EngineEntry;
use playself::game::GameId;

use crate::run_dir::RunDir;

/// Put a position of a recorded game to one or several engines again.
///
/// Without --engine, asks the engine that was to move, with its options of the run. Without a limit, each engine thinks as
/// in the run; on a clock, with the time that was left in the game.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  playself ask last 12.1 --ply 40
  playself ask last 12.1 --ply 40 --engine builtin --engine stockfish \\
      --nodes 1000000")]
pub(crate) struct AskCommand {
    #[command(flatten)]
    run: RunDir,
    /// Game: the number of its pair, and 1 or 2
    #[arg(value_name = "PAIR.GAME", value_parser = game_id)]
    game: GameId,
    /// Number of half-moves before the position, those of the opening included
    #[arg(long, value_name = "N")]
    ply: usize,
    /// Engine to ask, also one of the run by its name; may be repeated
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<EngineEntry>,
    #[command(flatten)]
    limits: LimitFlags,
    /// Print the answers as one JSON object
    #[arg(long)]
    json: bool,
}

impl AskCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let environment = Environment::current().or_fault()?;
        let request = AskRequest {
            run: self.run.folder()?.path().to_owned(),
            game: self.game,
            ply: self.ply,
            engines: self.engines,
            limits: self.limits.table(),
        };
        let asked = ask(&request, &environment)?;
        answer(if self.json { asked_json(&asked) } else { asked_text(&asked) })?;
        Ok(ExitCode::SUCCESS)
    }
}
