//! Castling rules of games.

use crate::chess::MoveStyle;

/// Castling rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Castling {
    /// Standard chess: the king moves two squares.
    Standard,
    /// Chess960: written as the king capturing its rook.
    Chess960,
}

impl Castling {
    /// Returns the notation of moves under these rules.
    pub fn style(self) -> MoveStyle {
        match self {
            Self::Standard => MoveStyle::Standard,
            Self::Chess960 => MoveStyle::Chess960,
        }
    }
}
