//! A game as represented in PGN.

use crate::chess::{Move, Position};

/// A game: tags, starting position, main line and result. Variations are not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnGame {
    /// Tag pairs in order, values without quotes and escapes.
    pub tags: Vec<(String, String)>,
    /// The starting position: that of the `FEN` tag, or the standard one.
    pub start: Position,
    /// The comment before the first move; may be empty.
    pub comment: String,
    /// The moves of the main line, all legal.
    pub moves: Vec<PgnMove>,
    /// The result marker at the end of the moves; `None` if it is missing.
    pub result: Option<PgnResult>,
}

/// A move with its annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs, including those of `!` and `?` marks.
    pub nags: Vec<u8>,
    /// The comment after the move; may be empty.
    pub comment: String,
}

/// The result of a game, as given by its result marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PgnResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: in progress, abandoned or unknown.
    Unknown,
}

impl PgnGame {
    /// Creates a game without moves.
    pub fn new(start: Position) -> Self {
        Self { tags: Vec::new(), start, comment: String::new(), moves: Vec::new(), result: None }
    }

    /// Returns the value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Adds a tag, or replaces the value of an existing one.
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
    /// Returns the result marker.
    pub const fn text(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Returns the result for a result marker.
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown]
            .into_iter()
            .find(|result| result.text() == text)
    }
}
