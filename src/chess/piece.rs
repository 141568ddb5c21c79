//! Piece kinds, coloured pieces, and their letters.

use crate::chess::Color;

/// A kind of piece, ordered by increasing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PieceKind {
    /// ♙
    Pawn = 0,
    /// ♘
    Knight = 1,
    /// ♗
    Bishop = 2,
    /// ♖
    Rook = 3,
    /// ♕
    Queen = 4,
    /// ♔
    King = 5,
}

impl PieceKind {
    /// All six kinds, by increasing value.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];
    /// The kinds that a pawn may promote to, by decreasing value.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// Returns the index, from 0 for a pawn to 5 for a king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the kind of the piece with this code; see [`Piece::code`].
    #[inline(always)]
    pub(in crate::chess) const fn of_code(code: usize) -> Self {
        // A table of sixteen entries, because a division is slower.
        const KINDS: [PieceKind; 16] = {
            let mut kinds = [PieceKind::Pawn; 16];
            let mut code = 0;
            while code < 16 {
                kinds[code] = PieceKind::ALL[code % 6];
                code += 1;
            }
            kinds
        };
        KINDS[code & 15]
    }

    /// Returns the English letter in upper case.
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'P',
            Self::Knight => 'N',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Queen => 'Q',
            Self::King => 'K',
        }
    }

    /// Returns the kind for an English letter of either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            'P' => Some(Self::Pawn),
            'N' => Some(Self::Knight),
            'B' => Some(Self::Bishop),
            'R' => Some(Self::Rook),
            'Q' => Some(Self::Queen),
            'K' => Some(Self::King),
            _ => None,
        }
    }
}

/// A piece of one side, with the code that [`Move`](crate::chess::Move) stores: P N B R Q K = 0 to 5,
/// p n b r q k = 6 to 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The side that owns the piece.
    pub color: Color,
    /// The kind of piece.
    pub kind: PieceKind,
}

impl Piece {
    /// Creates a piece of `color`.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        Self { color, kind }
    }

    /// Returns the code, 0 to 11.
    #[inline(always)]
    pub const fn code(self) -> u8 {
        self.color as u8 * 6 + self.kind as u8
    }

    /// Returns the piece with this code, or `None` if the code is greater than 11.
    #[inline(always)]
    pub const fn from_code(code: u8) -> Option<Self> {
        if code >= 12 {
            return None;
        }
        let color = if code < 6 { Color::White } else { Color::Black };
        Some(Self { color, kind: PieceKind::of_code(code as usize) })
    }

    /// Returns the FEN letter: upper case for White, lower case for Black.
    pub const fn letter(self) -> char {
        match self.color {
            Color::White => self.kind.letter(),
            Color::Black => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// Returns the piece for a FEN letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match PieceKind::from_letter(letter) {
            Some(kind) => Some(Self { color, kind }),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_a_unique_code_and_letter() {
        for (code, letter) in "PNBRQKpnbrqk".chars().enumerate() {
            let piece = Piece::from_code(code as u8).unwrap();
            assert_eq!(piece.code() as usize, code);
            assert_eq!(piece.letter(), letter);
            assert_eq!(Piece::from_letter(letter), Some(piece));
        }
        assert_eq!(Piece::from_code(12), None);
        assert_eq!(Piece::from_letter('x'), None);
    }
}
