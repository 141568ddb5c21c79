//! What each side attacks, gathered while the pieces are judged.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square, king_attacks};
use crate::engine::eval::pawn_spans::{pawn_attacks_of, pawn_attacks_twice, rank_of};

/// Attacks of both sides, indexed by colour.
pub(super) struct AttackMap {
    /// By kind of piece.
    pub(super) by: [[Bitboard; 6]; 2],
    /// By anything.
    pub(super) all: [Bitboard; 2],
    /// By two men or more.
    pub(super) twice: [Bitboard; 2],
    /// Where the pieces of a side move freely: no own king, queen or stuck pawn, no enemy pawn's attack.
    pub(super) free: [Bitboard; 2],
    /// The king of a side and its surroundings.
    pub(super) ring: [Bitboard; 2],
    /// How many enemy pieces bear on that ring.
    pub(super) ring_attackers: [usize; 2],
    /// Own men pinned to the king of a side.
    pub(super) pinned: [Bitboard; 2],
}

impl AttackMap {
    /// The attacks of kings and pawns; pieces are added one by one.
    pub(super) fn new(position: &Position) -> Self {
        let mut map = Self {
            by: [[Bitboard::EMPTY; 6]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            free: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            ring_attackers: [0; 2],
            pinned: [position.pinned(Color::White), position.pinned(Color::Black)],
        };
        map.begin(position, Color::White);
        map.begin(position, Color::Black);
        map
    }

    /// Enters king and pawns of `us`.
    #[inline(always)]
    fn begin(&mut self, position: &Position, us: Color) {
        let (side, pawns, king) = (us.index(), position.pieces(us, PieceKind::Pawn), position.king(us));
        let by_pawns = pawn_attacks_of(us, pawns);
        let by_king = king_attacks(king);
        let two_pawns = pawn_attacks_twice(us, pawns);
        self.by[side][PieceKind::Pawn.index()] = by_pawns;
        self.by[side][PieceKind::King.index()] = by_king;
        self.all[side] = by_pawns | by_king;
        self.twice[side] = two_pawns | by_pawns & by_king;
        self.ring[side] = surroundings(king).without(two_pawns);

        let stuck = pawns & (position.occupied().forward(!us) | rank_of(us, 1) | rank_of(us, 2));
        let own = stuck | Bitboard::of(king) | position.pieces(us, PieceKind::Queen);
        let their_pawns = pawn_attacks_of(!us, position.pieces(!us, PieceKind::Pawn));
        self.free[side] = !(own | their_pawns);
    }

    /// What men of `kind` of `us` attack.
    #[inline(always)]
    pub(super) fn of(&self, us: Color, kind: PieceKind) -> Bitboard {
        self.by[us.index()][kind.index()]
    }

    /// Everything `us` attacks.
    #[inline(always)]
    pub(super) fn all(&self, us: Color) -> Bitboard {
        self.all[us.index()]
    }

    /// Everything `us` attacks with two men or more.
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

/// The king's neighbourhood, moved in from the edge so that a king in the corner has no smaller one.
fn surroundings(king: Square) -> Bitboard {
    let centre = Square::at(king.file().clamp(1, 6), king.rank().clamp(1, 6));
    king_attacks(centre) | Bitboard::of(centre)
}
