//! The opening of a pair of games.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The castling rules of a game, which also determine the notation of castling moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// King on e1, rooks on a1 and h1; castling is written `e1g1`.
    #[default]
    Standard,
    /// Any back rank; castling is written as king takes rook.
    Chess960,
}

/// The start of a pair of games: a position and the moves played from it.
///
/// The code that creates an opening validates it: `fen` is a legal position and all `moves` are legal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opening {
    /// The index in the book, starting from 0; 0 for the starting position without a book.
    pub index: u64,
    /// The name: an ECO name, an EPD `id`, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The position before the moves.
    pub fen: String,
    /// Moves in UCI coordinate notation, played before the first move of an engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// The castling rules.
    #[serde(default)]
    pub variant: Variant,
}

impl Opening {
    /// The FEN of the standard starting position.
    pub const START_FEN: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Returns the standard starting position without moves.
    pub fn start() -> Self {
        Self {
            index: 0,
            label: String::new(),
            fen: Self::START_FEN.to_owned(),
            moves: Vec::new(),
            variant: Variant::Standard,
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.label.is_empty() { write!(f, "#{}", self.index) } else { f.write_str(&self.label) }
    }
}
