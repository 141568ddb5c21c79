//! The engine as the ACE console game.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::chess::{ByColor, Position};
use crate::engine::Limits;
use crate::frontend::ace::{AceBook, BoardStyle, ConsoleUser, GameSettings, play};
use crate::protocol::ace::Role;
use clap::ValueEnum;

use crate::cli::engine_args::setup::{SetupArgs, complain};

/// Wrong arguments. Not 2, which says that White won.
pub const USAGE: u8 = 64;

/// Play a game on the console: people and programs type moves, the engine prints its own.
///
/// Only moves go to standard output. The exit status tells the result: 2 White won, 1 Black won, 0 a draw or `exit`.
#[derive(Debug, clap::Args)]
pub struct AceArgs {
    /// Who makes White's moves
    #[arg(
        short,
        long,
        value_enum,
        default_value = "human",
        value_name = "human|computer",
        hide_possible_values = true
    )]
    white: Player,
    /// Who makes Black's moves
    #[arg(
        short,
        long,
        value_enum,
        default_value = "human",
        value_name = "human|computer",
        hide_possible_values = true
    )]
    black: Player,
    /// Seconds to think on a move; 7 unless another limit is given
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Plies to search
    #[arg(short, long, value_name = "N")]
    depth: Option<u32>,
    /// Nodes to search
    #[arg(short, long, value_name = "N")]
    nodes: Option<u64>,
    /// Position to start from
    #[arg(short, long, value_name = "FEN", value_parser = position)]
    starting: Option<Box<Position>>,
    /// Whether the engine plays its openings from memory
    #[arg(long, value_enum, default_value = "on", value_name = "on|off", hide_possible_values = true)]
    book: BookUse,
    /// Which openings it prefers; on a terminal others every time, unless given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Player {
    #[value(alias = "h")]
    Human,
    #[value(aliases = ["c", "engine"])]
    Computer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BookUse {
    On,
    Off,
}

const DEFAULT_TIME: Duration = Duration::from_secs(7);

impl AceArgs {
    /// Plays the game; the exit status is its result.
    pub fn run(self) -> ExitCode {
        match self.settings() {
            Ok(settings) => {
                let claim = play(settings, io::stdin().lock(), io::stdout(), io::stderr());
                ExitCode::from(claim.status())
            }
            Err(mistake) => {
                complain("chess", &mistake);
                ExitCode::from(USAGE)
            }
        }
    }

    fn settings(&self) -> Result<GameSettings, String> {
        let options = self.setup.options()?;
        let user = user();
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        let limits = Limits {
            movetime: self.time.or(unlimited.then_some(DEFAULT_TIME)),
            depth: self.depth,
            nodes: self.nodes,
            move_overhead: options.move_overhead,
            ..Limits::default()
        };
        let seed = self.seed.unwrap_or_else(|| match user {
            ConsoleUser::Program => 0,
            ConsoleUser::Person(_) => {
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
            }
        });
        Ok(GameSettings {
            roles: ByColor { white: self.white.into(), black: self.black.into() },
            start: self.starting.as_deref().copied().unwrap_or_else(Position::startpos),
            limits,
            options,
            book: (self.book == BookUse::On).then(|| AceBook::new(seed)),
            user,
        })
    }
}

impl From<Player> for Role {
    fn from(player: Player) -> Self {
        match player {
            Player::Human => Self::Human,
            Player::Computer => Self::Computer,
        }
    }
}

/// A person is whoever has a terminal at either end of ours.
fn user() -> ConsoleUser {
    let (talks, looks) = (io::stdin().is_terminal(), io::stderr().is_terminal());
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match (talks || looks, looks && !colourless) {
        (false, _) => ConsoleUser::Program,
        (true, true) => ConsoleUser::Person(BoardStyle::Colour),
        (true, false) => ConsoleUser::Person(BoardStyle::Plain),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn position(text: &str) -> Result<Box<Position>, String> {
    Position::from_fen(text).map(Box::new).map_err(|error| error.to_string())
}
