//! FEN, X-FEN and Shredder-FEN: a position in one line of text, both ways.

use std::fmt::{self, Write as _};

use crate::chess::{
    CastlingRooks, CastlingSide, Color, Piece, PieceKind, Position, Setup, SetupError, SetupErrors, Square,
};

/// The FEN of the standard start.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Every reason why a text is not the FEN of a position; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError(Vec<FenReason>);

/// One reason why a text is not the FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenReason {
    /// Not the right number of fields.
    Fields {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: &'static str,
    },
    /// Not eight ranks.
    Ranks {
        /// How many there are.
        found: usize,
    },
    /// A rank, 8 to 1, that does not describe eight squares.
    Rank {
        /// Its number.
        number: u8,
        /// Its text, shortened if it is long.
        text: String,
        /// What is wrong with it.
        problem: RankProblem,
    },
    /// A side to move that is neither `w` nor `b`.
    Turn(String),
    /// A castling field that is neither `-` nor letters of rooks, each once.
    Castling(String),
    /// An en-passant field that is neither `-` nor a square.
    Ep(String),
    /// A halfmove clock that is not a number up to 65535.
    Halfmove(String),
    /// A move number that is not a number up to 65535.
    Fullmove(String),
    /// Readable, but not a position.
    Setup(SetupError),
}

/// What is wrong with a rank of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankProblem {
    /// It describes too few or too many squares.
    Squares(usize),
    /// It holds something that is neither a piece nor a count.
    Letter(char),
    /// Two counts follow each other.
    TwoCounts,
}

/// Whether the two clock fields must be there: FEN has them, EPD does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    Required,
    Optional,
}

impl FenError {
    /// The reasons, field by field from left to right, then those of the board as a whole.
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
            Self::Fields { found, expected } => write!(f, "{found} fields where {expected} are due"),
            Self::Ranks { found } => write!(f, "{found} ranks where 8 are due"),
            Self::Rank { number, text, problem } => {
                write!(f, "rank {number} `{text}` ")?;
                match problem {
                    RankProblem::Squares(found) => write!(f, "has {found} squares where 8 are due"),
                    RankProblem::Letter(letter) => {
                        write!(
                            f,
                            "has {letter:?}, which is neither a piece (PNBRQK, pnbrqk) nor a count (1 to 8)"
                        )
                    }
                    RankProblem::TwoCounts => f.write_str("has two counts in a row"),
                }
            }
            Self::Turn(text) => write!(f, "side to move `{text}` is neither w nor b"),
            Self::Castling(text) => {
                write!(f, "castling rights `{text}` are neither - nor some of KQkq or rook files, each once")
            }
            Self::Ep(text) => write!(f, "en-passant field `{text}` is neither - nor a square"),
            Self::Halfmove(text) => write!(f, "halfmove clock `{text}` is not a number up to 65535"),
            Self::Fullmove(text) => write!(f, "move number `{text}` is not a number up to 65535"),
            Self::Setup(reason) => reason.fmt(f),
        }
    }
}

impl Position {
    /// Reads a FEN of six fields, with castling as standard FEN, X-FEN or Shredder-FEN spell it.
    ///
    /// `K`, `Q`, `k` and `q` name the outermost rook on that side of the king; a file letter names the rook on that
    /// file. A move number of 0 is read as 1. An en-passant square must fit the board, and is kept only if a legal
    /// capture exists there. Everything that is wrong is reported at once.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Self::from_fen_fields(fen, Clocks::Required)
    }

    pub(super) fn from_fen_fields(fen: &str, clocks: Clocks) -> Result<Self, FenError> {
        let (setup, mut reasons) = read_fields(fen, clocks);
        // Without a board there is nothing more to say; with one, its own faults are worth telling too.
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

    /// The FEN: `KQkq` wherever that names the rook, its file letter otherwise (X-FEN).
    ///
    /// The en-passant square is written only if a legal capture exists there, so equal positions have equal FENs.
    pub fn to_fen(&self) -> String {
        self.to_setup().to_fen()
    }

    /// The FEN with every castling rook named by its file, `HAha` for the standard start.
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
    /// The setup as FEN, its en-passant square included as it is.
    pub fn to_fen(&self) -> String {
        self.write_fen(Self::xfen_letter)
    }

    /// The setup as Shredder-FEN.
    pub fn to_shredder_fen(&self) -> String {
        self.write_fen(|_, _, rook| rook.file_letter().to_ascii_uppercase())
    }

    /// The first four fields of the FEN, all of an EPD's position.
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

    /// `K` or `Q` if the rook is the outermost on its side of the king, its file otherwise.
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

    /// The rook of `color` on its back rank that is furthest from its king on that side.
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

/// Reads what can be read, and tells what cannot.
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
        other => reasons.push(FenReason::Turn(shortened(other))),
    }
    if !read_castling(castling, &mut setup) {
        reasons.push(FenReason::Castling(shortened(castling)));
    }
    if *ep != "-" {
        match ep.parse() {
            Ok(square) => setup.ep = Some(square),
            Err(_) => reasons.push(FenReason::Ep(shortened(ep))),
        }
    }
    if let Some((halfmove, fullmove)) = numbers {
        match read_number(halfmove) {
            Some(number) => setup.halfmove = number,
            None => reasons.push(FenReason::Halfmove(shortened(halfmove))),
        }
        match read_number(fullmove) {
            Some(number) => setup.fullmove = number.max(1),
            None => reasons.push(FenReason::Fullmove(shortened(fullmove))),
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
            reasons.push(FenReason::Rank { number: rank + 1, text: shortened(text), problem });
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

/// Notes each right; a right without its rook is noted on the corner, so that the check of the setup tells it.
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

/// The start of a text that may be of any length, for a message of one line.
pub(super) fn shortened(text: &str) -> String {
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

    fn told(fen: &str) -> String {
        Position::from_fen(fen).map_or_else(|error| error.to_string(), |position| position.to_fen())
    }

    #[test]
    fn good_fens_come_back_to_the_letter() {
        for fen in [
            START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
            "8/8/8/8/8/4k3/8/4K2R w K - 65535 65535",
            "1r1k2r1/8/8/8/8/8/8/1R1K2R1 b KQkq - 12 34",
            // An inner rook castles: X-FEN needs its file.
            "2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1",
        ] {
            assert_eq!(told(fen), fen);
        }
        assert_eq!(Position::from_fen(START_FEN), Ok(Position::startpos()));
    }

    #[test]
    fn the_three_castling_spellings_mean_the_same() {
        let shredder = START_FEN.replace("KQkq", "HAha");
        assert_eq!(told(&shredder), START_FEN);
        assert_eq!(told(&START_FEN.replace("KQkq", "qkQK")), START_FEN);
        assert_eq!(Position::startpos().to_shredder_fen(), shredder);
        let inner = Position::from_fen("2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1").unwrap();
        assert_eq!(inner.to_shredder_fen(), "2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1");
    }

    #[test]
    fn an_en_passant_square_is_read_but_written_only_if_it_can_be_used() {
        let unused = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(told(unused), unused.replace("e3", "-"));
        let pinned = "8/8/8/K1Pp3r/8/8/8/3k4 w - d6 0 1";
        assert_eq!(told(pinned), pinned.replace("d6", "-"));
        assert_eq!(told(&START_FEN.replace("0 1", "0 0")), START_FEN, "move 0 is read as 1");
    }

    #[test]
    fn every_fault_is_told() {
        for (fen, expected) in [
            ("", "0 fields where 6 are due"),
            ("8/8/8/8/8/8/8/8 w - -", "4 fields where 6 are due"),
            ("8/8/8/8/8/8/8 w - - 0 1", "7 ranks where 8 are due"),
            ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 `4K4` has 9 squares where 8 are due"),
            ("4k3/8/8/8/8/8/44/4K3 w - - 0 1", "rank 2 `44` has two counts in a row"),
            ("4k3/8/8/8/8/8/4x3/4K3 w - - 0 1", "rank 2 `4x3` has 'x', which is neither a piece"),
            ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "rank 7 `9` has '9'"),
            ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move `W` is neither w nor b"),
            ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling rights `KK`"),
            ("4k3/8/8/8/8/8/8/4K2R w K- - 0 1", "castling rights `K-`"),
            ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en-passant field `e9`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock `-1`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "move number `65536`"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 +1", "move number `+1`"),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "White may castle with a rook on h1, but none is there"),
            ("4k3/8/8/8/8/8/8/4K3 w e - 0 1", "Black may castle with a rook on e8, but none is there"),
            (
                "4k2P/8/8/8/8/8/8/8 w x z a 1",
                "castling rights `x` are neither - nor some of KQkq or rook files, each once; en-passant field `z` \
                 is neither - nor a square; halfmove clock `a` is not a number up to 65535; White has no king; a pawn \
                 stands on h8",
            ),
        ] {
            assert!(told(fen).starts_with(expected), "{fen}: {}", told(fen));
        }
    }

    #[test]
    fn messages_stay_short_and_on_one_line() {
        let told = told(&format!("{} w - - 0 1", "\u{1b}[31mx\u{7f}".repeat(100_000)));
        assert!(told.len() < 200 && !told.contains('\u{1b}'), "{told}");
    }
}
