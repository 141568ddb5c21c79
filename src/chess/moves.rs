//! Moves packed into 24 bits, and a move list that does not allocate.

use std::fmt;
use std::ops::Deref;

use crate::chess::{Color, Piece, PieceKind, Square};

/// A move, in BB Chess's layout: from 6 bits, to 6, piece 4, promoted piece 4, then one bit each for capture,
/// double push, en passant and castling.
///
/// A castling move goes from the king's square to **the square of the castling rook**, in standard chess too; the
/// notations write it as `e1g1`, `e1h1`, `e1g1Ch1` or `O-O`. A promoted code of 0 means no promotion: 0 is the code of
/// the white pawn, to which no pawn promotes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u32);

impl Move {
    /// The null value, a1 to a1. It is never legal and serves as a placeholder in tables.
    pub const NONE: Self = Self(0);

    const CAPTURE: u32 = 0x0010_0000;
    const DOUBLE_PUSH: u32 = 0x0020_0000;
    const EN_PASSANT: u32 = 0x0040_0000;
    const CASTLING: u32 = 0x0080_0000;

    /// Creates a move that does not capture and sets no flag.
    #[inline(always)]
    pub const fn quiet(piece: Piece, from: Square, to: Square) -> Self {
        Self(from.index() as u32 | (to.index() as u32) << 6 | (piece.code() as u32) << 12)
    }

    /// Creates a capture.
    #[inline(always)]
    pub const fn capture(piece: Piece, from: Square, to: Square) -> Self {
        Self(Self::quiet(piece, from, to).0 | Self::CAPTURE)
    }

    /// Creates a double pawn push.
    #[inline(always)]
    pub const fn double_push(color: Color, from: Square, to: Square) -> Self {
        Self(Self::quiet(Piece::new(color, PieceKind::Pawn), from, to).0 | Self::DOUBLE_PUSH)
    }

    /// Creates an en-passant capture.
    #[inline(always)]
    pub const fn en_passant(color: Color, from: Square, to: Square) -> Self {
        Self(Self::capture(Piece::new(color, PieceKind::Pawn), from, to).0 | Self::EN_PASSANT)
    }

    /// Creates a castling move from the squares of the king and the rook.
    #[inline(always)]
    pub const fn castling(color: Color, king: Square, rook: Square) -> Self {
        Self(Self::quiet(Piece::new(color, PieceKind::King), king, rook).0 | Self::CASTLING)
    }

    /// Returns the same pawn move with a promotion to `kind`.
    #[inline(always)]
    pub const fn promoting(self, kind: PieceKind) -> Self {
        let color = if self.0 >> 12 & 15 < 6 { Color::White } else { Color::Black };
        Self(self.0 | (Piece::new(color, kind).code() as u32) << 16)
    }

    /// Returns the origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::wrap(self.0 as u8)
    }

    /// Returns the target square; for castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::wrap((self.0 >> 6) as u8)
    }

    /// Returns the code of the moving piece, 0 to 11.
    #[inline(always)]
    pub const fn piece_code(self) -> usize {
        (self.0 >> 12 & 15) as usize
    }

    /// Returns the kind of the moving piece.
    #[inline(always)]
    pub const fn kind(self) -> PieceKind {
        PieceKind::of_code(self.piece_code())
    }

    /// Returns the side that moves.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.piece_code() < 6 { Color::White } else { Color::Black }
    }

    /// Returns the kind that the pawn promotes to, if the move is a promotion.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceKind> {
        match self.0 >> 16 & 15 {
            0 => None,
            code => Some(PieceKind::of_code(code as usize)),
        }
    }

    /// Returns whether the move is a capture, en passant included.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0 & Self::CAPTURE != 0
    }

    /// Returns whether the move is a capture or a promotion.
    #[inline(always)]
    pub const fn is_tactical(self) -> bool {
        self.0 & (Self::CAPTURE | 0x000f_0000) != 0
    }

    /// Returns whether the move is a double pawn push.
    #[inline(always)]
    pub const fn is_double_push(self) -> bool {
        self.0 & Self::DOUBLE_PUSH != 0
    }

    /// Returns whether the move is an en-passant capture.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 & Self::EN_PASSANT != 0
    }

    /// Returns whether the move is castling.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.0 & Self::CASTLING != 0
    }

    /// Returns whether the move is castling towards the h-file.
    #[inline(always)]
    pub const fn castles_kingside(self) -> bool {
        self.is_castling() && self.to().index() > self.from().index()
    }

    /// Returns the square on which the king of a castling move ends: the g- or c-file of its rank.
    #[inline(always)]
    pub const fn castling_king_target(self) -> Square {
        Square::at(if self.castles_kingside() { 6 } else { 2 }, self.from().rank())
    }

    /// Returns the packed representation.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Creates a move from its packed representation; the inverse of [`Move::bits`].
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & 0x00ff_ffff)
    }
}

/// Formats the move in coordinates, castling as king takes rook, as in UCI under `UCI_Chess960`.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |kind| write!(f, "{}", kind.letter().to_ascii_lowercase()))
    }
}

/// Capacity of a [`MoveList`]. No known legal position has more than 218 moves.
pub const MAX_MOVES: usize = 256;

/// A fixed-capacity list of moves on the stack.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MAX_MOVES],
    len: usize,
}

impl MoveList {
    /// Creates an empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { moves: [Move::NONE; MAX_MOVES], len: 0 }
    }

    /// Appends a move. Moves beyond [`MAX_MOVES`] are dropped; no legal position has that many.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_layout_round_trips() {
        let pawn = Piece::new(Color::Black, PieceKind::Pawn);
        let mv = Move::capture(pawn, Square::B2, Square::A1).promoting(PieceKind::Knight);
        assert_eq!(
            (mv.from(), mv.to(), mv.kind(), mv.color()),
            (Square::B2, Square::A1, PieceKind::Pawn, Color::Black)
        );
        assert_eq!(mv.promotion(), Some(PieceKind::Knight));
        assert!(mv.is_capture() && mv.is_tactical() && !mv.is_castling() && !mv.is_en_passant());
        assert_eq!(Move::from_bits(mv.bits()), mv);
        assert!(mv.bits() < 1 << 24, "the layout uses 24 bits");
        let castle = Move::castling(Color::White, Square::E1, Square::A1);
        assert!(castle.is_castling() && !castle.castles_kingside());
        assert_eq!(castle.castling_king_target(), Square::C1);
        assert!(Move::double_push(Color::White, Square::E2, Square::E4).is_double_push());
        assert!(Move::en_passant(Color::White, Square::E5, Square::D6).is_en_passant());
    }
}
