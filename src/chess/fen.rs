//! Reading and writing of FEN, X-FEN and Shredder-FEN.

use std::fmt::{self, Write as _};

use crate::chess::{
    CastlingRooks, CastlingSide, Color, Piece, PieceKind, Position, Setup, SetupError, SetupErrors, Square,
};

/// The FEN of the standard starting position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// All reasons why a string is not the FEN of a position; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError(Vec<FenReason>);

/// A reason why a string is not the FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenReason {
    /// The number of fields is wrong.
    Fields {
        /// The number of fields found.
        found: usize,
        /// The accepted numbers of fields.
        expected: &'static str,
    },
    /// The number of ranks is not eight.
    Ranks {
        /// The number of ranks found.
        found: usize,
    },
    /// A rank does not describe eight squares.
    Rank {
        /// The number of the rank, 1 to 8.
        number: u8,
        /// The text of the rank, truncated if it is long.
        text: String,
        /// The error in the text.
        problem: RankProblem,
    },
    /// The side to move is neither `w` nor `b`.
    Turn(String),
    /// The castling field is neither `-` nor a list of distinct rook letters.
    Castling(String),
    /// The en-passant field is neither `-` nor a square.
    Ep(String),
    /// The halfmove clock is not a number from 0 to 65535.
    Halfmove(String),
    /// The move number is not a number from 0 to 65535.
    Fullmove(String),
    /// The fields are readable, but the board is not a position.
    Setup(SetupError),
}

/// An error in a rank of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankProblem {
    /// The rank does not describe eight squares.
    Squares(usize),
    /// The rank contains a character that is neither a piece nor a digit from 1 to 8.
    Letter(char),
    /// Two digits follow each other.
    TwoCounts,
}

/// Whether the two clock fields are required: FEN has them, EPD may omit them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    Required,
    Optional,
}

impl FenError {
    /// Returns the reasons by field from left to right, followed by those that concern the whole board.
    pub fn reasons(&self) -> &[FenReason] {
        &self.0
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, reason) in self.0.iter().enumerate() {
            write!(f, "{}{reason}", if n == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for FenError {}

impl From<SetupErrors> for FenError {
    fn from(errors: SetupErrors) -> Self {
        Self(errors.reasons().iter().cloned().map(FenReason::Setup).collect())
    }
}

impl fmt::Display for FenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields { found, expected } => write!(f, "expected {expected} fields, got {found}"),
            Self::Ranks { found } => write!(f, "expected 8 ranks, got {found}"),
            Self::Rank { number, text, problem } => {
                write!(f, "rank {number} `{text}` ")?;
                match problem {
                    RankProblem::Squares(found) => write!(f, "describes {found} squares, expected 8"),
                    RankProblem::Letter(letter) => {
                        write!(
                            f,
                            "contains {letter:?}, which is neither a piece (PNBRQK, pnbrqk) nor a digit from 1 to 8"
                        )
                    }
                    RankProblem::TwoCounts => f.write_str("contains two digits in a row"),
                }
            }
            Self::Turn(text) => write!(f, "side to move `{text}` is neither `w` nor `b`"),
            Self::Castling(text) => {
                write!(
                    f,
                    "castling rights `{text}` are neither `-` nor distinct letters of KQkq or rook files"
                )
            }
            Self::Ep(text) => write!(f, "en-passant field `{text}` is neither `-` nor a square"),
            Self::Halfmove(text) => write!(f, "halfmove clock `{text}` is not a number from 0 to 65535"),
            Self::Fullmove(text) => write!(f, "move number `{text}` is not a number from 0 to 65535"),
            Self::Setup(reason) => reason.fmt(f),
        }
    }
}

impl Position {
    /// Parses a FEN of six fields, with castling rights in standard FEN, X-FEN or Shredder-FEN.
    ///
    /// `K`, `Q`, `k` and `q` denote the outermost rook on that side of the king; a file letter denotes the rook on that
    /// file. A move number of 0 is read as 1. An en-passant square must be consistent with the board, and is kept only
    /// if a legal capture exists there. All errors are reported together.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Self::from_fen_fields(fen, Clocks::Required)
    }

    pub(super) fn from_fen_fields(fen: &str, clocks: Clocks) -> Result<Self, FenError> {
        let (setup, mut reasons) = read_fields(fen, clocks);
        // If the board could be read, its errors are reported together with those of the other fields.
        if reasons.iter().any(FenReason::hides_the_board) {
            return Err(FenError(reasons));
        }
        match Self::from_setup(&setup) {
            Ok(position) if reasons.is_empty() => Ok(position),
            Ok(_) => Err(FenError(reasons)),
            Err(errors) => {
                reasons.extend(FenError::from(errors).0);
                Err(FenError(reasons))
            }
        }
    }

    /// Returns the FEN, with `KQkq` where that denotes the castling rook and its file letter otherwise (X-FEN).
    ///
    /// The en-passant square is written only if a legal capture exists there, so that equal positions have equal FENs.
    pub fn to_fen(&self) -> String {
        self.to_setup().to_fen()
    }

    /// Returns the FEN with every castling rook denoted by its file, `HAha` for the standard starting position.
    pub fn to_shredder_fen(&self) -> String {
        self.to_setup().to_shredder_fen()
    }
}

impl FenReason {
    fn hides_the_board(&self) -> bool {
        matches!(self, Self::Fields { .. } | Self::Ranks { .. } | Self::Rank { .. } | Self::Turn(_))
    }
}

impl Setup {
    /// Returns the setup as FEN, with its en-passant square even if no capture is legal there.
    pub fn to_fen(&self) -> String {
        self.write_fen(Self::xfen_letter)
    }

    /// Returns the setup as Shredder-FEN.
    pub fn to_shredder_fen(&self) -> String {
        self.write_fen(|_, _, rook| rook.file_letter().to_ascii_uppercase())
    }

    /// Returns the first four fields of the FEN, which are the position of an EPD.
    pub(super) fn to_epd_fields(&self) -> String {
        let mut text = String::with_capacity(90);
        self.write_board(&mut text);
        self.write_turn_castling_ep(&mut text, Self::xfen_letter);
        text
    }

    fn write_fen(&self, letter: impl Fn(&Self, Color, Square) -> char) -> String {
        let mut text = String::with_capacity(90);
        self.write_board(&mut text);
        self.write_turn_castling_ep(&mut text, letter);
        // Writing to a string cannot fail.
        let _ = write!(text, " {} {}", self.halfmove, self.fullmove);
        text
    }

    fn write_board(&self, text: &mut String) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece_at(Square::at(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        push_count(text, empty);
                        empty = 0;
                        text.push(piece.letter());
                    }
                }
            }
            push_count(text, empty);
            if rank > 0 {
                text.push('/');
            }
        }
    }

    fn write_turn_castling_ep(&self, text: &mut String, letter: impl Fn(&Self, Color, Square) -> char) {
        text.push(' ');
        text.push(self.turn.letter());
        text.push(' ');
        let before = text.len();
        for color in Color::ALL {
            let CastlingRooks { kingside, queenside } = self.castling_rooks[color];
            for rook in [kingside, queenside].into_iter().flatten() {
                let letter = letter(self, color, rook);
                text.push(if color == Color::White { letter } else { letter.to_ascii_lowercase() });
            }
        }
        if text.len() == before {
            text.push('-');
        }
        match self.ep {
            Some(square) => {
                let _ = write!(text, " {square}");
            }
            None => text.push_str(" -"),
        }
    }

    /// Returns `K` or `Q` if the rook is the outermost on its side of the king, otherwise its file letter.
    fn xfen_letter(&self, color: Color, rook: Square) -> char {
        let rooks = self.castling_rooks[color];
        if rooks.kingside == Some(rook) && self.outermost_rook(color, CastlingSide::King) == Some(rook) {
            'K'
        } else if rooks.queenside == Some(rook)
            && self.outermost_rook(color, CastlingSide::Queen) == Some(rook)
        {
            'Q'
        } else {
            rook.file_letter().to_ascii_uppercase()
        }
    }

    /// Returns the rook on the back rank of `color` that is furthest from the king on that side.
    pub(super) fn outermost_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color).filter(|king| king.relative_rank(color) == 0)?;
        let rook = Some(Piece::new(color, PieceKind::Rook));
        let from_the_edge = (0..8).map(|n| match side {
            CastlingSide::King => Square::at(7 - n, king.rank()),
            CastlingSide::Queen => Square::at(n, king.rank()),
        });
        from_the_edge.take_while(|&square| square != king).find(|&square| self.piece_at(square) == rook)
    }
}

fn push_count(text: &mut String, empty: u8) {
    if empty > 0 {
        text.push((b'0' + empty) as char);
    }
}

/// Parses all fields; returns what could be read and the reasons for what could not.
fn read_fields(fen: &str, clocks: Clocks) -> (Setup, Vec<FenReason>) {
    let mut setup = Setup::EMPTY;
    let mut reasons = Vec::new();
    let fields: Vec<&str> = fen.split_ascii_whitespace().take(7).collect();
    let (board, turn, castling, ep, numbers) = match (fields.as_slice(), clocks) {
        ([board, turn, castling, ep, halfmove, fullmove], _) => {
            (board, turn, castling, ep, Some((halfmove, fullmove)))
        }
        ([board, turn, castling, ep], Clocks::Optional) => (board, turn, castling, ep, None),
        (_, clocks) => {
            let expected = if clocks == Clocks::Required { "6" } else { "4 or 6" };
            let found = fen.split_ascii_whitespace().count();
            return (setup, vec![FenReason::Fields { found, expected }]);
        }
    };
    read_board(board, &mut setup, &mut reasons);
    match *turn {
        "w" => setup.turn = Color::White,
        "b" => setup.turn = Color::Black,
        other => reasons.push(FenReason::Turn(truncated(other))),
    }
    if !read_castling(castling, &mut setup) {
        reasons.push(FenReason::Castling(truncated(castling)));
    }
    if *ep != "-" {
        match ep.parse() {
            Ok(square) => setup.ep = Some(square),
            Err(_) => reasons.push(FenReason::Ep(truncated(ep))),
        }
    }
    if let Some((halfmove, fullmove)) = numbers {
        match read_number(halfmove) {
            Some(number) => setup.halfmove = number,
            None => reasons.push(FenReason::Halfmove(truncated(halfmove))),
        }
        match read_number(fullmove) {
            Some(number) => setup.fullmove = number.max(1),
            None => reasons.push(FenReason::Fullmove(truncated(fullmove))),
        }
    }
    (setup, reasons)
}

fn read_board(text: &str, setup: &mut Setup, reasons: &mut Vec<FenReason>) {
    let found = text.split('/').count();
    if found != 8 {
        reasons.push(FenReason::Ranks { found });
        return;
    }
    for (rank, text) in (0..8).rev().zip(text.split('/')) {
        if let Err(problem) = read_rank(text, rank, setup) {
            reasons.push(FenReason::Rank { number: rank + 1, text: truncated(text), problem });
        }
    }
}

fn read_rank(text: &str, rank: u8, setup: &mut Setup) -> Result<(), RankProblem> {
    let mut file = 0usize;
    let mut after_count = false;
    for letter in text.chars() {
        let count = letter.to_digit(10).filter(|count| (1..=8).contains(count));
        match (count, Piece::from_letter(letter)) {
            (Some(_), _) if after_count => return Err(RankProblem::TwoCounts),
            (Some(count), _) => file += count as usize,
            (None, Some(piece)) => {
                if file < 8 {
                    setup.board[Square::at(file as u8, rank).index()] = Some(piece);
                }
                file += 1;
            }
            (None, None) => return Err(RankProblem::Letter(letter)),
        }
        after_count = count.is_some();
    }
    if file == 8 { Ok(()) } else { Err(RankProblem::Squares(file)) }
}

/// Sets the castling rights and returns whether the text is valid. A right without a rook refers to the corner square,
/// so that [`Setup::check`] reports it.
fn read_castling(text: &str, setup: &mut Setup) -> bool {
    if text == "-" {
        return true;
    }
    !text.is_empty() && text.len() <= 4 && text.chars().all(|letter| read_right(letter, setup))
}

fn read_right(letter: char, setup: &mut Setup) -> bool {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let back_rank = Square::A1.relative(color).rank();
    let (side, rook) = match letter.to_ascii_uppercase() {
        'K' => (
            CastlingSide::King,
            setup.outermost_rook(color, CastlingSide::King).unwrap_or(Square::at(7, back_rank)),
        ),
        'Q' => (
            CastlingSide::Queen,
            setup.outermost_rook(color, CastlingSide::Queen).unwrap_or(Square::at(0, back_rank)),
        ),
        file @ 'A'..='H' => {
            let rook = Square::at(file as u8 - b'A', back_rank);
            let king_file = setup.king(color).map_or(4, Square::file);
            (if rook.file() < king_file { CastlingSide::Queen } else { CastlingSide::King }, rook)
        }
        _ => return false,
    };
    let rooks = &mut setup.castling_rooks[color];
    let right = match side {
        CastlingSide::King => &mut rooks.kingside,
        CastlingSide::Queen => &mut rooks.queenside,
    };
    right.replace(rook).is_none()
}

fn read_number(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Returns the escaped start of a text of any length, for use in a one-line message.
pub(super) fn truncated(text: &str) -> String {
    const LIMIT: usize = 32;
    let mut short: String = text.chars().take(LIMIT).flat_map(char::escape_debug).collect();
    if text.chars().nth(LIMIT).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the FEN of the parsed position, or the error message.
    fn parsed(fen: &str) -> String {
        Position::from_fen(fen).map_or_else(|error| error.to_string(), |position| position.to_fen())
    }

    #[test]
    fn valid_fens_round_trip_unchanged() {
        for fen in [
            START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
            "8/8/8/8/8/4k3/8/4K2R w K - 65535 65535",
            "1r1k2r1/8/8/8/8/8/8/1R1K2R1 b KQkq - 12 34",
            // The castling rook is not the outermost one, so X-FEN writes its file.
            "2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1",
        ] {
            assert_eq!(parsed(fen), fen);
        }
        assert_eq!(Position::from_fen(START_FEN), Ok(Position::startpos()));
    }

    #[test]
    fn the_three_castling_notations_are_equivalent() {
        let shredder = START_FEN.replace("KQkq", "HAha");
        assert_eq!(parsed(&shredder), START_FEN);
        assert_eq!(parsed(&START_FEN.replace("KQkq", "qkQK")), START_FEN);
        assert_eq!(Position::startpos().to_shredder_fen(), shredder);
        let inner = Position::from_fen("2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1").unwrap();
        assert_eq!(inner.to_shredder_fen(), "2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1");
    }

    #[test]
    fn an_en_passant_square_is_kept_only_if_a_capture_is_legal() {
        let unused = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(parsed(unused), unused.replace("e3", "-"));
        let pinned = "8/8/8/K1Pp3r/8/8/8/3k4 w - d6 0 1";
        assert_eq!(parsed(pinned), pinned.replace("d6", "-"));
        assert_eq!(parsed(&START_FEN.replace("0 1", "0 0")), START_FEN, "move 0 is read as 1");
    }

    #[test]
    fn every_error_is_reported() {
        for (fen, expected) in [
            ("", "expected 6 fields, got 0"),
            ("8/8/8/8/8/8/8/8 w - -", "expected 6 fields, got 4"),
            ("8/8/8/8/8/8/8 w - - 0 1", "expected 8 ranks, got 7"),
            ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 `4K4` describes 9 squares, expected 8"),
            ("4k3/8/8/8/8/8/44/4K3 w - - 0 1", "rank 2 `44` contains two digits in a row"),
            ("4k3/8/8/8/8/8/4x3/4K3 w - - 0 1", "rank 2 `4x3` contains 'x', which is neither a piece"),
            ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "rank 7 `9` contains '9'"),
            ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move `W` is neither `w` nor `b`"),
            ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling rights `KK`"),
            ("4k3/8/8/8/8/8/8/4K2R w K- - 0 1", "castling rights `K-`"),
            ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en-passant field `e9`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock `-1`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "move number `65536`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 +1", "move number `+1`"),
            (
                "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
                "White has a castling right for a rook on h1, but no rook there",
            ),
            (
                "4k3/8/8/8/8/8/8/4K3 w e - 0 1",
                "Black has a castling right for a rook on e8, but no rook there",
            ),
            (
                "4k2P/8/8/8/8/8/8/8 w x z a 1",
                "castling rights `x` are neither `-` nor distinct letters of KQkq or rook files; en-passant field \
                 `z` is neither `-` nor a square; halfmove clock `a` is not a number from 0 to 65535; White has no \
                 king; a pawn cannot be on h8",
            ),
        ] {
            assert!(parsed(fen).starts_with(expected), "{fen}: {}", parsed(fen));
        }
    }

    #[test]
    fn messages_are_short_and_on_one_line() {
        let message = parsed(&format!("{} w - - 0 1", "\u{1b}[31mx\u{7f}".repeat(100_000)));
        assert!(message.len() < 200 && !message.contains('\u{1b}'), "{message}");
    }
}
