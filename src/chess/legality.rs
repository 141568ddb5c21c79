//! Queries about single squares and moves: attackers, pins, legality and checks.

use crate::chess::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks, rook_attacks,
};
use crate::chess::movegen::promotion_rank;
use crate::chess::position::Position;
use crate::chess::side::{Black, White};
use crate::chess::sliders::DEFAULT;
use crate::chess::{Bitboard, CastlingSide, Color, Move, Piece, PieceKind, Square};

impl Position {
    /// Returns the pieces of both colours that attack a square, with `occupied` as blockers.
    #[inline]
    pub fn attackers_to(&self, to: Square, occupied: Bitboard) -> Bitboard {
        self.board.attackers_to(to, occupied, DEFAULT)
    }

    /// Returns whether a side attacks a square.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        (self.attackers_to(square, self.occupied()) & self.by_color(by)).any()
    }

    /// Returns the squares that the pieces and pawns of `color` attack.
    #[inline]
    pub fn attacked_by(&self, color: Color) -> Bitboard {
        let occupied = self.occupied();
        match color {
            Color::White => {
                self.board.leaper_attacks::<White>() | self.board.slider_attacks::<White>(occupied, DEFAULT)
            }
            Color::Black => {
                self.board.leaper_attacks::<Black>() | self.board.slider_attacks::<Black>(occupied, DEFAULT)
            }
        }
    }

    /// Returns the pieces of `color` that are pinned to their king by an enemy slider.
    pub fn pinned(&self, color: Color) -> Bitboard {
        let (king, us, them) = (self.king(color), self.by_color(color), self.by_color(!color));
        let snipers = rook_attacks(king, them) & self.board.orthogonal(!color)
            | bishop_attacks(king, them) & self.board.diagonal(!color);
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = between(king, sniper) & us;
            if !blockers.more_than_one() {
                pinned |= blockers;
            }
        }
        pinned
    }

    /// Returns whether a move is one of [`Position::legal_moves`]. Any bits are accepted, for example those of a move
    /// from a transposition table or from another process.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_at(from) else { return false };
        if piece.color != self.turn {
            return false;
        }
        if mv.is_castling() {
            return self.castling_is_legal(mv);
        }
        if mv.is_en_passant() {
            return self.ep == Some(to)
                && mv == Move::en_passant(self.turn, from, to)
                && pawn_attacks(!self.turn, to).has(from)
                && piece.kind == PieceKind::Pawn
                && match self.turn {
                    Color::White => self.board.en_passant_is_safe::<White>(from, to, DEFAULT),
                    Color::Black => self.board.en_passant_is_safe::<Black>(from, to, DEFAULT),
                };
        }
        self.is_well_formed(mv, piece) && self.keeps_king_safe(piece, from, to)
    }

    /// Returns whether the move is pseudo-legal and its flags are exact. Castling and en passant are not handled.
    fn is_well_formed(&self, mv: Move, piece: Piece) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let occupied = self.occupied();
        let plain = match self.piece_at(to) {
            Some(target) if target.color == self.turn => return false,
            Some(_) => Move::capture(piece, from, to),
            None => Move::quiet(piece, from, to),
        };
        if piece.kind != PieceKind::Pawn {
            return mv == plain && self.attacks_of(piece, from, occupied).has(to);
        }
        let step = Bitboard::of(from).forward(self.turn).without(occupied);
        let first_step = Bitboard::rank(Square::A3.relative(self.turn).rank());
        if mv.is_double_push() {
            let reach = (step & first_step).forward(self.turn).without(occupied);
            return mv == Move::double_push(self.turn, from, to) && reach.has(to);
        }
        let reach = if plain.is_capture() { pawn_attacks(self.turn, from) } else { step };
        let expected = match mv.promotion() {
            None if promotion_rank(self.turn).has(to) => return false,
            None => plain,
            Some(PieceKind::Pawn | PieceKind::King) => return false,
            Some(_) if !promotion_rank(self.turn).has(to) => return false,
            Some(kind) => plain.promoting(kind),
        };
        mv == expected && reach.has(to)
    }

    fn attacks_of(&self, piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        match piece.kind {
            PieceKind::Pawn => pawn_attacks(piece.color, from),
            PieceKind::Knight => knight_attacks(from),
            PieceKind::Bishop => bishop_attacks(from, occupied),
            PieceKind::Rook => rook_attacks(from, occupied),
            PieceKind::Queen => queen_attacks(from, occupied),
            PieceKind::King => king_attacks(from),
        }
    }

    fn keeps_king_safe(&self, piece: Piece, from: Square, to: Square) -> bool {
        let enemies = self.by_color(!self.turn);
        if piece.kind == PieceKind::King {
            let occupied = self.occupied() ^ Bitboard::of(from);
            return (self.attackers_to(to, occupied) & enemies).is_empty();
        }
        let king = self.king(self.turn);
        if let Some(checker) = self.checkers.first() {
            let evades_check = (between(king, checker) | Bitboard::of(checker)).has(to);
            if self.checkers.more_than_one() || !evades_check {
                return false;
            }
        }
        !self.pinned(self.turn).has(from) || line(king, from).has(to)
    }

    fn castling_is_legal(&self, mv: Move) -> bool {
        let king = self.king(self.turn);
        CastlingSide::ALL.into_iter().any(|side| {
            let Some(path) = self.castling.path(self.turn, side) else { return false };
            let occupied = self.occupied();
            mv == Move::castling(self.turn, king, path.rook)
                && (path.must_be_empty & occupied).is_empty()
                && !self.pinned(self.turn).has(path.rook)
                && { path.must_be_safe }.all(|square| {
                    let enemies = self.by_color(!self.turn);
                    (self.attackers_to(square, occupied ^ Bitboard::of(king)) & enemies).is_empty()
                })
        })
    }

    /// Returns whether a legal move gives check, without playing it.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (from, to, us) = (mv.from(), mv.to(), self.turn);
        let target = self.king(!us);
        if mv.is_castling() {
            return self.castling_gives_check(mv, target);
        }
        let mut occupied = (self.occupied() ^ Bitboard::of(from)) | Bitboard::of(to);
        if mv.is_en_passant() {
            occupied ^= Bitboard::of(to).forward(!us);
        }
        let arriving = Piece::new(us, mv.promotion().unwrap_or(mv.kind()));
        if self.attacks_of(arriving, to, occupied).has(target) {
            return true;
        }
        // Only a piece that leaves a line to the king, or a pawn captured en passant, can uncover an attack.
        if line(target, from).is_empty() && !mv.is_en_passant() {
            return false;
        }
        self.sliders_reach(target, occupied, Bitboard::of(from) | Bitboard::of(to))
    }

    /// Returns whether a slider of the side to move attacks a square, with `occupied` as blockers and without the
    /// sliders on `moved`.
    fn sliders_reach(&self, target: Square, occupied: Bitboard, moved: Bitboard) -> bool {
        let us = self.turn;
        (bishop_attacks(target, occupied) & self.board.diagonal(us).without(moved)).any()
            || (rook_attacks(target, occupied) & self.board.orthogonal(us).without(moved)).any()
    }

    fn castling_gives_check(&self, mv: Move, target: Square) -> bool {
        let side = if mv.castles_kingside() { CastlingSide::King } else { CastlingSide::Queen };
        let leaving = Bitboard::of(mv.from()) | Bitboard::of(mv.to());
        let rook = side.rook_target(self.turn);
        let occupied =
            self.occupied().without(leaving) | Bitboard::of(side.king_target(self.turn)) | Bitboard::of(rook);
        rook_attacks(rook, occupied).has(target) || self.sliders_reach(target, occupied, leaving)
    }
}
