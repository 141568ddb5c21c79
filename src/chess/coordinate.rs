//! Coordinate notation as in UCI: `e2e4`, `e7e8q`, castling as `e1g1` or, under Chess960, `e1h1`.

use std::fmt;

use crate::chess::fen::truncated;
use crate::chess::{Move, PieceKind, Position, Square};

/// The notation of castling moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveStyle {
    /// The origin and target of the king, `e1g1`. If the king or rook is not on its square of standard chess, castling
    /// is written as king takes rook.
    Standard,
    /// King takes rook, `e1h1`, as under `UCI_Chess960`.
    Chess960,
}

/// Error returned when a text is not a legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveTextError {
    text: String,
    problem: MoveProblem,
}

/// The reason why a text is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveProblem {
    /// The text is not move notation.
    Unreadable,
    /// The text is move notation, but the move is not legal in the position.
    Illegal,
    /// A pawn reaches the last rank, and the text has no promotion piece.
    NoPromotionPiece,
    /// The text matches several legal moves.
    Ambiguous,
    /// A castling move names a square without its rook.
    WrongRook,
}

impl MoveTextError {
    pub(super) fn new(text: &str, problem: MoveProblem) -> Self {
        Self { text: truncated(text), problem }
    }

    /// Returns the reason.
    pub fn problem(&self) -> MoveProblem {
        self.problem
    }
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.problem {
            MoveProblem::Unreadable => "is not a move",
            MoveProblem::Illegal => "is not legal here",
            MoveProblem::NoPromotionPiece => "has no promotion piece",
            MoveProblem::Ambiguous => "matches several legal moves",
            MoveProblem::WrongRook => "names the wrong square for the castling rook",
        };
        write!(f, "`{}` {why}", self.text)
    }
}

impl std::error::Error for MoveTextError {}

impl Position {
    /// Returns the move in coordinate notation.
    pub fn coordinate(&self, mv: Move, style: MoveStyle) -> String {
        let mut text = String::with_capacity(5);
        for square in [mv.from(), written_target(mv, style)] {
            text.push(char::from(b'a' + square.file()));
            text.push(char::from(b'1' + square.rank()));
        }
        text.extend(mv.promotion().map(|kind| kind.letter().to_ascii_lowercase()));
        text
    }

    /// Parses a legal move, written exactly as [`Position::coordinate`] writes it in the same style.
    pub fn parse_coordinate(&self, text: &str, style: MoveStyle) -> Result<Move, MoveTextError> {
        let unreadable = || MoveTextError::new(text, MoveProblem::Unreadable);
        let (from, to, rest) = leading_squares(text).ok_or_else(unreadable)?;
        let promotion = match rest {
            "" => None,
            "q" => Some(PieceKind::Queen),
            "r" => Some(PieceKind::Rook),
            "b" => Some(PieceKind::Bishop),
            "n" => Some(PieceKind::Knight),
            _ => return Err(unreadable()),
        };
        // Most moves are plain moves between the two squares, and testing one is faster than generating all moves.
        let plain = if promotion.is_none() { self.plain_move(from, to) } else { None };
        if let Some(mv) = plain.filter(|&mv| self.is_legal(mv)) {
            return Ok(mv);
        }
        let (mut found, mut problem) = (None, MoveProblem::Illegal);
        self.each_legal_move(|mv| {
            if mv.from() == from && written_target(mv, style) == to {
                if mv.promotion() == promotion {
                    found = found.or(Some(mv));
                } else if promotion.is_none() {
                    problem = MoveProblem::NoPromotionPiece;
                }
            }
        });
        found.ok_or_else(|| MoveTextError::new(text, problem))
    }

    /// Returns the move of the piece on `from` to `to`, legal or not, assuming that it is neither a promotion nor
    /// castling nor an en-passant capture.
    fn plain_move(&self, from: Square, to: Square) -> Option<Move> {
        let piece = self.piece_at(from)?;
        let two_steps = from.rank().abs_diff(to.rank()) == 2;
        Some(match self.piece_at(to) {
            Some(_) => Move::capture(piece, from, to),
            None if piece.kind == PieceKind::Pawn && two_steps => Move::double_push(piece.color, from, to),
            None => Move::quiet(piece, from, to),
        })
    }
}

/// Splits a text into its two leading squares and the rest.
pub(super) fn leading_squares(text: &str) -> Option<(Square, Square, &str)> {
    let from = text.get(..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    Some((from, to, &text[4..]))
}

/// Returns the second square of the notation; for castling it depends on the style.
fn written_target(mv: Move, style: MoveStyle) -> Square {
    // From other squares, the target of the king could be read as a plain king move, so the rook square is written.
    let at_home = mv.from().file() == 4 && matches!(mv.to().file(), 0 | 7);
    if mv.is_castling() && style == MoveStyle::Standard && at_home {
        mv.castling_king_target()
    } else {
        mv.to()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASTLES: &str = "r3k2r/P7/8/8/8/8/p7/R3K2R w KQkq - 0 1";

    #[test]
    fn castling_is_read_only_in_the_style_in_which_it_is_written() {
        let position = Position::from_fen(CASTLES).unwrap();
        let castle = position.parse_coordinate("e1g1", MoveStyle::Standard).unwrap();
        assert!(castle.is_castling());
        assert_eq!(position.parse_coordinate("e1h1", MoveStyle::Chess960), Ok(castle));
        assert_eq!(position.coordinate(castle, MoveStyle::Standard), "e1g1");
        assert_eq!(position.coordinate(castle, MoveStyle::Chess960), "e1h1");
        for (text, style) in [("e1h1", MoveStyle::Standard), ("e1g1", MoveStyle::Chess960)] {
            let error = position.parse_coordinate(text, style).unwrap_err();
            assert_eq!(error.problem(), MoveProblem::Illegal, "{text}");
        }
    }

    #[test]
    fn castling_from_a_nonstandard_square_is_not_read_as_a_king_move() {
        let position = Position::from_fen("1k6/8/8/8/8/8/8/5KR1 w G - 0 1").unwrap();
        let moves = position.legal_moves();
        let castle = *moves.iter().find(|mv| mv.is_castling()).unwrap();
        for style in [MoveStyle::Standard, MoveStyle::Chess960] {
            assert_eq!(position.coordinate(castle, style), "f1g1");
            assert_eq!(position.parse_coordinate("f1g1", style), Ok(castle));
        }
    }

    #[test]
    fn each_kind_of_invalid_text_has_its_own_problem() {
        let position = Position::from_fen(CASTLES).unwrap();
        for (text, problem) in [
            ("", MoveProblem::Unreadable),
            ("e2", MoveProblem::Unreadable),
            ("E1E2", MoveProblem::Unreadable),
            ("e1e2 ", MoveProblem::Unreadable),
            ("a7a8Q", MoveProblem::Unreadable),
            ("a7b8k", MoveProblem::Unreadable),
            ("e1é2", MoveProblem::Unreadable),
            ("0000", MoveProblem::Unreadable),
            ("e1e3", MoveProblem::Illegal),
            ("e1e2q", MoveProblem::Illegal),
            ("a1a8", MoveProblem::Illegal),
            ("a1a7", MoveProblem::Illegal),
        ] {
            let error = position.parse_coordinate(text, MoveStyle::Standard).unwrap_err();
            assert_eq!(error.problem(), problem, "{text:?}");
        }
        let open = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        let error = open.parse_coordinate("a7a8", MoveStyle::Standard).unwrap_err();
        assert_eq!(error.to_string(), "`a7a8` has no promotion piece");
        assert!(open.parse_coordinate("a7a8n", MoveStyle::Standard).is_ok());
    }
}
