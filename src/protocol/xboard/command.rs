//! Commands that a GUI sends to an engine.

use std::fmt;
use std::time::Duration;

use crate::protocol::Words;

/// A line from the GUI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `xboard`: the other side is a program that uses this protocol.
    Xboard,
    /// `protover N`: the version of the protocol; from 2 on it requests the features.
    Protover(u32),
    /// `accepted NAME`: a feature will be used.
    Accepted(&'a str),
    /// `rejected NAME`: a feature will not be used.
    Rejected(&'a str),
    /// `new`: a new game from the standard starting position; the engine plays Black, without limits of depth.
    New,
    /// `variant NAME`: the rules of the game that `new` began.
    Variant(&'a str),
    /// `setboard FEN`.
    SetBoard(&'a str),
    /// `force`: moves are only recorded from now on.
    Force,
    /// `go`: the engine plays the side to move from now on.
    Go,
    /// `usermove MOVE`: a move of the opponent.
    UserMove(&'a str),
    /// `?`: move now.
    MoveNow,
    /// `level MOVES BASE INCREMENT`: the clock of the game.
    Level(Level),
    /// `st SECONDS`: the time for every move.
    MoveTime(Duration),
    /// `sd PLIES`: the depth of every move.
    Depth(u32),
    /// `nps RATE`: time is counted in nodes, so many a second.
    NodeRate(u64),
    /// `time CENTISECONDS`: what is left on the engine's clock.
    Time(u64),
    /// `otim CENTISECONDS`: what is left on the opponent's clock.
    OpponentTime(u64),
    /// `post`: report the search.
    Post,
    /// `hard`: think on the opponent's time.
    Hard,
    /// `easy`: do not.
    Easy,
    /// `ping N`: requests `pong N` once all earlier commands have been processed.
    Ping(u64),
    /// `draw`: the opponent offers a draw.
    Draw,
    /// `result RESULT {COMMENT}`: the game is over.
    Result(&'a str),
    /// `memory MB`.
    Memory(&'a str),
    /// `cores N`.
    Cores(&'a str),
    /// `option NAME[=VALUE]`.
    Option {
        /// The name of the option.
        name: &'a str,
        /// The value; absent for a button.
        value: Option<&'a str>,
    },
    /// `quit`.
    Quit,
    /// Any other line; a bare move for engines that do not use `usermove`.
    Unknown(&'a str),
}

/// The clock of a game. Engines learn its exact state by `time` before every move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Moves in a session; 0 for one session.
    pub moves: u32,
    /// Time of a session, in whole seconds.
    pub base_seconds: u64,
    /// Time added after every move.
    pub increment: Duration,
}

impl<'a> Command<'a> {
    /// Parses a line.
    pub fn parse(line: &'a str) -> Self {
        let mut words = Words::new(line).iter();
        Self::known(words.next().unwrap_or_default(), words.rest())
            .unwrap_or_else(|| Self::Unknown(Words::new(line).as_str()))
    }

    fn known(word: &str, rest: &'a str) -> Option<Self> {
        let mut words = Words::new(rest).iter();
        Some(match word {
            "xboard" => Self::Xboard,
            "protover" => Self::Protover(words.number()?),
            "accepted" => Self::Accepted(rest),
            "rejected" => Self::Rejected(rest),
            "new" => Self::New,
            "variant" => Self::Variant(rest),
            "setboard" => Self::SetBoard(rest),
            "force" => Self::Force,
            "go" => Self::Go,
            "usermove" => Self::UserMove(rest),
            "?" => Self::MoveNow,
            "level" => Self::Level(Level::parse(rest)?),
            "st" => Self::MoveTime(seconds(rest)?),
            "sd" => Self::Depth(words.number()?),
            "nps" => Self::NodeRate(words.number()?),
            "time" => Self::Time(words.number()?),
            "otim" => Self::OpponentTime(words.number()?),
            "post" => Self::Post,
            "hard" => Self::Hard,
            "easy" => Self::Easy,
            "ping" => Self::Ping(words.number()?),
            "draw" => Self::Draw,
            "result" => Self::Result(rest),
            "memory" => Self::Memory(rest),
            "cores" => Self::Cores(rest),
            "option" => match rest.split_once('=') {
                Some((name, value)) => Self::Option { name, value: Some(value) },
                None => Self::Option { name: rest, value: None },
            },
            "quit" => Self::Quit,
            _ => return None,
        })
    }
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xboard => f.write_str("xboard"),
            Self::Protover(version) => write!(f, "protover {version}"),
            Self::Accepted(name) => write!(f, "accepted {name}"),
            Self::Rejected(name) => write!(f, "rejected {name}"),
            Self::New => f.write_str("new"),
            Self::Variant(name) => write!(f, "variant {name}"),
            Self::SetBoard(fen) => write!(f, "setboard {fen}"),
            Self::Force => f.write_str("force"),
            Self::Go => f.write_str("go"),
            Self::UserMove(mv) => write!(f, "usermove {mv}"),
            Self::MoveNow => f.write_str("?"),
            Self::Level(level) => level.fmt(f),
            Self::MoveTime(time) => write!(f, "st {}", time.as_secs_f64()),
            Self::Depth(plies) => write!(f, "sd {plies}"),
            Self::NodeRate(rate) => write!(f, "nps {rate}"),
            Self::Time(time) => write!(f, "time {time}"),
            Self::OpponentTime(time) => write!(f, "otim {time}"),
            Self::Post => f.write_str("post"),
            Self::Hard => f.write_str("hard"),
            Self::Easy => f.write_str("easy"),
            Self::Ping(number) => write!(f, "ping {number}"),
            Self::Draw => f.write_str("draw"),
            Self::Result(result) => write!(f, "result {result}"),
            Self::Memory(size) => write!(f, "memory {size}"),
            Self::Cores(count) => write!(f, "cores {count}"),
            Self::Option { name, value: Some(value) } => write!(f, "option {name}={value}"),
            Self::Option { name, value: None } => write!(f, "option {name}"),
            Self::Quit => f.write_str("quit"),
            Self::Unknown(line) => f.write_str(line),
        }
    }
}

impl Level {
    fn parse(text: &str) -> Option<Self> {
        let mut words = Words::new(text).iter();
        let moves = words.number()?;
        let base = words.next()?;
        let (minutes, rest) = base.split_once(':').unwrap_or((base, "0"));
        let [minutes, rest] = [minutes, rest].map(|part| part.parse::<u32>().ok());
        let base_seconds = u64::from(minutes?) * 60 + u64::from(rest?);
        Some(Self { moves, base_seconds, increment: seconds(words.next()?)? })
    }
}

/// Formats the base in whole minutes where it can be, because old engines know no other form.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, seconds) = (self.base_seconds / 60, self.base_seconds % 60);
        write!(f, "level {} {minutes}", self.moves)?;
        if seconds > 0 {
            write!(f, ":{seconds:02}")?;
        }
        write!(f, " {}", self.increment.as_secs_f64())
    }
}

fn seconds(text: &str) -> Option<Duration> {
    text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_written_as_it_is_read() {
        for line in [
            "xboard",
            "protover 2",
            "accepted ping",
            "rejected name",
            "new",
            "variant fischerandom",
            "setboard 8/8/8/8/8/8/8/K1k5 w - - 0 1",
            "force",
            "go",
            "usermove e7e8q",
            "?",
            "level 40 5 0",
            "level 0 0:08 0.08",
            "level 0 2:30 12",
            "st 0.1",
            "st 30",
            "sd 8",
            "nps 20000",
            "time 812",
            "otim 90",
            "post",
            "hard",
            "easy",
            "ping 7",
            "draw",
            "result 1-0 {White mates}",
            "memory 64",
            "cores 2",
            "option Resign Threshold=800",
            "option Clear Hash",
            "quit",
            "e2e4",
        ] {
            assert_eq!(Command::parse(line).to_string(), line);
        }
        assert_eq!(Command::parse("e2e4"), Command::Unknown("e2e4"));
        assert_eq!(Command::parse("level many 5 0"), Command::Unknown("level many 5 0"));
    }
}
