//! Commands that a GUI sends to an engine.

use std::fmt;

use super::GoLimits;
use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// A line from the GUI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`: requests the identification, the options and `uciok`.
    Uci,
    /// `debug on|off`.
    Debug(Switch),
    /// `isready`: requests `readyok`.
    IsReady,
    /// `setoption name … value …`.
    SetOption {
        /// The name of the option; case is ignored.
        name: Words<'a>,
        /// The value; absent for a button.
        value: Option<&'a str>,
    },
    /// `register …`, with the words after it.
    Register(Words<'a>),
    /// `ucinewgame`: the next search is from a different game.
    NewGame,
    /// `position …`: sets the game.
    Position {
        /// The starting position.
        start: Start<'a>,
        /// The moves from it.
        moves: Words<'a>,
    },
    /// `go …`: starts a search.
    Go(GoLimits<'a>),
    /// `stop`: ends the search.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`.
    Quit,
    /// Any other line, unchanged.
    Unknown(&'a str),
}

/// The starting position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// The standard starting position.
    Standard,
    /// A position in FEN.
    Fen(Words<'a>),
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl<'a> Command<'a> {
    /// Parses a line. Unknown words before a command are skipped, as the UCI specification requires (`joho debug on`).
    pub fn parse(line: &'a str) -> Self {
        let line = Words::of_line(line);
        let mut words = line.iter();
        while let Some(word) = words.next() {
            if let Some(command) = Self::after(word, words.clone()) {
                return command;
            }
        }
        Self::Unknown(line.as_str())
    }

    /// Parses the command that starts with `word`.
    fn after(word: &str, mut words: Cursor<'a>) -> Option<Self> {
        Some(match word {
            "uci" => Self::Uci,
            "debug" => Self::Debug(if words.next() == Some("off") { Switch::Off } else { Switch::On }),
            "isready" => Self::IsReady,
            "setoption" => return Self::set_option(words),
            "register" => Self::Register(Words::new(words.rest())),
            "ucinewgame" => Self::NewGame,
            "position" => return Self::position(words),
            "go" => Self::Go(GoLimits::parse(words)),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" => Self::Quit,
            _ => return None,
        })
    }

    fn set_option(mut words: Cursor<'a>) -> Option<Self> {
        words.find(|&word| word == "name")?;
        let name = words.take_until(|_, word| word == "value");
        let value = words.next().map(|_value| words.rest());
        (!name.is_empty()).then_some(Self::SetOption { name, value })
    }

    fn position(mut words: Cursor<'a>) -> Option<Self> {
        let start = match words.next()? {
            "startpos" => {
                words.take_until(|_, word| word == "moves");
                Start::Standard
            }
            "fen" => Start::Fen(words.take_until(|_, word| word == "moves")),
            _ => return None,
        };
        words.next();
        Some(Self::Position { start, moves: Words::new(words.rest()) })
    }
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => f.write_str("uci"),
            Self::Debug(Switch::On) => f.write_str("debug on"),
            Self::Debug(Switch::Off) => f.write_str("debug off"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => write!(f, "setoption name {name} value {value}"),
            Self::Register(words) => write!(f, "register {words}"),
            Self::NewGame => f.write_str("ucinewgame"),
            Self::Position { start, moves } => {
                match start {
                    Start::Standard => f.write_str("position startpos")?,
                    Start::Fen(fen) => write!(f, "position fen {fen}")?,
                }
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {moves}") }
            }
            Self::Go(limits) => write!(f, "go{limits}"),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Quit => f.write_str("quit"),
            Self::Unknown(line) => f.write_str(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_before_a_command_are_skipped() {
        assert_eq!(Command::parse("joho debug on"), Command::Debug(Switch::On));
        assert_eq!(Command::parse("\u{feff}uci\r\n"), Command::Uci);
        assert_eq!(Command::parse("  perft 5 \r\n"), Command::Unknown("perft 5"));
        assert_eq!(Command::parse("\0\0"), Command::Unknown(""));
    }

    #[test]
    fn option_names_and_values_may_contain_spaces() {
        assert_eq!(
            Command::parse("setoption name Move  Overhead value 10 "),
            Command::SetOption { name: Words::new("Move Overhead"), value: Some("10") }
        );
        assert_eq!(
            Command::parse("setoption name Book File value C:\\my  books\\a value b.bin"),
            Command::SetOption { name: Words::new("Book File"), value: Some("C:\\my  books\\a value b.bin") }
        );
        assert_eq!(
            Command::parse("setoption name Clear Hash"),
            Command::SetOption { name: Words::new("Clear Hash"), value: None }
        );
        assert_eq!(
            Command::parse("setoption name File value"),
            Command::SetOption { name: Words::new("File"), value: Some("") }
        );
        for broken in ["setoption", "setoption value 3", "setoption name value 3"] {
            assert_eq!(Command::parse(broken), Command::Unknown(broken));
        }
    }

    #[test]
    fn a_position_consists_of_a_start_and_moves() {
        assert_eq!(
            Command::parse("position startpos moves e2e4 e7e5"),
            Command::Position { start: Start::Standard, moves: Words::new("e2e4 e7e5") }
        );
        assert_eq!(
            Command::parse("position fen 8/8/8/8/8/k7/p7/K7  w - - 0 1 moves"),
            Command::Position {
                start: Start::Fen(Words::new("8/8/8/8/8/k7/p7/K7 w - - 0 1")),
                moves: Words::new("")
            }
        );
        assert_eq!(Command::parse("position sideways"), Command::Unknown("position sideways"));
    }
}
