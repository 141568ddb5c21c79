//! Piece placement, as bitboards and as a mailbox.

use crate::chess::attacks::{king_attacks, knight_attacks, pawn_attacks};
use crate::chess::side::Side;
use crate::chess::sliders::Sliders;
use crate::chess::{Bitboard, Color, Piece, PieceKind, Square};

/// Piece placement as eight bitboards: one per piece kind, then one per colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::chess) struct Board {
    sets: [Bitboard; 8],
}

impl Board {
    pub(in crate::chess) const EMPTY: Self = Self { sets: [Bitboard::EMPTY; 8] };

    /// Returns all pieces of one kind.
    #[inline(always)]
    pub(in crate::chess) const fn kind(&self, kind: PieceKind) -> Bitboard {
        self.sets[kind.index()]
    }

    /// Returns all pieces of one colour.
    #[inline(always)]
    pub(in crate::chess) const fn color(&self, color: Color) -> Bitboard {
        self.sets[6 + color.index()]
    }

    /// Returns the pieces of one kind and colour.
    #[inline(always)]
    pub(in crate::chess) fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.color(color) & self.kind(kind)
    }

    /// Returns all occupied squares.
    #[inline(always)]
    pub(in crate::chess) fn occupied(&self) -> Bitboard {
        self.sets[6] | self.sets[7]
    }

    /// Returns the pieces of one colour that move diagonally: bishops and queens.
    #[inline(always)]
    pub(in crate::chess) fn diagonal(&self, color: Color) -> Bitboard {
        (self.kind(PieceKind::Bishop) | self.kind(PieceKind::Queen)) & self.color(color)
    }

    /// Returns the pieces of one colour that move along ranks and files: rooks and queens.
    #[inline(always)]
    pub(in crate::chess) fn orthogonal(&self, color: Color) -> Bitboard {
        (self.kind(PieceKind::Rook) | self.kind(PieceKind::Queen)) & self.color(color)
    }

    /// Returns the square of a king. Every legal position has one king of each colour.
    #[inline(always)]
    pub(in crate::chess) fn king(&self, color: Color) -> Square {
        Square::wrap(self.pieces(color, PieceKind::King).0.trailing_zeros() as u8)
    }

    /// Adds a piece to empty squares, or removes it from squares it occupies.
    #[inline(always)]
    pub(in crate::chess) fn toggle(&mut self, piece: Piece, squares: Bitboard) {
        self.sets[piece.kind.index()] ^= squares;
        self.sets[6 + piece.color.index()] ^= squares;
    }

    /// Returns the board after a piece of `U` moved from one square to another and became `kind`. A piece on `to` is
    /// captured: the square is cleared in every bitboard, which avoids a lookup of the captured piece.
    #[inline(always)]
    pub(in crate::chess) fn moved<U: Side>(&self, kind: PieceKind, from: Square, to: Square) -> Self {
        let mut next = *self;
        next.clear(Bitboard::of(from) | Bitboard::of(to));
        next.place::<U>(kind, to);
        next
    }

    /// Removes all pieces from `squares`.
    #[inline(always)]
    pub(in crate::chess) fn clear(&mut self, squares: Bitboard) {
        for set in &mut self.sets {
            *set = set.without(squares);
        }
    }

    /// Places a piece of `U` on an empty square.
    #[inline(always)]
    pub(in crate::chess) fn place<U: Side>(&mut self, kind: PieceKind, to: Square) {
        self.sets[kind.index()] |= Bitboard::of(to);
        self.sets[6 + U::COLOR.index()] |= Bitboard::of(to);
    }

    /// Returns the pieces of both colours that attack a square.
    #[inline(always)]
    pub(in crate::chess) fn attackers_to(
        &self,
        to: Square,
        occupied: Bitboard,
        sliders: impl Sliders,
    ) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings, white, black] = self.sets;
        pawn_attacks(Color::White, to) & pawns & black
            | pawn_attacks(Color::Black, to) & pawns & white
            | knight_attacks(to) & knights
            | king_attacks(to) & kings
            | sliders.bishop(to, occupied) & (bishops | queens)
            | sliders.rook(to, occupied) & (rooks | queens)
    }

    /// Returns the pieces of `U`, apart from its king, that attack a square.
    #[inline(always)]
    pub(in crate::chess) fn checkers<U: Side>(&self, to: Square, sliders: impl Sliders) -> Bitboard {
        let occupied = self.occupied();
        pawn_attacks(U::Enemy::COLOR, to) & self.pieces(U::COLOR, PieceKind::Pawn)
            | knight_attacks(to) & self.pieces(U::COLOR, PieceKind::Knight)
            | sliders.bishop(to, occupied) & self.diagonal(U::COLOR)
            | sliders.rook(to, occupied) & self.orthogonal(U::COLOR)
    }

    /// Returns the squares attacked by the pawns, knights and king of `U`.
    #[inline(always)]
    pub(in crate::chess) fn leaper_attacks<U: Side>(&self) -> Bitboard {
        let pawns = self.pieces(U::COLOR, PieceKind::Pawn).forward(U::COLOR);
        let mut attacked = pawns.west() | pawns.east() | king_attacks(self.king(U::COLOR));
        for from in self.pieces(U::COLOR, PieceKind::Knight) {
            attacked |= knight_attacks(from);
        }
        attacked
    }

    /// Returns the squares attacked by the bishops, rooks and queens of `U`, with `occupied` as blockers.
    #[inline(always)]
    pub(in crate::chess) fn slider_attacks<U: Side>(
        &self,
        occupied: Bitboard,
        sliders: impl Sliders,
    ) -> Bitboard {
        let mut attacked = Bitboard::EMPTY;
        for from in self.diagonal(U::COLOR) {
            attacked |= sliders.bishop(from, occupied);
        }
        for from in self.orthogonal(U::COLOR) {
            attacked |= sliders.rook(from, occupied);
        }
        attacked
    }

    /// Returns whether the en-passant capture from `from` to `target` leaves the king of `U` safe.
    pub(in crate::chess) fn en_passant_is_safe<U: Side>(
        &self,
        from: Square,
        target: Square,
        sliders: impl Sliders,
    ) -> bool {
        let taken = Bitboard::of(target).forward(U::Enemy::COLOR);
        let occupied = (self.occupied() ^ Bitboard::of(from) ^ taken) | Bitboard::of(target);
        let attackers = self.attackers_to(self.king(U::COLOR), occupied, sliders);
        (attackers & self.color(U::Enemy::COLOR)).without(taken).is_empty()
    }
}

/// Piece placement by square, one byte per square.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::chess) struct Mailbox([u8; 64]);

impl Mailbox {
    /// Greater than every piece code, so [`Piece::from_code`] returns `None` for it.
    const EMPTY_SQUARE: u8 = 12;

    pub(in crate::chess) const EMPTY: Self = Self([Self::EMPTY_SQUARE; 64]);

    #[inline(always)]
    pub(in crate::chess) const fn at(&self, square: Square) -> Option<Piece> {
        Piece::from_code(self.0[square.index()])
    }

    #[inline(always)]
    pub(in crate::chess) fn put(&mut self, square: Square, piece: Piece) {
        self.0[square.index()] = piece.code();
    }

    #[inline(always)]
    pub(in crate::chess) fn clear(&mut self, square: Square) {
        self.0[square.index()] = Self::EMPTY_SQUARE;
    }
}
