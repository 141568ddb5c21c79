//! Positions packed into 256 bits, after u-chess: four words, no tables, a fixed little-endian record.
//!
//! Squares are relative to the side to move (ranks are mirrored for Black). The words are `own`, the pieces of the
//! side to move, and three planes X, Y, Z, whose bits on a square encode its content as Z·4 + Y·2 + X: 1 pawn, 2
//! knight, 3 bishop, 4 rook, 5 queen, 6 king. An empty square is encoded as 0 or 7, which is one bit of information;
//! at least 32 squares are empty, so bit k of the **info** word is stored on the k-th empty square. The bits of `own`
//! on the empty squares are not needed either and hold a second word, the **extra** word.
//!
//! | word | bits | content |
//! |---|---|---|
//! | info | 0–7 | en-passant file, one bit per file (on the sixth rank of the side to move) |
//! | | 8 | side to move, 1 for Black |
//! | | 9–12 | castling: own kingside, own queenside, enemy kingside, enemy queenside |
//! | | 13–19 | halfmove clock, low 7 bits |
//! | | 20–31 | move number, low 12 bits |
//! | extra | 0–3 | version: 1; 0 is the layout of u-chess, which ends after info bit 12 |
//! | | 4–15 | file of each castling rook, 3 bits each in the order of the rights, 0 without the right |
//! | | 16–24 | halfmove clock, high 9 bits |
//! | | 25–28 | move number, high 4 bits |
//! | | 29–31 | 0 |

use std::fmt;

use crate::chess::{
    ByColor, CastlingRooks, CastlingSide, Color, Piece, PieceKind, Position, Setup, SetupErrors, Square,
};

/// A position in 32 bytes; its FEN survives packing and unpacking unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedPosition {
    own: u64,
    planes: [u64; 3],
}

/// Error returned when 32 bytes are not a packed position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnpackError {
    /// More than 32 pieces, which leaves too few empty squares for the info word.
    TooManyPieces(u32),
    /// An unknown layout version.
    Version(u8),
    /// Reserved bits are set, or the record differs from the one that packing produces.
    NotCanonical,
    /// The board is not a position.
    Setup(SetupErrors),
}

impl fmt::Display for UnpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPieces(count) => write!(f, "packed position has {count} pieces, more than 32"),
            Self::Version(version) => write!(f, "packed position has unknown layout version {version}"),
            Self::NotCanonical => f.write_str("packed position has reserved bits set or is not canonical"),
            Self::Setup(errors) => write!(f, "packed position is invalid: {errors}"),
        }
    }
}

impl std::error::Error for UnpackError {}

const VERSION: u32 = 1;
const BLACK_TO_MOVE: u32 = 1 << 8;
const CASTLING_SHIFT: u32 = 9;
/// The bits of the u-chess layout: en passant, side to move, castling.
const U_CHESS_INFO: u32 = 0x1fff;

impl PackedPosition {
    /// The length of a record in bytes.
    pub const BYTES: usize = 32;

    /// Packs a position. Every position fits.
    pub fn pack(position: &Position) -> Self {
        let setup = position.to_setup();
        let info = u_chess_info(&setup)
            | (u32::from(setup.halfmove) & 0x7f) << 13
            | (u32::from(setup.fullmove) & 0xfff) << 20;
        let mut extra =
            VERSION | u32::from(setup.halfmove >> 7) << 16 | u32::from(setup.fullmove >> 12) << 25;
        for (n, rook) in rights(&setup).into_iter().enumerate() {
            extra |= u32::from(rook.map_or(0, Square::file)) << (4 + 3 * n);
        }
        Self::with_words(&setup, info, extra)
    }

    /// Packs a position in the 13-bit layout of u-chess, which has neither clocks nor castling rook files.
    pub fn pack_u_chess(position: &Position) -> Self {
        let setup = position.to_setup();
        Self::with_words(&setup, u_chess_info(&setup), 0)
    }

    fn with_words(setup: &Setup, info: u32, extra: u32) -> Self {
        let mut packed = Self { own: 0, planes: [0; 3] };
        for square in Square::all() {
            let Some(piece) = setup.piece_at(square) else { continue };
            let relative = square.relative(setup.turn).index();
            packed.own |= u64::from(piece.color == setup.turn) << relative;
            let code = piece.kind.index() as u64 + 1;
            for (n, plane) in packed.planes.iter_mut().enumerate() {
                *plane |= (code >> n & 1) << relative;
            }
        }
        let empty = !packed.occupied();
        let spread = pdep(u64::from(info), empty);
        for plane in &mut packed.planes {
            *plane |= spread;
        }
        packed.own |= pdep(u64::from(extra), empty);
        packed
    }

    /// Returns the record without the move number: equal for positions that differ in it alone. It cannot be unpacked.
    pub fn without_move_number(&self) -> Self {
        let empty = !self.occupied();
        let (low, high) = (pdep(0xfff << 20, empty), pdep(0xf << 25, empty));
        Self { own: self.own & !high, planes: self.planes.map(|plane| plane & !low) }
    }

    /// Returns the number of pieces, kings and pawns included.
    pub fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// Unpacks the position. Records that packing does not produce are errors.
    ///
    /// A record in the layout of u-chess is unpacked with clocks 0 and 1, the outermost rooks as castling rooks, and
    /// its en-passant square only if a legal capture exists there.
    pub fn unpack(&self) -> Result<Position, UnpackError> {
        let occupied = self.occupied();
        if occupied.count_ones() > 32 {
            return Err(UnpackError::TooManyPieces(occupied.count_ones()));
        }
        let info = pext(self.planes[0] & !occupied, !occupied);
        let extra = pext(self.own & !occupied, !occupied);
        let version = (extra & 15) as u8;
        if version > VERSION as u8 {
            return Err(UnpackError::Version(version));
        }
        let known = if version == 0 { U_CHESS_INFO } else { u32::MAX };
        let (Ok(info), Ok(extra)) = (u32::try_from(info), u32::try_from(extra)) else {
            return Err(UnpackError::NotCanonical);
        };
        if info & !known != 0 {
            return Err(UnpackError::NotCanonical);
        }
        let setup = self.setup(info, extra).ok_or(UnpackError::NotCanonical)?;
        let position = Position::from_setup(&setup).map_err(UnpackError::Setup)?;
        let again = if version == 0 { Self::pack_u_chess(&position) } else { Self::pack(&position) };
        // u-chess records every double push, so its records may have en-passant bits that ours do not.
        if version == 0 || again == *self { Ok(position) } else { Err(UnpackError::NotCanonical) }
    }

    fn setup(&self, info: u32, extra: u32) -> Option<Setup> {
        let turn = if info & BLACK_TO_MOVE == 0 { Color::White } else { Color::Black };
        let mut setup = Setup { turn, ..Setup::EMPTY };
        let occupied = self.occupied();
        for square in Square::all().filter(|square| occupied >> square.index() & 1 != 0) {
            let code =
                (0..3).fold(0, |code, n| code | ((self.planes[n] >> square.index() & 1) as usize) << n);
            let color = if self.own >> square.index() & 1 != 0 { turn } else { !turn };
            setup.board[square.relative(turn).index()] = Some(Piece::new(color, PieceKind::ALL[code - 1]));
        }
        setup.ep = match info & 0xff {
            0 => None,
            mask if mask.is_power_of_two() => Some(Square::at(mask.trailing_zeros() as u8, 5).relative(turn)),
            _ => return None,
        };
        if extra & 15 == 0 {
            setup.castling_rooks = outermost_rooks(&setup, info);
            return Some(setup);
        }
        setup.castling_rooks = rooks_by_file(turn, info, extra);
        setup.halfmove = (info >> 13 & 0x7f | (extra >> 16 & 0x1ff) << 7) as u16;
        setup.fullmove = (info >> 20 | (extra >> 25 & 15) << 12) as u16;
        (setup.fullmove > 0).then_some(setup)
    }

    /// Returns the record: own, X, Y, Z, each little-endian.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let words = [self.own, self.planes[0], self.planes[1], self.planes[2]];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Creates a packed position from a record. Only [`PackedPosition::unpack`] validates it.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut words = [0; 4];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Self { own: words[0], planes: [words[1], words[2], words[3]] }
    }

    /// Returns the squares on which the three planes differ.
    fn occupied(&self) -> u64 {
        let [x, y, z] = self.planes;
        (x ^ y) | (x ^ z)
    }
}

/// Returns the castling rooks in the order of the rights: own kingside, own queenside, enemy kingside, enemy queenside.
fn rights(setup: &Setup) -> [Option<Square>; 4] {
    let own = setup.castling_rooks[setup.turn];
    let enemy = setup.castling_rooks[!setup.turn];
    [own.kingside, own.queenside, enemy.kingside, enemy.queenside]
}

fn u_chess_info(setup: &Setup) -> u32 {
    let mut info = setup.ep.map_or(0, |square| 1 << square.file());
    if setup.turn == Color::Black {
        info |= BLACK_TO_MOVE;
    }
    for (n, right) in rights(setup).into_iter().enumerate() {
        info |= u32::from(right.is_some()) << (CASTLING_SHIFT + n as u32);
    }
    info
}

fn by_color(
    turn: Color,
    [own_king, own_queen, enemy_king, enemy_queen]: [Option<Square>; 4],
) -> ByColor<CastlingRooks> {
    let own = CastlingRooks { kingside: own_king, queenside: own_queen };
    let enemy = CastlingRooks { kingside: enemy_king, queenside: enemy_queen };
    ByColor::new_with(|color| if color == turn { own } else { enemy })
}

fn has_right(info: u32, n: usize) -> bool {
    info >> (CASTLING_SHIFT + n as u32) & 1 != 0
}

fn rooks_by_file(turn: Color, info: u32, extra: u32) -> ByColor<CastlingRooks> {
    let rooks = std::array::from_fn(|n| {
        let rank = if n < 2 { 0 } else { 7 };
        let file = (extra >> (4 + 3 * n) & 7) as u8;
        has_right(info, n).then(|| Square::at(file, rank).relative(turn))
    });
    by_color(turn, rooks)
}

/// Returns the outermost rook for each right, or the corner if there is none, so that [`Setup::check`] reports it.
fn outermost_rooks(setup: &Setup, info: u32) -> ByColor<CastlingRooks> {
    let rooks = std::array::from_fn(|n| {
        let color = if n < 2 { setup.turn } else { !setup.turn };
        let (side, corner) =
            if n % 2 == 0 { (CastlingSide::King, Square::H1) } else { (CastlingSide::Queen, Square::A1) };
        let rook = setup.outermost_rook(color, side).unwrap_or(corner.relative(color));
        has_right(info, n).then_some(rook)
    });
    by_color(setup.turn, rooks)
}

/// Gathers the bits of `value` selected by `mask` into the low bits.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[expect(unsafe_code, reason = "the build requires BMI2, so the instruction is available")]
fn pext(value: u64, mask: u64) -> u64 {
    // SAFETY: compiled only if the whole program is built for BMI2.
    unsafe { std::arch::x86_64::_pext_u64(value, mask) }
}

/// Scatters the low bits of `value` to the bits of `mask`.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[expect(unsafe_code, reason = "the build requires BMI2, so the instruction is available")]
fn pdep(value: u64, mask: u64) -> u64 {
    // SAFETY: compiled only if the whole program is built for BMI2.
    unsafe { std::arch::x86_64::_pdep_u64(value, mask) }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use {pdep_in_software as pdep, pext_in_software as pext};

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn pext_in_software(value: u64, mut mask: u64) -> u64 {
    let mut gathered = 0;
    let mut bit = 1;
    while mask != 0 {
        if value & mask & mask.wrapping_neg() != 0 {
            gathered |= bit;
        }
        bit <<= 1;
        mask &= mask - 1;
    }
    gathered
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn pdep_in_software(mut value: u64, mut mask: u64) -> u64 {
    let mut spread = 0;
    while mask != 0 && value != 0 {
        if value & 1 != 0 {
            spread |= mask & mask.wrapping_neg();
        }
        value >>= 1;
        mask &= mask - 1;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of u-chess's 13-bit layout for known positions; the start agrees with the constant of its header.
    const U_CHESS: [(&str, &str, [u64; 4]); 5] = [
        (
            "start",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            [0xffff, 0x2cff_0000_1e00_ff2c, 0x7600_0000_1e00_0076, 0x9900_0000_1e00_0099],
        ),
        (
            "kiwipete",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            [0x0018_1024_ff91, 0x007d_5108_1fe0_ff00, 0x1040_2310_0d44_1810, 0x9110_0000_0d60_0091],
        ),
        (
            "position 4",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            [0x0001_8002_1720_c969, 0x00ef_4202_17c1_cb08, 0x1000_e201_03e0_0040, 0x9100_0000_00c1_0069],
        ),
        (
            "position 4 mirrored",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            [0x0001_8002_1720_c969, 0x00ef_4202_17c5_cb08, 0x1000_e201_03e4_0040, 0x9100_0000_00c5_0069],
        ),
        // u-chess sets the bit of e3 after 1. e4 although no capture is legal there; a test below covers this.
        (
            "after 1. e4",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            [0xffff, 0x2cef_0010_1f00_ff2c, 0x7600_0000_1f00_0076, 0x9900_0000_1f00_0099],
        ),
    ];

    fn words(packed: PackedPosition) -> [u64; 4] {
        [packed.own, packed.planes[0], packed.planes[1], packed.planes[2]]
    }

    #[test]
    fn the_layout_of_u_chess_is_reproduced_bit_for_bit_and_read_back() {
        for (name, fen, expected) in U_CHESS {
            let position = Position::from_fen(fen).unwrap();
            let packed = PackedPosition::pack_u_chess(&position);
            assert_eq!(
                words(packed).map(|word| format!("{word:016x}")),
                expected.map(|word| format!("{word:016x}")),
                "{name}"
            );
            assert_eq!(packed.unpack().map(|position| position.to_fen()).as_deref(), Ok(fen), "{name}");
        }
    }

    #[test]
    fn an_en_passant_bit_of_u_chess_without_a_capture_is_read_and_dropped() {
        let [x, y, z] = [0x2cef_0010_1f10_ff2c, 0x7600_0000_1f10_0076, 0x9900_0000_1f10_0099];
        let record = PackedPosition { own: 0xffff, planes: [x, y, z] };
        let setup = record.setup(0x1f10, 0).unwrap();
        assert_eq!(PackedPosition::with_words(&setup, u_chess_info(&setup), 0), record);
        assert_eq!(
            record.unpack().unwrap().to_fen(),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        );
    }

    #[test]
    fn fens_with_any_clocks_and_castling_rooks_round_trip_unchanged() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
            "8/8/8/8/8/4k3/8/4K2R w K - 127 4095",
            "8/8/8/8/8/4k3/8/4K2R b K - 65535 65535",
            "rk1r4/8/8/8/8/8/8/RK1R2R1 w DAda - 99 100",
            "r1k1r1r1/8/8/8/8/8/8/1RKR2R1 b DBea - 3 77",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let bytes = PackedPosition::pack(&position).to_bytes();
            let back = PackedPosition::from_bytes(&bytes).unpack().unwrap();
            assert_eq!(back.to_fen(), position.to_fen());
            assert_eq!(back, position);
        }
    }

    #[test]
    fn records_that_packing_does_not_produce_are_rejected() {
        let start = PackedPosition::pack(&Position::startpos());
        let mut altered = start;
        altered.own |= 1 << 47;
        assert_eq!(altered.unpack(), Err(UnpackError::NotCanonical));
        let mut newer = start;
        newer.own |= 1 << 17;
        assert_eq!(newer.unpack(), Err(UnpackError::Version(3)));
        assert_eq!(
            PackedPosition { own: 0, planes: [!0, 0, 0] }.unpack(),
            Err(UnpackError::TooManyPieces(64))
        );
        assert!(matches!(PackedPosition::from_bytes(&[0; 32]).unpack(), Err(UnpackError::Setup(_))));
    }

    #[test]
    fn software_and_hardware_agree_on_pext_and_pdep() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        for _ in 0..10_000 {
            let (value, mask) = (next(), next() & next());
            assert_eq!(pext(value, mask), pext_in_software(value, mask));
            assert_eq!(pdep(value, mask), pdep_in_software(value, mask));
            assert_eq!(pdep_in_software(pext_in_software(value, mask), mask), value & mask);
        }
    }
}
