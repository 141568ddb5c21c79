//! Unvalidated board descriptions, and the reasons why a description is not a chess position.

use std::fmt;

use crate::chess::{ByColor, Color, Piece, PieceKind, Square};

/// The contents of a FEN, not validated.
///
/// A setup may hold any values. [`Setup::check`] reports what is wrong with it; `Position::from_setup` is the only
/// conversion to a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square, a1 first.
    pub board: [Option<Piece>; 64],
    /// The side to move.
    pub turn: Color,
    /// The rooks with a castling right.
    pub castling_rooks: ByColor<CastlingRooks>,
    /// The square that a pawn passed with a double push on the previous move, whether or not it can be captured.
    pub ep: Option<Square>,
    /// The number of half-moves since the last capture or pawn move.
    pub halfmove: u16,
    /// The number of the next move, 1 at the start of a game.
    pub fullmove: u16,
}

/// The squares of the rooks with which one side has the right to castle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRooks {
    /// The rook towards the h-file.
    pub kingside: Option<Square>,
    /// The rook towards the a-file.
    pub queenside: Option<Square>,
}

/// A reason why a setup is not a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// A side has no king.
    NoKing(Color),
    /// A side has several kings.
    ManyKings {
        /// The side.
        color: Color,
        /// The number of kings.
        count: u32,
    },
    /// A side has more than sixteen pieces, pawns included.
    TooManyPieces {
        /// The side.
        color: Color,
        /// The number of pieces.
        count: u32,
    },
    /// A side has more than eight pawns.
    TooManyPawns {
        /// The side.
        color: Color,
        /// The number of pawns.
        count: u32,
    },
    /// A side has more promoted pieces than missing pawns.
    TooManyPromoted {
        /// The side.
        color: Color,
        /// The number of pieces that must have been promoted.
        promoted: u32,
        /// The number of pawns that are missing.
        missing: u32,
    },
    /// A pawn is on the first or the last rank.
    PawnOnBackRank(Square),
    /// The side that has just moved left its king in check.
    OpponentInCheck {
        /// The king that can be captured.
        king: Square,
    },
    /// More than two pieces give check.
    TooManyCheckers {
        /// The number of pieces.
        count: u32,
    },
    /// A side has a castling right, but its king is not on its back rank.
    CastlingKingAway(Color),
    /// A castling right names a square without a rook.
    CastlingRookMissing {
        /// The side with the right.
        color: Color,
        /// The square on which the rook is expected.
        rook: Square,
    },
    /// A castling rook is not on its back rank or on the wrong side of its king.
    CastlingRookMisplaced {
        /// The side with the right.
        color: Color,
        /// The square of the rook.
        rook: Square,
    },
    /// The en-passant square is on the wrong rank for the side to move.
    EpWrongRank(Square),
    /// The en-passant square or the origin of the double push is occupied.
    EpBlocked(Square),
    /// The pawn that should have passed the en-passant square is missing.
    EpNoPawn(Square),
}

/// All reasons why a setup is not a position; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupErrors(Vec<SetupError>);

impl SetupErrors {
    /// Returns the reasons in a fixed order: material, pawns, checks, castling, en passant.
    pub fn reasons(&self) -> &[SetupError] {
        &self.0
    }
}

impl fmt::Display for SetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, reason) in self.0.iter().enumerate() {
            write!(f, "{}{reason}", if n == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupErrors {}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKing(color) => write!(f, "{} has no king", color.name()),
            Self::ManyKings { color, count } => write!(f, "{} has {count} kings", color.name()),
            Self::TooManyPieces { color, count } => {
                write!(f, "{} has {count} pieces, more than 16", color.name())
            }
            Self::TooManyPawns { color, count } => {
                write!(f, "{} has {count} pawns, more than 8", color.name())
            }
            Self::TooManyPromoted { color, promoted, missing } => write!(
                f,
                "{} has {promoted} promoted pieces, but only {missing} of its pawns are missing",
                color.name()
            ),
            Self::PawnOnBackRank(square) => write!(f, "a pawn cannot be on {square}"),
            Self::OpponentInCheck { king } => {
                write!(f, "the side to move can capture the king on {king}")
            }
            Self::TooManyCheckers { count } => write!(f, "{count} pieces give check, more than 2"),
            Self::CastlingKingAway(color) => {
                write!(f, "{} has castling rights, but its king is not on its back rank", color.name())
            }
            Self::CastlingRookMissing { color, rook } => {
                write!(f, "{} has a castling right for a rook on {rook}, but no rook there", color.name())
            }
            Self::CastlingRookMisplaced { color, rook } => {
                write!(f, "{}'s castling rook on {rook} is on the wrong side of its king", color.name())
            }
            Self::EpWrongRank(square) => {
                write!(f, "the en-passant square {square} is on the wrong rank for the side to move")
            }
            Self::EpBlocked(square) => {
                write!(
                    f,
                    "no double push can have passed the en-passant square {square}: its path is occupied"
                )
            }
            Self::EpNoPawn(square) => {
                write!(f, "there is no pawn in front of the en-passant square {square}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// An empty board with White to move.
    pub const EMPTY: Self = Self {
        board: [None; 64],
        turn: Color::White,
        castling_rooks: ByColor { white: CastlingRooks::NONE, black: CastlingRooks::NONE },
        ep: None,
        halfmove: 0,
        fullmove: 1,
    };

    /// Returns the piece on `square`.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// Returns the square of the king of `color`, the lowest one if there are several.
    pub fn king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, PieceKind::King));
        Square::all().find(|&square| self.piece_at(square) == king)
    }

    /// Checks that the setup is a position, and returns all reasons if it is not.
    ///
    /// Rejects setups that violate the rules (kings, pawns, castling, en passant, the opponent's king in check) and
    /// material that promotions cannot explain. Does not check whether a game can reach the position.
    pub fn check(&self) -> Result<(), SetupErrors> {
        let mut reasons = Vec::new();
        for color in Color::ALL {
            self.check_material(color, &mut reasons);
        }
        let back_ranks = Square::all().filter(|square| matches!(square.rank(), 0 | 7));
        reasons.extend(
            back_ranks.filter(|&square| self.has(square, PieceKind::Pawn)).map(SetupError::PawnOnBackRank),
        );
        self.check_checks(&mut reasons);
        for color in Color::ALL {
            self.check_castling(color, &mut reasons);
        }
        reasons.extend(self.ep.and_then(|square| self.ep_error(square)));
        if reasons.is_empty() { Ok(()) } else { Err(SetupErrors(reasons)) }
    }

    fn check_material(&self, color: Color, reasons: &mut Vec<SetupError>) {
        let count = |kind| self.count(|_, piece| piece == Piece::new(color, kind));
        match count(PieceKind::King) {
            0 => reasons.push(SetupError::NoKing(color)),
            1 => {}
            kings => reasons.push(SetupError::ManyKings { color, count: kings }),
        }
        let pieces = self.count(|_, piece| piece.color == color);
        if pieces > 16 {
            reasons.push(SetupError::TooManyPieces { color, count: pieces });
        }
        let pawns = count(PieceKind::Pawn);
        if pawns > 8 {
            reasons.push(SetupError::TooManyPawns { color, count: pawns });
        }
        // A second bishop on squares of the same colour must have been promoted, like a third rook.
        let bishops = |shade: u8| {
            self.count(|square, piece| {
                piece == Piece::new(color, PieceKind::Bishop) && (square.file() + square.rank()) % 2 == shade
            })
        };
        let promoted = count(PieceKind::Queen).saturating_sub(1)
            + count(PieceKind::Rook).saturating_sub(2)
            + count(PieceKind::Knight).saturating_sub(2)
            + bishops(0).saturating_sub(1)
            + bishops(1).saturating_sub(1);
        let missing = 8u32.saturating_sub(pawns);
        if promoted > missing && pieces <= 16 && pawns <= 8 {
            reasons.push(SetupError::TooManyPromoted { color, promoted, missing });
        }
    }

    fn check_checks(&self, reasons: &mut Vec<SetupError>) {
        if let Some(king) = self.king(!self.turn)
            && self.attackers(king, self.turn) > 0
        {
            reasons.push(SetupError::OpponentInCheck { king });
        }
        if let Some(king) = self.king(self.turn) {
            let count = self.attackers(king, !self.turn);
            if count > 2 {
                reasons.push(SetupError::TooManyCheckers { count });
            }
        }
    }

    fn check_castling(&self, color: Color, reasons: &mut Vec<SetupError>) {
        let rooks = self.castling_rooks[color];
        if rooks == CastlingRooks::NONE {
            return;
        }
        let on_back_rank = |square: &Square| square.relative_rank(color) == 0;
        let king = self.king(color).filter(on_back_rank);
        if king.is_none() && self.king(color).is_some() {
            reasons.push(SetupError::CastlingKingAway(color));
        }
        let rook_piece = Some(Piece::new(color, PieceKind::Rook));
        for (rook, east) in [(rooks.kingside, true), (rooks.queenside, false)] {
            let Some(rook) = rook else { continue };
            if self.piece_at(rook) != rook_piece {
                reasons.push(SetupError::CastlingRookMissing { color, rook });
            } else if !on_back_rank(&rook) || king.is_some_and(|king| (rook > king) != east) {
                reasons.push(SetupError::CastlingRookMisplaced { color, rook });
            }
        }
    }

    fn ep_error(&self, target: Square) -> Option<SetupError> {
        if target.relative_rank(self.turn) != 5 {
            return Some(SetupError::EpWrongRank(target));
        }
        let (pushed, origin) = match self.turn {
            Color::White => (Square::at(target.file(), 4), Square::at(target.file(), 6)),
            Color::Black => (Square::at(target.file(), 3), Square::at(target.file(), 1)),
        };
        if self.piece_at(pushed) != Some(Piece::new(!self.turn, PieceKind::Pawn)) {
            return Some(SetupError::EpNoPawn(target));
        }
        let free = self.piece_at(target).is_none() && self.piece_at(origin).is_none();
        (!free).then_some(SetupError::EpBlocked(target))
    }

    fn has(&self, square: Square, kind: PieceKind) -> bool {
        self.piece_at(square).is_some_and(|piece| piece.kind == kind)
    }

    fn count(&self, mut predicate: impl FnMut(Square, Piece) -> bool) -> u32 {
        let counted = |square: &Square| self.piece_at(*square).is_some_and(|piece| predicate(*square, piece));
        Square::all().filter(counted).count() as u32
    }

    /// Returns the number of pieces of `by` that attack `target`. Does not use bitboards, because an unvalidated board
    /// may have any number of kings.
    fn attackers(&self, target: Square, by: Color) -> u32 {
        self.count(|from, piece| piece.color == by && self.attacks(from, piece, target))
    }

    fn attacks(&self, from: Square, piece: Piece, target: Square) -> bool {
        let files = target.file() as i8 - from.file() as i8;
        let ranks = target.rank() as i8 - from.rank() as i8;
        let (aligned, diagonal) = (files == 0 || ranks == 0, files.unsigned_abs() == ranks.unsigned_abs());
        match piece.kind {
            _ if from == target => false,
            PieceKind::Pawn => {
                let forward = if piece.color == Color::White { 1 } else { -1 };
                files.abs() == 1 && ranks == forward
            }
            PieceKind::Knight => matches!((files.abs(), ranks.abs()), (1, 2) | (2, 1)),
            PieceKind::King => from.distance(target) == 1,
            PieceKind::Bishop => diagonal && self.is_free_between(from, target),
            PieceKind::Rook => aligned && self.is_free_between(from, target),
            PieceKind::Queen => (aligned || diagonal) && self.is_free_between(from, target),
        }
    }

    /// Returns whether all squares strictly between two different squares of one line are empty.
    fn is_free_between(&self, from: Square, target: Square) -> bool {
        let step = |from: u8, to: u8| (to as i8 - from as i8).signum();
        let (file_step, rank_step) = (step(from.file(), target.file()), step(from.rank(), target.rank()));
        (1..from.distance(target) as i8).all(|n| {
            let file = from.file().wrapping_add_signed(n * file_step);
            let rank = from.rank().wrapping_add_signed(n * rank_step);
            self.piece_at(Square::at(file, rank)).is_none()
        })
    }
}

impl CastlingRooks {
    /// No castling right.
    pub const NONE: Self = Self { kingside: None, queenside: None };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(pieces: &str) -> Setup {
        let mut setup = Setup::EMPTY;
        for piece in pieces.split_whitespace() {
            let square: Square = piece[1..].parse().unwrap();
            setup.board[square.index()] = Piece::from_letter(piece.as_bytes()[0] as char);
        }
        setup
    }

    #[test]
    fn two_kings_apart_are_a_valid_setup() {
        assert_eq!(place("Ke1 ke8").check(), Ok(()));
    }

    #[test]
    fn all_reasons_are_reported_together() {
        let mut setup = place("Pa1 ke8 Re4 Rh3");
        setup.castling_rooks.black.kingside = Some(Square::H8);
        setup.ep = Some(Square::D6);
        let reasons = setup.check().unwrap_err();
        assert_eq!(
            reasons.reasons(),
            [
                SetupError::NoKing(Color::White),
                SetupError::PawnOnBackRank(Square::A1),
                SetupError::OpponentInCheck { king: Square::E8 },
                SetupError::CastlingRookMissing { color: Color::Black, rook: Square::H8 },
                SetupError::EpNoPawn(Square::D6),
            ]
        );
        assert!(reasons.to_string().starts_with("White has no king; a pawn cannot be on a1; "), "{reasons}");
    }

    #[test]
    fn impossible_material_is_rejected() {
        let pawns = "Pa2 Pb2 Pc2 Pd2 Pe2 Pf2 Pg2 Ph2";
        for (name, pieces, expected) in [
            ("nine pawns", format!("Ke1 ke8 {pawns} Pa3"), "White has 9 pawns"),
            ("a second queen with eight pawns", format!("Ke1 ke8 {pawns} Qa4 Qb4"), "1 promoted pieces"),
            ("two bishops on dark squares", format!("Ke1 ke8 {pawns} Ba3 Bc3"), "1 promoted pieces"),
            ("three kings", "Ke1 Ka5 ka7 kh8 kf8".into(), "Black has 3 kings"),
            ("seventeen pieces", format!("Ke1 ke8 {pawns} Ra1 Rh1 Nb1 Ng1 Bc1 Bf1 Qd1 Na3"), "17 pieces"),
            ("three checkers", "Ke1 ka8 re8 ba5 nc2".into(), "3 pieces give check"),
        ] {
            let message = place(&pieces).check().unwrap_err().to_string();
            assert!(message.contains(expected), "{name}: {message}");
        }
    }

    #[test]
    fn an_en_passant_square_requires_a_pawn_that_just_made_a_double_push() {
        for (name, pieces, ep, expected) in [
            ("valid", "Ke1 ke8 pd5", Square::D6, None),
            ("wrong rank", "Ke1 ke8 pd5", Square::D5, Some(SetupError::EpWrongRank(Square::D5))),
            ("own side", "Ke1 ke8 Pd4", Square::D3, Some(SetupError::EpWrongRank(Square::D3))),
            ("no pawn", "Ke1 ke8 Pd5", Square::D6, Some(SetupError::EpNoPawn(Square::D6))),
            ("origin occupied", "Ke1 ke8 pd5 pd7", Square::D6, Some(SetupError::EpBlocked(Square::D6))),
        ] {
            let setup = Setup { ep: Some(ep), ..place(pieces) };
            assert_eq!(setup.check().err().map(|errors| errors.0[0].clone()), expected, "{name}");
        }
    }

    #[test]
    fn a_castling_right_requires_king_and_rook_on_the_back_rank_in_order() {
        for (name, pieces, rook, expected) in [
            ("corner rook", "Ke1 ke8 Rh1", Square::H1, None),
            ("inner rook", "Kb1 ke8 Rc1 Rh1", Square::C1, None),
            ("king away", "Ke2 ke8 Rh1", Square::H1, Some(SetupError::CastlingKingAway(Color::White))),
            (
                "rook on the other side",
                "Ke1 ke8 Ra1",
                Square::A1,
                Some(SetupError::CastlingRookMisplaced { color: Color::White, rook: Square::A1 }),
            ),
            (
                "enemy rook",
                "Ke1 ke8 rh1 Nf1",
                Square::H1,
                Some(SetupError::CastlingRookMissing { color: Color::White, rook: Square::H1 }),
            ),
        ] {
            let mut setup = place(pieces);
            setup.castling_rooks.white.kingside = Some(rook);
            assert_eq!(setup.check().err().map(|errors| errors.0[0].clone()), expected, "{name}");
        }
    }
}
