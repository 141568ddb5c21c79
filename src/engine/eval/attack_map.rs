//! Attack maps of both sides, filled while the pieces are evaluated.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square, king_attacks};
use crate::engine::eval::pawn_spans::{pawn_attacks_of, pawn_attacks_twice, rank_of};

/// Attacks of both sides, indexed by colour.
pub(super) struct AttackMap {
    /// Attacks by kind of piece.
    pub(super) by: [[Bitboard; 6]; 2],
    /// Attacks by any piece or pawn.
    pub(super) all: [Bitboard; 2],
    /// Attacks by two or more pieces or pawns.
    pub(super) twice: [Bitboard; 2],
    /// The mobility area of a side: all squares without the own king and queens, own pawns that are blocked or on the
    /// second or third rank, and squares attacked by enemy pawns.
    pub(super) mobility_area: [Bitboard; 2],
    /// The king ring of a side: the king and the squares around it, without those that two own pawns defend.
    pub(super) ring: [Bitboard; 2],
    /// Number of enemy pieces that attack the king ring.
    pub(super) ring_attackers: [usize; 2],
    /// Own pieces pinned to the king of a side.
    pub(super) pinned: [Bitboard; 2],
}

impl AttackMap {
    /// Creates a map with the attacks of kings and pawns; the pieces are added one by one.
    pub(super) fn new(position: &Position) -> Self {
        let mut map = Self {
            by: [[Bitboard::EMPTY; 6]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            mobility_area: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            ring_attackers: [0; 2],
            pinned: [position.pinned(Color::White), position.pinned(Color::Black)],
        };
        map.add_king_and_pawns(position, Color::White);
        map.add_king_and_pawns(position, Color::Black);
        map
    }

    /// Adds the attacks of king and pawns of `us`.
    #[inline(always)]
    fn add_king_and_pawns(&mut self, position: &Position, us: Color) {
        let (side, pawns, king) = (us.index(), position.pieces(us, PieceKind::Pawn), position.king(us));
        let by_pawns = pawn_attacks_of(us, pawns);
        let by_king = king_attacks(king);
        let two_pawns = pawn_attacks_twice(us, pawns);
        self.by[side][PieceKind::Pawn.index()] = by_pawns;
        self.by[side][PieceKind::King.index()] = by_king;
        self.all[side] = by_pawns | by_king;
        self.twice[side] = two_pawns | by_pawns & by_king;
        self.ring[side] = king_zone(king).without(two_pawns);

        let unavailable_pawns = pawns & (position.occupied().forward(!us) | rank_of(us, 1) | rank_of(us, 2));
        let own = unavailable_pawns | Bitboard::of(king) | position.pieces(us, PieceKind::Queen);
        let their_pawns = pawn_attacks_of(!us, position.pieces(!us, PieceKind::Pawn));
        self.mobility_area[side] = !(own | their_pawns);
    }

    /// Returns the squares attacked by pieces of `kind` of `us`.
    #[inline(always)]
    pub(super) fn of(&self, us: Color, kind: PieceKind) -> Bitboard {
        self.by[us.index()][kind.index()]
    }

    /// Returns all squares that `us` attacks.
    #[inline(always)]
    pub(super) fn all(&self, us: Color) -> Bitboard {
        self.all[us.index()]
    }

    /// Returns the squares that `us` attacks with two or more pieces or pawns.
    #[inline(always)]
    pub(super) fn twice(&self, us: Color) -> Bitboard {
        self.twice[us.index()]
    }

    /// Adds the attacks of one piece.
    #[inline(always)]
    pub(super) fn add(&mut self, us: Color, kind: PieceKind, attacks: Bitboard) {
        let side = us.index();
        self.twice[side] |= self.all[side] & attacks;
        self.all[side] |= attacks;
        self.by[side][kind.index()] |= attacks;
    }
}

/// Returns the three by three squares around the king, moved inwards at the edge so that they are always nine.
fn king_zone(king: Square) -> Bitboard {
    let centre = Square::at(king.file().clamp(1, 6), king.rank().clamp(1, 6));
    king_attacks(centre) | Bitboard::of(centre)
}
