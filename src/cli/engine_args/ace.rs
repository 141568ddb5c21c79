//! Arguments of the engine as the ACE console game.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::chess::{ByColor, Position};
use crate::engine::Limits;
use crate::frontend::ace::{AceBook, BoardStyle, ConsoleUser, GameSettings, play};
use crate::protocol::ace::Role;
use clap::ValueEnum;

use crate::cli::engine_args::setup::SetupArgs;

/// Exit status of wrong arguments; 2 would mean that White won.
pub const USAGE: u8 = 64;

/// Play a game on the console against a person or, over pipes, a program.
///
/// Moves are read from standard input; only moves go to standard output. The exit status is the result: 2 White won, 1
/// Black won, 0 a draw or `exit`, 64 wrong arguments.
#[derive(Debug, clap::Args)]
pub struct AceArgs {
    /// Player of the white pieces
    #[arg(
        short,
        long,
        value_enum,
        default_value = "human",
        value_name = "human|computer",
        hide_possible_values = true
    )]
    white: Player,
    /// Player of the black pieces
    #[arg(
        short,
        long,
        value_enum,
        default_value = "human",
        value_name = "human|computer",
        hide_possible_values = true
    )]
    black: Player,
    /// Time per move in seconds [default: 7, unless --depth or --nodes is given]
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Search depth in plies
    #[arg(short, long, value_name = "N")]
    depth: Option<u32>,
    /// Nodes per move
    #[arg(short, long, value_name = "N")]
    nodes: Option<u64>,
    /// Starting position [default: the initial position]
    #[arg(short, long, value_name = "FEN", value_parser = position)]
    starting: Option<Box<Position>>,
    /// Whether the engine uses its opening book
    #[arg(long, value_enum, default_value = "on", value_name = "on|off", hide_possible_values = true)]
    book: Switch,
    /// Whether the board is printed to standard error before every move: in colour on a terminal, else as plain text
    #[arg(long, value_enum, default_value = "on", value_name = "on|off", hide_possible_values = true)]
    board: Switch,
    /// Seed of the choice among openings [default: the time on a terminal, else 0]
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
enum Switch {
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
                report(&mistake);
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
            ConsoleUser::Person => {
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
            }
        });
        Ok(GameSettings {
            roles: ByColor { white: self.white.into(), black: self.black.into() },
            start: self.starting.as_deref().copied().unwrap_or_else(Position::startpos),
            limits,
            options,
            book: (self.book == Switch::On).then(|| AceBook::new(seed)),
            user,
            board: (self.board == Switch::On).then(board_style),
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

/// Detects a person by a terminal on standard input or standard error.
fn user() -> ConsoleUser {
    if io::stdin().is_terminal() || io::stderr().is_terminal() {
        ConsoleUser::Person
    } else {
        ConsoleUser::Program
    }
}

/// Returns colours for a terminal that supports them, as far as the environment states that.
fn board_style() -> BoardStyle {
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    if io::stderr().is_terminal() && !colourless && !dumb { BoardStyle::Colour } else { BoardStyle::Plain }
}

#[expect(clippy::print_stderr, reason = "reports a wrong call")]
fn report(mistake: &str) {
    eprintln!("chess: {mistake}");
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("expected a number of seconds, got `{text}`"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn position(text: &str) -> Result<Box<Position>, String> {
    Position::from_fen(text).map(Box::new).map_err(|error| error.to_string())
}
