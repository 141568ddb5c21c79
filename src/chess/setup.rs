//! A board as somebody describes it, and every reason why it cannot be a chess position.

use std::fmt;

use crate::chess::{ByColor, Color, Piece, PieceKind, Square};

/// Everything a FEN says, not yet known to be possible.
///
/// A setup may hold anything; [`Setup::check`] tells what is wrong with it, and `Position::from_setup` is the only
/// way from here to a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, a1 first.
    pub board: [Option<Piece>; 64],
    /// Who is to move.
    pub turn: Color,
    /// The rooks that may still castle.
    pub castling_rooks: ByColor<CastlingRooks>,
    /// The square a pawn has just jumped over, whether or not anything can capture there.
    pub ep: Option<Square>,
    /// Half-moves since the last capture or pawn move.
    pub halfmove: u16,
    /// The number of the move to come, 1 at the start of a game.
    pub fullmove: u16,
}

/// The squares of the rooks that one side may still castle with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRooks {
    /// The rook towards the h-file.
    pub kingside: Option<Square>,
    /// The rook towards the a-file.
    pub queenside: Option<Square>,
}

/// One reason why a setup is no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// A side without a king.
    NoKing(Color),
    /// A side with several kings.
    ManyKings {
        /// Whose they are.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More than sixteen men of one side.
    TooManyMen {
        /// Whose they are.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More than eight pawns of one side.
    TooManyPawns {
        /// Whose they are.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More promoted pieces than pawns that are gone.
    TooManyPromoted {
        /// Whose they are.
        color: Color,
        /// Pieces that only a promotion can have made.
        promoted: u32,
        /// Pawns that are gone.
        gone: u32,
    },
    /// A pawn where no pawn can stand.
    PawnOnBackRank(Square),
    /// The side that has just moved left its king in check.
    OpponentInCheck {
        /// The king that could be taken.
        king: Square,
    },
    /// More than two pieces give check.
    TooManyCheckers {
        /// How many do.
        count: u32,
    },
    /// A castling right of a king that is not on its back rank.
    CastlingKingAway(Color),
    /// A castling right without its rook.
    CastlingRookMissing {
        /// Whose right.
        color: Color,
        /// Where the rook should stand.
        rook: Square,
    },
    /// A castling rook on the wrong side of its king.
    CastlingRookMisplaced {
        /// Whose right.
        color: Color,
        /// Where the rook stands.
        rook: Square,
    },
    /// An en-passant square on the wrong rank for the side to move.
    EpWrongRank(Square),
    /// An en-passant square, or the square behind it, on which something stands.
    EpBlocked(Square),
    /// An en-passant square without the pawn that should have jumped over it.
    EpNoPawn(Square),
}

/// Every reason why a setup is no position; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupErrors(Vec<SetupError>);

impl SetupErrors {
    /// The reasons, in a fixed order: men, pawns, checks, castling, en passant.
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
            Self::TooManyMen { color, count } => {
                write!(f, "{} has {count} men, at most 16 are possible", color.name())
            }
            Self::TooManyPawns { color, count } => {
                write!(f, "{} has {count} pawns, at most 8 are possible", color.name())
            }
            Self::TooManyPromoted { color, promoted, gone } => write!(
                f,
                "{} has {promoted} pieces that must have been pawns, but only {gone} pawns are gone",
                color.name()
            ),
            Self::PawnOnBackRank(square) => write!(f, "a pawn stands on {square}"),
            Self::OpponentInCheck { king } => {
                write!(f, "the side to move could take the king on {king}")
            }
            Self::TooManyCheckers { count } => write!(f, "{count} pieces give check, at most 2 can"),
            Self::CastlingKingAway(color) => {
                write!(f, "{} may castle, but its king is not on its back rank", color.name())
            }
            Self::CastlingRookMissing { color, rook } => {
                write!(f, "{} may castle with a rook on {rook}, but none is there", color.name())
            }
            Self::CastlingRookMisplaced { color, rook } => {
                write!(f, "{}'s castling rook on {rook} is on the wrong side of its king", color.name())
            }
            Self::EpWrongRank(square) => {
                write!(f, "the en-passant square {square} is on the wrong rank for the side to move")
            }
            Self::EpBlocked(square) => {
                write!(f, "no pawn can have jumped over the en-passant square {square}: it was not free")
            }
            Self::EpNoPawn(square) => {
                write!(f, "no pawn stands in front of the en-passant square {square}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// A board with nothing on it, White to move.
    pub const EMPTY: Self = Self {
        board: [None; 64],
        turn: Color::White,
        castling_rooks: ByColor { white: CastlingRooks::NONE, black: CastlingRooks::NONE },
        ep: None,
        halfmove: 0,
        fullmove: 1,
    };

    /// What stands on `square`.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// The king of `color` on the lowest square, if there is one.
    pub fn king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, PieceKind::King));
        Square::all().find(|&square| self.piece_at(square) == king)
    }

    /// Passes if the setup can be a position; otherwise tells every reason why not.
    ///
    /// It refuses what breaks the rules of the board (kings, pawns, castling, en passant, a king left in check) and
    /// material that no promotion explains. It does not ask whether a game can lead there.
    pub fn check(&self) -> Result<(), SetupErrors> {
        let mut reasons = Vec::new();
        for color in Color::ALL {
            self.check_men(color, &mut reasons);
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

    fn check_men(&self, color: Color, reasons: &mut Vec<SetupError>) {
        let count = |kind| self.count(|_, piece| piece == Piece::new(color, kind));
        match count(PieceKind::King) {
            0 => reasons.push(SetupError::NoKing(color)),
            1 => {}
            kings => reasons.push(SetupError::ManyKings { color, count: kings }),
        }
        let men = self.count(|_, piece| piece.color == color);
        if men > 16 {
            reasons.push(SetupError::TooManyMen { color, count: men });
        }
        let pawns = count(PieceKind::Pawn);
        if pawns > 8 {
            reasons.push(SetupError::TooManyPawns { color, count: pawns });
        }
        // A second bishop on squares of one colour was a pawn once, as a third rook was.
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
        let gone = 8u32.saturating_sub(pawns);
        if promoted > gone && men <= 16 && pawns <= 8 {
            reasons.push(SetupError::TooManyPromoted { color, promoted, gone });
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
        let home = |square: &Square| square.relative_rank(color) == 0;
        let king = self.king(color).filter(home);
        if king.is_none() && self.king(color).is_some() {
            reasons.push(SetupError::CastlingKingAway(color));
        }
        let rook_piece = Some(Piece::new(color, PieceKind::Rook));
        for (rook, east) in [(rooks.kingside, true), (rooks.queenside, false)] {
            let Some(rook) = rook else { continue };
            if self.piece_at(rook) != rook_piece {
                reasons.push(SetupError::CastlingRookMissing { color, rook });
            } else if !home(&rook) || king.is_some_and(|king| (rook > king) != east) {
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

    fn count(&self, mut wanted: impl FnMut(Square, Piece) -> bool) -> u32 {
        let counted = |square: &Square| self.piece_at(*square).is_some_and(|piece| wanted(*square, piece));
        Square::all().filter(counted).count() as u32
    }

    /// How many pieces of `by` attack `target`; walked step by step, since an unchecked board may hold anything.
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

    /// Whether nothing stands strictly between two different squares of one line.
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
    /// No right to castle.
    pub const NONE: Self = Self { kingside: None, queenside: None };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(men: &str) -> Setup {
        let mut setup = Setup::EMPTY;
        for man in men.split_whitespace() {
            let square: Square = man[1..].parse().unwrap();
            setup.board[square.index()] = Piece::from_letter(man.as_bytes()[0] as char);
        }
        setup
    }

    #[test]
    fn two_kings_apart_are_enough() {
        assert_eq!(place("Ke1 ke8").check(), Ok(()));
    }

    #[test]
    fn every_reason_is_told_at_once() {
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
        assert!(reasons.to_string().starts_with("White has no king; a pawn stands on a1; "), "{reasons}");
    }

    #[test]
    fn impossible_material_is_refused() {
        let pawns = "Pa2 Pb2 Pc2 Pd2 Pe2 Pf2 Pg2 Ph2";
        for (name, men, expected) in [
            ("nine pawns", format!("Ke1 ke8 {pawns} Pa3"), "White has 9 pawns"),
            ("a second queen of eight pawns", format!("Ke1 ke8 {pawns} Qa4 Qb4"), "1 pieces that must"),
            ("two bishops of one shade", format!("Ke1 ke8 {pawns} Ba3 Bc3"), "1 pieces that must"),
            ("three kings", "Ke1 Ka5 ka7 kh8 kf8".into(), "Black has 3 kings"),
            ("seventeen men", format!("Ke1 ke8 {pawns} Ra1 Rh1 Nb1 Ng1 Bc1 Bf1 Qd1 Na3"), "17 men"),
            ("three checkers", "Ke1 ka8 re8 ba5 nc2".into(), "3 pieces give check"),
        ] {
            let told = place(&men).check().unwrap_err().to_string();
            assert!(told.contains(expected), "{name}: {told}");
        }
    }

    #[test]
    fn en_passant_needs_a_pawn_that_just_jumped() {
        for (name, men, ep, expected) in [
            ("fine", "Ke1 ke8 pd5", Square::D6, None),
            ("wrong rank", "Ke1 ke8 pd5", Square::D5, Some(SetupError::EpWrongRank(Square::D5))),
            ("own side", "Ke1 ke8 Pd4", Square::D3, Some(SetupError::EpWrongRank(Square::D3))),
            ("no pawn", "Ke1 ke8 Pd5", Square::D6, Some(SetupError::EpNoPawn(Square::D6))),
            ("origin taken", "Ke1 ke8 pd5 pd7", Square::D6, Some(SetupError::EpBlocked(Square::D6))),
        ] {
            let setup = Setup { ep: Some(ep), ..place(men) };
            assert_eq!(setup.check().err().map(|errors| errors.0[0].clone()), expected, "{name}");
        }
    }

    #[test]
    fn castling_needs_king_and_rook_at_home_and_in_order() {
        for (name, men, rook, expected) in [
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
            let mut setup = place(men);
            setup.castling_rooks.white.kingside = Some(rook);
            assert_eq!(setup.check().err().map(|errors| errors.0[0].clone()), expected, "{name}");
        }
    }
}
