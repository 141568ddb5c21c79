//! The limits of a `go` command.

use std::fmt;

use crate::chess::{ByColor, Color};
use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// The parameters of a `go` command; all times are in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoLimits<'a> {
    /// The remaining time of each side. Some GUIs send negative values.
    pub time: ByColor<Option<i64>>,
    /// The increment per move of each side.
    pub increment: ByColor<Option<i64>>,
    /// The number of moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// The depth to search, in plies.
    pub depth: Option<u32>,
    /// The number of nodes to search.
    pub nodes: Option<u64>,
    /// The mate to search for, in moves.
    pub mate: Option<u32>,
    /// The time for this move.
    pub move_time: Option<i64>,
    /// The depth of a perft, which replaces the search.
    pub perft: Option<u32>,
    /// When the search may end on its own.
    pub horizon: Horizon,
    /// The root moves to search; all if `None`.
    pub search_moves: Option<Words<'a>>,
}

/// When a search may end and send `bestmove`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Horizon {
    /// When a limit is reached.
    #[default]
    Limits,
    /// Only after `stop`.
    Infinite,
    /// After `stop`, or at its limits after `ponderhit`.
    Ponder,
}

const KEYWORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

impl<'a> GoLimits<'a> {
    /// Parses the words after `go`. Skips unknown words and keywords without a number.
    pub(super) fn parse(mut words: Cursor<'a>) -> Self {
        let mut limits = Self::default();
        while let Some(word) = words.next() {
            match word {
                "wtime" => limits.time.white = words.number(),
                "btime" => limits.time.black = words.number(),
                "winc" => limits.increment.white = words.number(),
                "binc" => limits.increment.black = words.number(),
                "movestogo" => limits.moves_to_go = words.number(),
                "depth" => limits.depth = words.number(),
                "nodes" => limits.nodes = words.number(),
                "mate" => limits.mate = words.number(),
                "movetime" => limits.move_time = words.number(),
                "perft" => limits.perft = words.number(),
                "infinite" => limits.horizon = Horizon::Infinite,
                "ponder" => limits.horizon = Horizon::Ponder,
                "searchmoves" => {
                    limits.search_moves = Some(words.take_until(|_, word| KEYWORDS.contains(&word)));
                }
                _ => {}
            }
        }
        limits
    }
}

/// Formats the words after `go`, each preceded by a space.
impl fmt::Display for GoLimits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = |name: &str, value: Option<i128>| match value {
            Some(value) => write!(f, " {name} {value}"),
            None => Ok(()),
        };
        for (color, name) in [(Color::White, "wtime"), (Color::Black, "btime")] {
            number(name, self.time[color].map(i128::from))?;
        }
        for (color, name) in [(Color::White, "winc"), (Color::Black, "binc")] {
            number(name, self.increment[color].map(i128::from))?;
        }
        number("movestogo", self.moves_to_go.map(i128::from))?;
        number("depth", self.depth.map(i128::from))?;
        number("nodes", self.nodes.map(i128::from))?;
        number("mate", self.mate.map(i128::from))?;
        number("movetime", self.move_time.map(i128::from))?;
        number("perft", self.perft.map(i128::from))?;
        match self.horizon {
            Horizon::Limits => {}
            Horizon::Infinite => f.write_str(" infinite")?,
            Horizon::Ponder => f.write_str(" ponder")?,
        }
        match self.search_moves {
            Some(moves) => write!(f, " searchmoves {moves}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> GoLimits<'_> {
        GoLimits::parse(Words::new(text).iter())
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let limits = read("movestogo 40 searchmoves e2e4 d2d4 ponder wtime 1000 btime -5 binc 10 winc 20");
        assert_eq!(limits.time, ByColor { white: Some(1000), black: Some(-5) });
        assert_eq!(limits.increment, ByColor { white: Some(20), black: Some(10) });
        assert_eq!(limits.moves_to_go, Some(40));
        assert_eq!(limits.search_moves, Some(Words::new("e2e4 d2d4")));
        assert_eq!(limits.horizon, Horizon::Ponder);
    }

    #[test]
    fn a_keyword_without_its_number_does_not_consume_the_next_keyword() {
        let limits = read("depth infinite nodes many movetime 5");
        assert_eq!(limits.horizon, Horizon::Infinite);
        assert_eq!((limits.depth, limits.nodes, limits.move_time), (None, None, Some(5)));
    }
}
