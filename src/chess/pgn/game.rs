//! A game as PGN tells it.

use crate::chess::{Move, Position};

/// A game: tags, a start, its main line, and how it ended. Variations are not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnGame {
    /// Tag pairs in their order, values without quotes and escapes.
    pub tags: Vec<(String, String)>,
    /// Where the game starts: the `FEN` tag, or the standard start.
    pub start: Position,
    /// What is said before the first move; empty if nothing is.
    pub comment: String,
    /// The main line, each move legal in turn.
    pub moves: Vec<PgnMove>,
    /// The mark at the end of the moves; `None` if the text breaks off without one.
    pub result: Option<PgnResult>,
}

/// A move and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs, `!` and `?` marks among them.
    pub nags: Vec<u8>,
    /// What is said after it; empty if nothing is.
    pub comment: String,
}

/// How a game ended, as its last mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PgnResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: in progress, abandoned, or not known.
    Unknown,
}

impl PgnGame {
    /// A game without moves.
    pub fn new(start: Position) -> Self {
        Self { tags: Vec::new(), start, comment: String::new(), moves: Vec::new(), result: None }
    }

    /// The value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Adds a tag, or gives it another value.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(found, _)| found == name) {
            Some((_, old)) => *old = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }
}

impl From<Move> for PgnMove {
    fn from(mv: Move) -> Self {
        Self { mv, nags: Vec::new(), comment: String::new() }
    }
}

impl PgnResult {
    /// The mark.
    pub const fn text(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// The result a mark stands for.
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown]
            .into_iter()
            .find(|result| result.text() == text)
    }
}
