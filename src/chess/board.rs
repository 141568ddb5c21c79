//! Who stands where: as sets of squares, and as a mailbox.

use crate::chess::attacks::{king_attacks, knight_attacks, pawn_attacks};
use crate::chess::side::Side;
use crate::chess::sliders::Sliders;
use crate::chess::{Bitboard, Color, Piece, PieceKind, Square};

/// The men as eight sets of squares: six kinds, then two colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::chess) struct Board {
    sets: [Bitboard; 8],
}

impl Board {
    pub(in crate::chess) const EMPTY: Self = Self { sets: [Bitboard::EMPTY; 8] };

    /// All men of one kind.
    #[inline(always)]
    pub(in crate::chess) const fn kind(&self, kind: PieceKind) -> Bitboard {
        self.sets[kind.index()]
    }

    /// All men of one colour.
    #[inline(always)]
    pub(in crate::chess) const fn color(&self, color: Color) -> Bitboard {
        self.sets[6 + color.index()]
    }

    /// The men of one kind and colour.
    #[inline(always)]
    pub(in crate::chess) fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.color(color) & self.kind(kind)
    }

    /// All men.
    #[inline(always)]
    pub(in crate::chess) fn occupied(&self) -> Bitboard {
        self.sets[6] | self.sets[7]
    }

    /// What moves like a bishop: bishops and queens of one colour.
    #[inline(always)]
    pub(in crate::chess) fn diagonal(&self, color: Color) -> Bitboard {
        (self.kind(PieceKind::Bishop) | self.kind(PieceKind::Queen)) & self.color(color)
    }

    /// What moves like a rook: rooks and queens of one colour.
    #[inline(always)]
    pub(in crate::chess) fn orthogonal(&self, color: Color) -> Bitboard {
        (self.kind(PieceKind::Rook) | self.kind(PieceKind::Queen)) & self.color(color)
    }

    /// The square of a king; there is one of each colour in every legal position.
    #[inline(always)]
    pub(in crate::chess) fn king(&self, color: Color) -> Square {
        Square::wrap(self.pieces(color, PieceKind::King).0.trailing_zeros() as u8)
    }

    /// Puts a man on, or takes it off.
    #[inline(always)]
    pub(in crate::chess) fn toggle(&mut self, piece: Piece, squares: Bitboard) {
        self.sets[piece.kind.index()] ^= squares;
        self.sets[6 + piece.color.index()] ^= squares;
    }

    /// The board after a man of `U` went from one square to another and is now of this kind; whoever stood there is
    /// gone. Every set is cut without asking who that was.
    #[inline(always)]
    pub(in crate::chess) fn moved<U: Side>(&self, kind: PieceKind, from: Square, to: Square) -> Self {
        let mut next = *self;
        next.lift(Bitboard::of(from) | Bitboard::of(to));
        next.drop::<U>(kind, to);
        next
    }

    /// Clears squares, whoever stands there.
    #[inline(always)]
    pub(in crate::chess) fn lift(&mut self, squares: Bitboard) {
        for set in &mut self.sets {
            *set = set.without(squares);
        }
    }

    /// Puts a man of `U` on a free square.
    #[inline(always)]
    pub(in crate::chess) fn drop<U: Side>(&mut self, kind: PieceKind, to: Square) {
        self.sets[kind.index()] |= Bitboard::of(to);
        self.sets[6 + U::COLOR.index()] |= Bitboard::of(to);
    }

    /// Everything that attacks a square, of both colours.
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

    /// Every square that a side's pawns, knights and king attack.
    #[inline(always)]
    pub(in crate::chess) fn leaper_attacks<U: Side>(&self) -> Bitboard {
        let pawns = self.pieces(U::COLOR, PieceKind::Pawn).forward(U::COLOR);
        let mut attacked = pawns.west() | pawns.east() | king_attacks(self.king(U::COLOR));
        for from in self.pieces(U::COLOR, PieceKind::Knight) {
            attacked |= knight_attacks(from);
        }
        attacked
    }

    /// Every square that a side's bishops, rooks and queens attack over this occupation.
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

    /// Whether the en-passant capture from `from` to `target` leaves the capturer's king safe.
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

/// The men by square, one byte each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::chess) struct Mailbox([u8; 64]);

impl Mailbox {
    /// Past every piece code, so that reading it back gives no piece.
    const NOBODY: u8 = 12;

    pub(in crate::chess) const EMPTY: Self = Self([Self::NOBODY; 64]);

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
        self.0[square.index()] = Self::NOBODY;
    }
}
