//! Playing moves on a position.

use crate::chess::position::Position;
use crate::chess::side::{Black, Side, White};
use crate::chess::sliders::DEFAULT;
use crate::chess::{Bitboard, CastlingSide, Color, Move, Piece, PieceKind, Square, zobrist};

impl Position {
    /// Returns the position after a legal move. The result for an illegal move is unspecified, and debug builds panic;
    /// check untrusted moves with [`Position::is_legal`] first.
    #[inline]
    pub fn play(&self, mv: Move) -> Self {
        debug_assert!(self.is_legal(mv), "{mv:?} is not legal in {self:?}");
        match self.turn {
            Color::White => self.play_as::<White>(mv),
            Color::Black => self.play_as::<Black>(mv),
        }
    }

    /// Returns the position after a null move, in which the side to move passes. The side to move must not be in check.
    pub fn play_null(&self) -> Self {
        debug_assert!(!self.in_check(), "a side in check cannot pass");
        let mut next = *self;
        next.key = self.key_after_null();
        next.ep = None;
        next.turn = !self.turn;
        next.halfmove = self.halfmove.saturating_add(1);
        next.fullmove = self.fullmove.saturating_add(u16::from(self.turn == Color::Black));
        // A null move gives no check, and the opponent was not in check before it.
        next.checkers = Bitboard::EMPTY;
        next
    }

    /// Returns the key after a null move.
    #[inline]
    pub fn key_after_null(&self) -> u64 {
        self.key ^ zobrist::black_to_move() ^ self.ep.map_or(0, zobrist::en_passant)
    }

    /// Returns the key after a move, as a hint. It is right for all moves but castling, promotions, en-passant captures, and
    /// those that change the castling rights or allow an en-passant capture.
    #[inline]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let piece = Piece::new(mv.color(), mv.kind());
        let captured = self.piece_at(to).map_or(0, |captured| zobrist::piece(captured, to));
        self.key_after_null() ^ zobrist::piece(piece, from) ^ zobrist::piece(piece, to) ^ captured
    }

    fn play_as<U: Side>(&self, mv: Move) -> Self {
        let mut next = *self;
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let piece = Piece::new(U::COLOR, kind);
        next.halfmove = self.halfmove.saturating_add(1);
        if mv.is_castling() {
            next.castle::<U>(mv);
        } else {
            if mv.is_capture() {
                next.remove(if mv.is_en_passant() { behind::<U>(to) } else { to });
                next.halfmove = 0;
            }
            match mv.promotion() {
                None => next.shift(piece, from, to),
                Some(promoted) => {
                    next.remove(from);
                    next.add(to, Piece::new(U::COLOR, promoted));
                }
            }
        }
        if kind == PieceKind::Pawn {
            next.halfmove = 0;
        }
        if !self.castling.is_empty() {
            next.castling = self.castling.after(from, to);
            next.key ^= self.castling.key() ^ next.castling.key();
        }
        next.key ^= zobrist::black_to_move() ^ self.ep.map_or(0, zobrist::en_passant);
        next.ep = None;
        if mv.is_double_push() {
            let target = behind::<U>(to);
            if Self::ep_is_usable::<U::Enemy>(&next.board, target) {
                next.ep = Some(target);
                next.key ^= zobrist::en_passant(target);
            }
        }
        next.turn = U::Enemy::COLOR;
        next.fullmove = self.fullmove.saturating_add(u16::from(U::COLOR == Color::Black));
        next.checkers = next.board.checkers::<U>(next.board.king(U::Enemy::COLOR), DEFAULT);
        next
    }

    fn castle<U: Side>(&mut self, mv: Move) {
        let side = if mv.castles_kingside() { CastlingSide::King } else { CastlingSide::Queen };
        // Both pieces are removed before either is added: in Chess960 one may end on the other's origin.
        self.remove(mv.from());
        self.remove(mv.to());
        self.add(side.king_target(U::COLOR), Piece::new(U::COLOR, PieceKind::King));
        self.add(side.rook_target(U::COLOR), Piece::new(U::COLOR, PieceKind::Rook));
    }

    /// Moves a piece to an empty square.
    #[inline(always)]
    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.board.toggle(piece, Bitboard::of(from) | Bitboard::of(to));
        self.mailbox.clear(from);
        self.mailbox.put(to, piece);
        self.toggle_keys(piece, zobrist::piece(piece, from) ^ zobrist::piece(piece, to));
    }

    fn add(&mut self, square: Square, piece: Piece) {
        self.board.toggle(piece, Bitboard::of(square));
        self.mailbox.put(square, piece);
        self.counts.add(piece);
        self.toggle_keys(piece, zobrist::piece(piece, square));
    }

    fn remove(&mut self, square: Square) {
        if let Some(piece) = self.mailbox.at(square) {
            self.board.toggle(piece, Bitboard::of(square));
            self.mailbox.clear(square);
            self.counts.remove(piece);
            self.toggle_keys(piece, zobrist::piece(piece, square));
        }
    }

    #[inline(always)]
    fn toggle_keys(&mut self, piece: Piece, word: u64) {
        self.key ^= word;
        if piece.kind == PieceKind::Pawn {
            self.pawn_key ^= word;
        }
    }
}

/// Returns the square one step back from a pawn of `U`.
const fn behind<U: Side>(square: Square) -> Square {
    let index = square.index() as u8;
    match U::COLOR {
        Color::White => Square::wrap(index.wrapping_sub(8)),
        Color::Black => Square::wrap(index.wrapping_add(8)),
    }
}
