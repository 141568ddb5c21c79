//! Move notation of ACE: `e2e4`, `e7e8Q`, and castling with the square of the rook, `e1g1Ch1`.

use crate::chess::coordinate::leading_squares;
use crate::chess::{CastlingSide, Move, MoveProblem, MoveTextError, PieceKind, Position, Square};

impl Position {
    /// Returns the move in ACE notation.
    pub fn ace(&self, mv: Move) -> String {
        if mv.is_castling() {
            return format!("{}{}C{}", mv.from(), mv.castling_king_target(), mv.to());
        }
        let mut text = format!("{}{}", mv.from(), mv.to());
        text.extend(mv.promotion().map(PieceKind::letter));
        text
    }

    /// Parses a legal move from an ACE engine or player.
    ///
    /// Accepts what [`Position::ace`] writes, and also promotion letters and the castling mark in either case, castling
    /// without the mark (`e1g1`; a plain king move takes precedence where both are legal), and `O-O` and `O-O-O` with
    /// letters or zeros. A castling mark must give the square of the rook, and a promotion requires its piece.
    pub fn parse_ace(&self, text: &str) -> Result<Move, MoveTextError> {
        let error = |problem| MoveTextError::new(text, problem);
        let moves = self.legal_moves();
        if let Some(side) = castling_words(text) {
            let castles =
                |mv: &&Move| mv.is_castling() && mv.castles_kingside() == (side == CastlingSide::King);
            return moves.iter().find(castles).copied().ok_or_else(|| error(MoveProblem::Illegal));
        }
        let (from, to, rest) = leading_squares(text).ok_or_else(|| error(MoveProblem::Unreadable))?;
        if let Some(rook) = rest.strip_prefix(['C', 'c']) {
            let rook: Square = rook.parse().map_err(|_| error(MoveProblem::Unreadable))?;
            return castling_between(&moves, from, to, Some(rook)).map_err(error);
        }
        let promotion = match rest {
            "" => None,
            "Q" | "q" => Some(PieceKind::Queen),
            "R" | "r" => Some(PieceKind::Rook),
            "B" | "b" => Some(PieceKind::Bishop),
            "N" | "n" => Some(PieceKind::Knight),
            _ => return Err(error(MoveProblem::Unreadable)),
        };
        let plain = |mv: &&Move| !mv.is_castling() && mv.from() == from && mv.to() == to;
        if let Some(&mv) = moves.iter().filter(plain).find(|mv| mv.promotion() == promotion) {
            return Ok(mv);
        }
        if promotion.is_some() {
            return Err(error(MoveProblem::Illegal));
        }
        if moves.iter().any(|mv| plain(&mv)) {
            return Err(error(MoveProblem::NoPromotionPiece));
        }
        castling_between(&moves, from, to, None).map_err(error)
    }
}

/// Parses `O-O` and `O-O-O`, with letters or zeros.
pub(super) fn castling_words(text: &str) -> Option<CastlingSide> {
    match text {
        "O-O" | "0-0" | "o-o" => Some(CastlingSide::King),
        "O-O-O" | "0-0-0" | "o-o-o" => Some(CastlingSide::Queen),
        _ => None,
    }
}

fn castling_between(
    moves: &[Move],
    from: Square,
    king_target: Square,
    rook: Option<Square>,
) -> Result<Move, MoveProblem> {
    let mut castles = moves
        .iter()
        .filter(|mv| mv.is_castling() && mv.from() == from && mv.castling_king_target() == king_target);
    match castles.next() {
        Some(mv) if rook.is_none_or(|rook| rook == mv.to()) => Ok(*mv),
        Some(_) => Err(MoveProblem::WrongRook),
        None => Err(MoveProblem::Illegal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASTLES: &str = "r3k2r/1P6/8/8/8/8/6p1/R3K2R w KQkq - 0 1";

    #[test]
    fn castling_is_written_with_its_rook_and_read_in_every_notation() {
        let position = Position::from_fen("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        for (out, others) in [
            ("e1g1Ch1", ["e1g1Ch1", "e1g1ch1", "e1g1", "O-O", "0-0"]),
            ("e1c1Ca1", ["e1c1Ca1", "e1c1ca1", "e1c1", "O-O-O", "0-0-0"]),
        ] {
            for text in others {
                let mv = position.parse_ace(text).unwrap();
                assert_eq!(position.ace(mv), out, "{text}");
            }
        }
        assert_eq!(position.parse_ace("e1g1Ca1").unwrap_err().problem(), MoveProblem::WrongRook);
        assert_eq!(position.parse_ace("e1h1").unwrap_err().problem(), MoveProblem::Illegal);
    }

    #[test]
    fn promotion_letters_are_required_and_read_in_either_case() {
        let position = Position::from_fen(CASTLES).unwrap();
        let mv = position.parse_ace("b7a8n").unwrap();
        assert_eq!(mv.promotion(), Some(PieceKind::Knight));
        assert_eq!(position.ace(mv), "b7a8N");
        for (text, problem) in [
            ("b7b8", MoveProblem::NoPromotionPiece),
            ("b7b8K", MoveProblem::Unreadable),
            ("b7b8QQ", MoveProblem::Unreadable),
            ("e1e2Q", MoveProblem::Illegal),
            ("e1g1", MoveProblem::Illegal),
            ("O-O", MoveProblem::Illegal),
            ("e1g1C", MoveProblem::Unreadable),
            ("exit", MoveProblem::Unreadable),
            ("", MoveProblem::Unreadable),
        ] {
            assert_eq!(position.parse_ace(text).unwrap_err().problem(), problem, "{text:?}");
        }
    }

    #[test]
    fn a_plain_king_move_takes_precedence_over_castling_between_the_same_squares() {
        let position = Position::from_fen("1k6/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
        assert!(!position.parse_ace("f1g1").unwrap().is_castling());
        assert!(position.parse_ace("f1g1Ch1").unwrap().is_castling());
    }
}
