//! A game before its first move: the validated opening and its `position` command.

use crate::chess::{Move, Position};
use crate::opening::{Opening, Variant};
use crate::player::{Castling, MoveText};

/// A valid opening for both games of a pair.
#[derive(Clone, Debug)]
pub struct GameSetup {
    pub(super) start: Position,
    pub(super) start_fen: String,
    pub(super) castling: Castling,
    pub(super) book: Vec<(Move, MoveText)>,
    /// The position in which the first engine moves.
    pub(super) first: Position,
}

/// Reason why no game can start from an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("opening {opening}: {problem}")]
pub struct GameSetupError {
    opening: String,
    problem: String,
}

impl GameSetup {
    /// Validates an opening.
    pub fn new(opening: &Opening) -> Result<Self, GameSetupError> {
        let problem = |problem: String| GameSetupError { opening: opening.to_string(), problem };
        let start = Position::from_fen(&opening.fen).map_err(|error| problem(error.to_string()))?;
        let castling = match opening.variant {
            Variant::Standard => Castling::Standard,
            Variant::Chess960 => Castling::Chess960,
        };
        let (mut first, mut book) = (start, Vec::with_capacity(opening.moves.len()));
        for text in &opening.moves {
            let mv =
                first.parse_coordinate(text, castling.style()).map_err(|error| problem(error.to_string()))?;
            let text = MoveText::new(text).ok_or_else(|| problem(format!("`{text}` is not a move")))?;
            book.push((mv, text));
            first = first.play(mv);
        }
        Ok(Self { start, start_fen: opening.fen.clone(), castling, book, first })
    }

    /// Returns the castling rules.
    pub fn castling(&self) -> Castling {
        self.castling
    }

    /// Returns the position in which the first engine moves, as FEN for an ACE program.
    pub fn first_fen(&self) -> String {
        match self.castling {
            Castling::Standard => self.first.to_fen(),
            Castling::Chess960 => self.first.to_shredder_fen(),
        }
    }

    /// Returns the position before the moves of the opening.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the moves of the opening.
    pub fn book_moves(&self) -> impl ExactSizeIterator<Item = MoveText> {
        self.book.iter().map(|(_, text)| *text)
    }

    /// Returns the position in which the first engine moves.
    pub fn first(&self) -> &Position {
        &self.first
    }

    /// Returns the `position` command that leads to the first engine's move.
    pub fn position_command(&self) -> Vec<u8> {
        self.command().text
    }

    /// Returns the `position` command up to the last book move.
    pub(super) fn command(&self) -> PositionCommand {
        let mut text = Vec::with_capacity(1024);
        if self.start_fen == Opening::START_FEN {
            text.extend_from_slice(b"position startpos");
        } else {
            let fen = match self.castling {
                Castling::Standard => self.start.to_fen(),
                Castling::Chess960 => self.start.to_shredder_fen(),
            };
            text.extend_from_slice(b"position fen ");
            text.extend_from_slice(fen.as_bytes());
        }
        let mut command = PositionCommand { text, moves: 0 };
        for (_, text) in &self.book {
            command.push(*text);
        }
        command
    }
}

/// A `position` command that is extended with every move.
#[derive(Clone, Debug)]
pub(super) struct PositionCommand {
    text: Vec<u8>,
    moves: usize,
}

impl PositionCommand {
    pub(super) fn push(&mut self, mv: MoveText) {
        if self.moves == 0 {
            self.text.extend_from_slice(b" moves");
        }
        self.moves += 1;
        self.text.push(b' ');
        self.text.extend_from_slice(mv.as_str().as_bytes());
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

impl std::fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_becomes_a_position_command_or_a_reason() {
        let mut opening = Opening::start();
        assert_eq!(GameSetup::new(&opening).unwrap().command().to_string(), "position startpos");
        opening.moves = vec!["e2e4".into(), "e7e5".into()];
        let setup = GameSetup::new(&opening).unwrap();
        assert_eq!(setup.command().to_string(), "position startpos moves e2e4 e7e5");
        assert!(setup.first_fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"));
        opening.moves.push("e1e3".into());
        assert!(GameSetup::new(&opening).unwrap_err().to_string().contains("`e1e3` is not legal here"));
        opening.fen = "8/8 w - - 0 1".into();
        assert!(GameSetup::new(&opening).is_err());
    }
}
