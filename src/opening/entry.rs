//! Where one pair of games starts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The rules of castling a game is played under, and with them how castling is spelt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// King on e1, rooks on a1 and h1; castling is spelt `e1g1`.
    #[default]
    Standard,
    /// Any back rank; castling is spelt king takes rook.
    Chess960,
}

/// The start of a pair of games: a position, and moves already made on it.
///
/// Whoever builds one has checked it: `fen` parses to a legal position and every move of `moves` is legal in turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opening {
    /// Its place in the book, from 0; the start position alone is 0.
    pub index: u64,
    /// What a person calls it: an ECO name, an EPD `id`, or nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The position the moves start from.
    pub fen: String,
    /// Moves in UCI coordinates that are played before the engines are asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// The castling rules.
    #[serde(default)]
    pub variant: Variant,
}

impl Opening {
    /// The position every standard game starts from.
    pub const START_FEN: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The initial position of standard chess, no moves made.
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
