//! Chess positions, legal by construction.

use std::fmt;

use crate::chess::board::{Board, Mailbox};
use crate::chess::move_sinks::{MoveCounter, MoveVisitor, NthMove};
use crate::chess::movegen::{AllMoves, QuietMoves, Stage, TacticalMoves, generate, has_unpinned_pawn_push};
use crate::chess::side::{Black, Side, White};
use crate::chess::sliders::DEFAULT;
use crate::chess::{
    Bitboard, ByColor, CastlingRights, CastlingRooks, CastlingSide, Color, Move, MoveList, Piece,
    PieceCounts, PieceKind, Setup, SetupErrors, Square, zobrist,
};

/// A legal position: pieces, side to move, castling rights, en-passant square, clocks and hash keys.
///
/// Moves are made by copying: [`Position::play`] returns a new position and leaves the old one unchanged. The
/// en-passant square is kept only while a legal en-passant capture exists, so that equal positions compare equal.
#[derive(Clone, Copy)]
pub struct Position {
    pub(in crate::chess) board: Board,
    pub(in crate::chess) mailbox: Mailbox,
    pub(in crate::chess) key: u64,
    pub(in crate::chess) pawn_key: u64,
    pub(in crate::chess) counts: PieceCounts,
    pub(in crate::chess) checkers: Bitboard,
    pub(in crate::chess) castling: CastlingRights,
    pub(in crate::chess) ep: Option<Square>,
    pub(in crate::chess) turn: Color,
    pub(in crate::chess) halfmove: u16,
    pub(in crate::chess) fullmove: u16,
}

impl Position {
    /// Returns the standard starting position.
    pub fn startpos() -> Self {
        const BACK: [PieceKind; 8] = [
            PieceKind::Rook,
            PieceKind::Knight,
            PieceKind::Bishop,
            PieceKind::Queen,
            PieceKind::King,
            PieceKind::Bishop,
            PieceKind::Knight,
            PieceKind::Rook,
        ];
        let mut board = [None; 64];
        for color in Color::ALL {
            for file in 0..8 {
                let (home, second) = (Square::at(file, 0), Square::at(file, 1));
                board[home.relative(color).index()] = Some(Piece::new(color, BACK[usize::from(file)]));
                board[second.relative(color).index()] = Some(Piece::new(color, PieceKind::Pawn));
            }
        }
        let rooks = |color| CastlingRooks {
            kingside: Some(Square::H1.relative(color)),
            queenside: Some(Square::A1.relative(color)),
        };
        Self::from_checked_setup(&Setup {
            board,
            turn: Color::White,
            castling_rooks: ByColor::new_with(rooks),
            ep: None,
            halfmove: 0,
            fullmove: 1,
        })
    }

    /// Creates a position from a setup, or returns every reason why the setup is not a position. An en-passant square
    /// without a legal en-passant capture is dropped.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupErrors> {
        setup.check()?;
        Ok(Self::from_checked_setup(setup))
    }

    /// Creates a position from a setup that is known to be legal: one king per side, no pawns on the first and last
    /// rank, the opponent's king not in check, castling rooks and king on the back rank with the king between, and
    /// `ep` behind a pawn that can just have made a double push. An `ep` without a legal capture is dropped.
    pub(in crate::chess) fn from_checked_setup(setup: &Setup) -> Self {
        let mut board = Board::EMPTY;
        let mut mailbox = Mailbox::EMPTY;
        let mut counts = PieceCounts::default();
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                board.toggle(piece, Bitboard::of(square));
                mailbox.put(square, piece);
                counts.add(piece);
            }
        }
        let kings = ByColor::new_with(|color| board.king(color));
        let castling = CastlingRights::new(kings, setup.castling_rooks);
        let turn = setup.turn;
        let checkers = board.attackers_to(kings[turn], board.occupied(), DEFAULT) & board.color(!turn);
        let ep = setup.ep.filter(|&target| match turn {
            Color::White => Self::ep_is_usable::<White>(&board, target),
            Color::Black => Self::ep_is_usable::<Black>(&board, target),
        });
        let mut position = Self {
            board,
            mailbox,
            key: 0,
            pawn_key: 0,
            counts,
            checkers,
            castling,
            ep,
            turn,
            halfmove: setup.halfmove,
            fullmove: setup.fullmove,
        };
        (position.key, position.pawn_key) = position.fresh_keys();
        position
    }

    /// Converts the position to a setup.
    pub fn to_setup(&self) -> Setup {
        let mut board = [None; 64];
        for square in Square::all() {
            board[square.index()] = self.piece_at(square);
        }
        let rooks = |color| CastlingRooks {
            kingside: self.castling.rook(color, CastlingSide::King),
            queenside: self.castling.rook(color, CastlingSide::Queen),
        };
        Setup {
            board,
            turn: self.turn,
            castling_rooks: ByColor::new_with(rooks),
            ep: self.ep,
            halfmove: self.halfmove,
            fullmove: self.fullmove,
        }
    }

    /// Returns whether a pawn of `U` can legally capture en passant on `target`.
    pub(in crate::chess) fn ep_is_usable<U: Side>(board: &Board, target: Square) -> bool {
        let beside = Bitboard::of(target).forward(U::Enemy::COLOR);
        let mut capturers = (beside.west() | beside.east()) & board.pieces(U::COLOR, PieceKind::Pawn);
        Iterator::any(&mut capturers, |from| board.en_passant_is_safe::<U>(from, target, DEFAULT))
    }

    /// Computes the key and the pawn key from scratch. The incrementally updated keys must always equal them.
    pub(in crate::chess) fn fresh_keys(&self) -> (u64, u64) {
        let (mut key, mut pawn_key) = (self.castling.key(), 0);
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                key ^= zobrist::piece(piece, square);
                if piece.kind == PieceKind::Pawn {
                    pawn_key ^= zobrist::piece(piece, square);
                }
            }
        }
        key ^= self.ep.map_or(0, zobrist::en_passant);
        key ^= if self.turn == Color::Black { zobrist::black_to_move() } else { 0 };
        (key, pawn_key)
    }

    /// Returns the side to move.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the pieces of one kind and colour.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.board.pieces(color, kind)
    }

    /// Returns the pieces of one kind, of both colours.
    #[inline(always)]
    pub const fn by_kind(&self, kind: PieceKind) -> Bitboard {
        self.board.kind(kind)
    }

    /// Returns the pieces of one colour.
    #[inline(always)]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.board.color(color)
    }

    /// Returns all occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// Returns the piece on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox.at(square)
    }

    /// Returns the square of a king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// Returns the castling rights.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Returns the target square of an en-passant capture, if one is legal.
    #[inline(always)]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// Returns the number of half-moves since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove
    }

    /// Returns the number of the next move: 1 at the start of a game, incremented after each move of Black.
    #[inline(always)]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove
    }

    /// Returns the hash key of the pieces, the side to move, the castling rights and the file of a legal en-passant
    /// capture.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the hash key of the pawns alone.
    #[inline(always)]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Returns how many pieces of each kind and colour there are.
    #[inline(always)]
    pub const fn counts(&self) -> PieceCounts {
        self.counts
    }

    /// Returns the enemy pieces that give check.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns whether the side to move is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// Returns whether a castling right involves a king or rook that is not on its square of standard chess.
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let standard = [Square::H1, Square::A1].map(|rook| rook.relative(color));
            let at_home = self.king(color) == Square::E1.relative(color);
            CastlingSide::ALL.into_iter().any(|side| {
                self.castling.rook(color, side).is_some_and(|rook| !at_home || rook != standard[side.index()])
            })
        })
    }

    /// Returns all legal moves.
    pub fn legal_moves(&self) -> MoveList {
        self.list::<AllMoves>()
    }

    /// Returns the legal captures and promotions.
    pub fn legal_captures(&self) -> MoveList {
        self.list::<TacticalMoves>()
    }

    /// Returns the legal moves that are neither captures nor promotions.
    pub fn legal_quiets(&self) -> MoveList {
        self.list::<QuietMoves>()
    }

    /// Calls `visit` with every move of [`Position::legal_moves`].
    pub fn each_legal_move(&self, visit: impl FnMut(Move)) {
        self.visit_moves::<AllMoves>(visit);
    }

    /// Calls `visit` with every move of [`Position::legal_captures`], for callers that store moves themselves.
    pub fn each_legal_capture(&self, visit: impl FnMut(Move)) {
        self.visit_moves::<TacticalMoves>(visit);
    }

    /// Calls `visit` with every move of [`Position::legal_quiets`].
    pub fn each_legal_quiet(&self, visit: impl FnMut(Move)) {
        self.visit_moves::<QuietMoves>(visit);
    }

    /// Returns the move of [`Position::legal_moves`] at the index that `choose` returns for the number of moves, or
    /// `None` if there is no legal move. Faster than the whole list if only one move is needed.
    pub fn pick_legal_move(&self, choose: impl FnOnce(u64) -> u64) -> Option<Move> {
        fn pick<U: Side>(position: &Position, choose: impl FnOnce(u64) -> u64) -> Option<Move> {
            let mut sink = NthMove::<U>::new();
            generate::<U, AllMoves>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
            match sink.count() {
                0 => None,
                count => sink.get(choose(count), position.by_color(U::Enemy::COLOR)),
            }
        }
        match self.turn {
            Color::White => pick::<White>(self, choose),
            Color::Black => pick::<Black>(self, choose),
        }
    }

    /// Returns the number of legal moves.
    pub fn legal_move_count(&self) -> u64 {
        fn count<U: Side>(position: &Position) -> u64 {
            let mut sink = MoveCounter::<U>::new();
            generate::<U, AllMoves>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
            sink.count
        }
        match self.turn {
            Color::White => count::<White>(self),
            Color::Black => count::<Black>(self),
        }
    }

    /// Returns whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        let pawn_push = match self.turn {
            Color::White => has_unpinned_pawn_push::<White>(&self.board),
            Color::Black => has_unpinned_pawn_push::<Black>(&self.board),
        };
        pawn_push || self.legal_move_count() != 0
    }

    fn list<G: Stage>(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.visit_moves::<G>(|mv| moves.push(mv));
        moves
    }

    #[inline(always)]
    fn visit_moves<G: Stage>(&self, visit: impl FnMut(Move)) {
        fn visit_as<U: Side, G: Stage>(position: &Position, visit: impl FnMut(Move)) {
            let mut sink = MoveVisitor::<U, G, _>::new(position.by_color(U::Enemy::COLOR), visit);
            generate::<U, G>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
        }
        match self.turn {
            Color::White => visit_as::<White, G>(self, visit),
            Color::Black => visit_as::<Black, G>(self, visit),
        }
    }
}

/// Positions are equal if all fields of their FENs are equal, clocks included.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.board, self.turn, self.castling, self.ep, self.halfmove, self.fullmove)
            == (other.board, other.turn, other.castling, other.ep, other.halfmove, other.fullmove)
    }
}

impl Eq for Position {}

/// Formats the board as a diagram, the eighth rank first, and the remaining state on one line.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            writeln!(f)?;
            for file in 0..8 {
                let letter = self.piece_at(Square::at(file, rank)).map_or('.', Piece::letter);
                write!(f, "{letter} ")?;
            }
        }
        write!(
            f,
            "\n{} to move, {:?}, ep {:?}, clocks {} {}",
            self.turn.name(),
            self.castling,
            self.ep,
            self.halfmove,
            self.fullmove
        )
    }
}
