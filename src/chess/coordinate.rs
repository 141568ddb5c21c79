//! Coordinate moves as UCI writes them: `e2e4`, `e7e8q`, castling as `e1g1` or, under Chess960, `e1h1`.

use std::fmt;

use crate::chess::fen::shortened;
use crate::chess::{Move, PieceKind, Position, Square};

/// How castling is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveStyle {
    /// The king's two steps, `e1g1`; king takes rook where king or rook did not start at home in standard chess.
    Standard,
    /// King takes rook, `e1h1`, as engines spell it under `UCI_Chess960`.
    Chess960,
}

/// A text that names no legal move of the position it was read in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveTextError {
    text: String,
    problem: MoveProblem,
}

/// Why a text names no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveProblem {
    /// It is not spelt as a move.
    Unreadable,
    /// It is spelt as a move, but the rules do not allow it here.
    Illegal,
    /// A pawn reaches the last rank, and the text does not say what it becomes.
    NoPromotionPiece,
    /// Several legal moves fit.
    Ambiguous,
    /// A castling move that names a square where its rook is not.
    WrongRook,
}

impl MoveTextError {
    pub(super) fn new(text: &str, problem: MoveProblem) -> Self {
        Self { text: shortened(text), problem }
    }

    /// What is wrong.
    pub fn problem(&self) -> MoveProblem {
        self.problem
    }
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.problem {
            MoveProblem::Unreadable => "is not a move",
            MoveProblem::Illegal => "is not legal here",
            MoveProblem::NoPromotionPiece => "does not say what the pawn becomes",
            MoveProblem::Ambiguous => "fits several moves",
            MoveProblem::WrongRook => "names a rook that is not there",
        };
        write!(f, "`{}` {why}", self.text)
    }
}

impl std::error::Error for MoveTextError {}

impl Position {
    /// The move in coordinates.
    pub fn coordinate(&self, mv: Move, style: MoveStyle) -> String {
        let mut text = String::with_capacity(5);
        for square in [mv.from(), written_target(mv, style)] {
            text.push(char::from(b'a' + square.file()));
            text.push(char::from(b'1' + square.rank()));
        }
        text.extend(mv.promotion().map(|kind| kind.letter().to_ascii_lowercase()));
        text
    }

    /// The legal move that `text` spells exactly as [`Position::coordinate`] would, in the same style.
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
        // Nearly always it is the plain move between the two squares, which is quicker asked than listed.
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

    /// The move of whatever stands on `from`, if it neither promotes nor castles nor takes en passant; legal or not.
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

/// The two squares a text starts with, and what follows them.
pub(super) fn leading_squares(text: &str) -> Option<(Square, Square, &str)> {
    let from = text.get(..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    Some((from, to, &text[4..]))
}

/// The second square of the spelling; for castling it depends on the style.
fn written_target(mv: Move, style: MoveStyle) -> Square {
    // Away from home the king's steps could be mistaken for a plain king move, so the rook has to be named.
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
    fn castling_is_spelt_by_style_and_read_in_its_own_style_only() {
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
    fn a_castling_king_away_from_home_is_never_mistaken_for_a_king_step() {
        let position = Position::from_fen("1k6/8/8/8/8/8/8/5KR1 w G - 0 1").unwrap();
        let moves = position.legal_moves();
        let castle = *moves.iter().find(|mv| mv.is_castling()).unwrap();
        for style in [MoveStyle::Standard, MoveStyle::Chess960] {
            assert_eq!(position.coordinate(castle, style), "f1g1");
            assert_eq!(position.parse_coordinate("f1g1", style), Ok(castle));
        }
    }

    #[test]
    fn every_bad_text_is_told_apart() {
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
        assert_eq!(error.to_string(), "`a7a8` does not say what the pawn becomes");
        assert!(open.parse_coordinate("a7a8n", MoveStyle::Standard).is_ok());
    }
}
