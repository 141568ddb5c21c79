//! Standard algebraic notation (SAN): strict when written, tolerant when read.

use crate::chess::ace_moves::castling_words;
use crate::chess::{CastlingSide, Move, MoveProblem, MoveTextError, PieceKind, Position, Square};

impl Position {
    /// Returns the move in SAN as PGN's export format requires: minimal disambiguation, `=Q`, `+` and `#`.
    pub fn san(&self, mv: Move) -> String {
        let mut text = String::with_capacity(8);
        if mv.is_castling() {
            text.push_str(if mv.castles_kingside() { "O-O" } else { "O-O-O" });
        } else {
            self.push_mover(mv, &mut text);
            if mv.is_capture() {
                text.push('x');
            }
            text.push_str(&mv.to().to_string());
            if let Some(kind) = mv.promotion() {
                text.push('=');
                text.push(kind.letter());
            }
        }
        let after = self.play(mv);
        if after.in_check() {
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn push_mover(&self, mv: Move, text: &mut String) {
        let from = mv.from();
        if mv.kind() == PieceKind::Pawn {
            if mv.is_capture() {
                text.push(from.file_letter());
            }
            return;
        }
        text.push(mv.kind().letter());
        let moves = self.legal_moves();
        let rivals = moves.iter().filter(|other| {
            other.kind() == mv.kind() && other.to() == mv.to() && other.from() != from && !other.is_castling()
        });
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for rival in rivals {
            any = true;
            same_file |= rival.from().file() == from.file();
            same_rank |= rival.from().rank() == from.rank();
        }
        match (any, same_file, same_rank) {
            (false, ..) => {}
            (true, false, _) => text.push(from.file_letter()),
            (true, true, false) => text.push(rank_digit(from)),
            (true, true, true) => text.extend([from.file_letter(), rank_digit(from)]),
        }
    }

    /// Parses a legal move in SAN.
    ///
    /// Accepts common deviations: `0-0`, missing or wrong `+` and `#`, `!` and `?`, `e8Q`, `e8=Q`, `e8(Q)`, a missing
    /// or superfluous `x`, redundant disambiguation, and long forms such as `e2-e4` and `Ng1xf3`. Piece letters must be
    /// upper case, because `b` is a file. A text that matches several moves is an error.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveTextError> {
        let error = |problem| MoveTextError::new(text, problem);
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let moves = self.legal_moves();
        if let Some(side) = castling_words(bare) {
            let castles =
                |mv: &&Move| mv.is_castling() && mv.castles_kingside() == (side == CastlingSide::King);
            return moves.iter().find(castles).copied().ok_or_else(|| error(MoveProblem::Illegal));
        }
        let pattern = Pattern::read(bare).ok_or_else(|| error(MoveProblem::Unreadable))?;
        let mut matching = moves.iter().filter(|mv| pattern.matches_except_promotion(**mv));
        let mut promoted = matching.clone().filter(|mv| mv.promotion() == pattern.promotion);
        match (promoted.next(), promoted.next()) {
            (Some(&mv), None) => Ok(mv),
            (Some(_), Some(_)) => Err(error(MoveProblem::Ambiguous)),
            (None, _) if pattern.promotion.is_none() && matching.next().is_some() => {
                Err(error(MoveProblem::NoPromotionPiece))
            }
            (None, _) => Err(error(MoveProblem::Illegal)),
        }
    }
}

fn rank_digit(square: Square) -> char {
    (b'1' + square.rank()) as char
}

/// The parts of a SAN text that is not castling.
struct Pattern {
    kind: PieceKind,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to: Square,
    promotion: Option<PieceKind>,
}

impl Pattern {
    fn read(text: &str) -> Option<Self> {
        let (text, promotion) = split_promotion(text)?;
        let (kind, rest) = match text.chars().next()? {
            letter @ ('P' | 'N' | 'B' | 'R' | 'Q' | 'K') => (PieceKind::from_letter(letter)?, &text[1..]),
            _ => (PieceKind::Pawn, text),
        };
        let (origin, target) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = target.parse().ok()?;
        let origin = origin.strip_suffix(['x', ':', '-']).unwrap_or(origin);
        let (from_file, from_rank) = match origin.as_bytes() {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        (promotion.is_none() || kind == PieceKind::Pawn).then_some(Self {
            kind,
            from_file,
            from_rank,
            to,
            promotion,
        })
    }

    fn matches_except_promotion(&self, mv: Move) -> bool {
        !mv.is_castling()
            && mv.kind() == self.kind
            && mv.to() == self.to
            && self.from_file.is_none_or(|file| file == mv.from().file())
            && self.from_rank.is_none_or(|rank| rank == mv.from().rank())
    }
}

/// Splits `=Q`, `Q`, `(Q)` or `/Q`, of either case, off the end of a text. Returns `None` if the suffix is not a
/// promotion piece.
fn split_promotion(text: &str) -> Option<(&str, Option<PieceKind>)> {
    let unclosed = match text.strip_suffix(')') {
        Some(open) => {
            let at = open.len().checked_sub(2)?;
            open.get(at..)?.starts_with('(').then_some(open)?
        }
        None => text,
    };
    if unclosed.ends_with(|last: char| last.is_ascii_digit()) {
        return Some((unclosed, None));
    }
    let letter = unclosed.chars().next_back()?;
    let kind = PieceKind::from_letter(letter).filter(|kind| PieceKind::PROMOTIONS.contains(kind))?;
    let before = &unclosed[..unclosed.len() - letter.len_utf8()];
    Some((before.strip_suffix(['=', '(', '/']).unwrap_or(before), Some(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_round_trip(name: &str, fen: &str, coordinate: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        let mv = *position
            .legal_moves()
            .iter()
            .find(|mv| format!("{mv:?}") == coordinate)
            .unwrap_or_else(|| panic!("{name}: no {coordinate}"));
        assert_eq!(position.san(mv), expected, "{name}");
        assert_eq!(position.parse_san(expected), Ok(mv), "{name}");
    }

    #[test]
    fn san_is_written_with_minimal_disambiguation() {
        for (name, fen, coordinate, expected) in [
            ("pawn", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "e4"),
            ("pawn capture", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"),
            ("en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
            ("file", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "h1f1", "Rf1"),
            ("file needed", "4k3/8/8/8/8/4K3/8/R6R w - - 0 1", "h1f1", "Rhf1"),
            ("rank needed", "4k3/8/R7/8/8/8/R7/4K3 w - - 0 1", "a2a4", "R2a4"),
            ("square needed", "8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
            ("a pinned piece needs no disambiguation", "4k3/4r3/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"),
            ("promotion", "3k4/7P/8/8/8/8/8/4K3 w - - 0 1", "h7h8q", "h8=Q+"),
            ("mate", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"),
            ("castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "O-O"),
            ("long castling with check", "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "O-O-O+"),
        ] {
            assert_round_trip(name, fen, coordinate, expected);
        }
    }

    #[test]
    fn common_deviations_from_san_are_accepted() {
        let fen = "r3k2r/1P6/8/3pP3/8/5N2/8/R3K2R w KQkq d6 0 1";
        let position = Position::from_fen(fen).unwrap();
        for (text, expected) in [
            ("0-0", "O-O"),
            ("O-O-O!?", "O-O-O"),
            ("b8Q", "b8=Q+"),
            ("b8=Q", "b8=Q+"),
            ("b8(N)", "b8=N"),
            ("b8/r", "b8=R+"),
            ("bxa8=q+!!", "bxa8=Q+"),
            ("ba8Q", "bxa8=Q+"),
            ("exd6", "exd6"),
            ("e5-d6", "exd6"),
            ("Nf3xg5", "Ng5"),
            ("Nd4#", "Nd4"),
            ("Pe6", "e6"),
        ] {
            let mv = position.parse_san(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(position.san(mv), expected, "{text}");
        }
    }

    #[test]
    fn invalid_texts_are_rejected_with_the_reason() {
        let position = Position::from_fen("4k3/1P6/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        for (text, problem) in [
            ("", MoveProblem::Unreadable),
            ("+", MoveProblem::Unreadable),
            ("e", MoveProblem::Unreadable),
            (")", MoveProblem::Unreadable),
            ("é1", MoveProblem::Unreadable),
            ("--", MoveProblem::Unreadable),
            ("Ke2Q", MoveProblem::Unreadable),
            ("b8K", MoveProblem::Unreadable),
            ("b8", MoveProblem::NoPromotionPiece),
            ("Nf3", MoveProblem::Illegal),
            ("Rd8", MoveProblem::Illegal),
            ("Kg1", MoveProblem::Illegal),
        ] {
            assert_eq!(position.parse_san(text).unwrap_err().problem(), problem, "{text:?}");
        }
        let rooks = Position::from_fen("4k3/8/8/8/8/4K3/8/R6R w - - 0 1").unwrap();
        assert_eq!(rooks.parse_san("Rf1").unwrap_err().problem(), MoveProblem::Ambiguous);
    }
}
