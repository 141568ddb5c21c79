//! Material of a table: the men of both sides, stronger side first, as in the names of table files.

use std::fmt;

use crate::chess::{Color, Piece, PieceKind, Position};

/// The kinds in the order of file names.
const ORDER: [PieceKind; 6] = [
    PieceKind::King,
    PieceKind::Queen,
    PieceKind::Rook,
    PieceKind::Bishop,
    PieceKind::Knight,
    PieceKind::Pawn,
];

/// The men of one side: four bits for the number of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Men(u32);

impl Men {
    const NONE: Self = Self(0);

    fn count(self, kind: PieceKind) -> u32 {
        self.0 >> (4 * kind.index()) & 15
    }

    fn with(self, kind: PieceKind) -> Self {
        Self(self.0 + (1 << (4 * kind.index())))
    }

    fn total(self) -> u32 {
        ORDER.iter().map(|&kind| self.count(kind)).sum()
    }

    fn of(position: &Position, color: Color) -> Self {
        Self(
            PieceKind::ALL
                .iter()
                .fold(0, |men, &kind| men | position.pieces(color, kind).len().min(15) << (4 * kind.index())),
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let (mut men, mut last) = (Self::NONE, 0);
        for letter in text.chars() {
            let place = ORDER.iter().position(|kind| kind.letter() == letter)?;
            if place < last || men.total() == 15 {
                return None;
            }
            last = place;
            men = men.with(ORDER[place]);
        }
        (men.count(PieceKind::King) == 1).then_some(men)
    }

    /// Orders sides by strength: more men first, then more queens, rooks and so on.
    fn strength(self) -> (u32, [u32; 6]) {
        (self.total(), ORDER.map(|kind| self.count(kind)))
    }
}

/// The men of both sides; the side with more or stronger men comes first, whatever its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Material {
    strong: Men,
    weak: Men,
}

/// The side of a board that has the first part of a [`Material`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StrongSide(pub(super) Color);

impl Material {
    /// Returns the material of a position and the side that is the stronger one; the side to move if they are equal.
    pub(super) fn of(position: &Position) -> (Self, StrongSide) {
        let [white, black] = Color::ALL.map(|color| Men::of(position, color));
        if white == black {
            (Self { strong: white, weak: black }, StrongSide(position.turn()))
        } else if white.strength() > black.strength() {
            (Self { strong: white, weak: black }, StrongSide(Color::White))
        } else {
            (Self { strong: black, weak: white }, StrongSide(Color::Black))
        }
    }

    /// Reads the name of a table, such as `KRPvKR`; `None` unless it is written in the order that tables use.
    pub fn parse(text: &str) -> Option<Self> {
        let (strong, weak) = text.split_once('v')?;
        let (strong, weak) = (Men::parse(strong)?, Men::parse(weak)?);
        (strong.strength() >= weak.strength()).then_some(Self { strong, weak })
    }

    /// Returns the number of men of both sides.
    pub fn men(self) -> u32 {
        self.strong.total() + self.weak.total()
    }

    pub(super) fn is_symmetric(self) -> bool {
        self.strong == self.weak
    }

    pub(super) fn has_pawns(self) -> bool {
        self.count(Piece::new(Color::White, PieceKind::Pawn))
            + self.count(Piece::new(Color::Black, PieceKind::Pawn))
            > 0
    }

    /// Returns the number of men of a kind; the stronger side is White in a table.
    pub(super) fn count(self, piece: Piece) -> u32 {
        match piece.color {
            Color::White => self.strong.count(piece.kind),
            Color::Black => self.weak.count(piece.kind),
        }
    }

    /// Returns whether a piece other than the kings is the only one of its kind and colour.
    pub(super) fn has_unique_piece(self) -> bool {
        [self.strong, self.weak]
            .iter()
            .any(|men| ORDER.iter().any(|&kind| kind != PieceKind::King && men.count(kind) == 1))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |men: Men| -> String {
            ORDER.iter().flat_map(|&kind| (0..men.count(kind)).map(move |_| kind.letter())).collect()
        };
        write!(f, "{}v{}", side(self.strong), side(self.weak))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_the_order_of_table_files_are_read() {
        for name in ["KQvK", "KRPvKR", "KBNvK", "KRvKB", "KPvKP", "KQQvKQ", "KNNvKP", "KPPPvKPP"] {
            assert_eq!(Material::parse(name).map(|read| read.to_string()).as_deref(), Some(name));
        }
        for name in ["", "K", "KvKQ", "KPRvK", "QvK", "KQvKv", "KKvK", "KxvK", "KBvKR", "kqvk", "KQvKé"] {
            assert_eq!(Material::parse(name), None, "{name}");
        }
    }

    #[test]
    fn the_stronger_side_of_a_position_comes_first() {
        for (fen, name, strong) in [
            ("k6K/8/8/8/8/8/1r6/8 w - - 0 1", "KRvK", Color::Black),
            ("k6K/8/8/8/8/8/1R6/8 b - - 0 1", "KRvK", Color::White),
            ("k6K/8/8/8/8/1n6/1R6/8 b - - 0 1", "KRvKN", Color::White),
            ("k6K/8/8/8/8/1r6/1R6/8 b - - 0 1", "KRvKR", Color::Black),
        ] {
            let (material, side) = Material::of(&Position::from_fen(fen).unwrap());
            assert_eq!((material.to_string().as_str(), side), (name, StrongSide(strong)), "{fen}");
        }
    }
}
