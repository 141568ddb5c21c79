//! A position of chess, legal by construction.

use std::fmt;

use crate::chess::board::{Board, Mailbox};
use crate::chess::move_sinks::{Counting, Naming, Picking};
use crate::chess::movegen::{AllMoves, QuietMoves, Stage, TacticalMoves, generate, has_free_pawn};
use crate::chess::side::{Black, Side, White};
use crate::chess::sliders::DEFAULT;
use crate::chess::{
    Bitboard, ByColor, CastlingRights, CastlingRooks, CastlingSide, Color, Move, MoveList, Piece, PieceKind,
    Setup, SetupErrors, Square, zobrist,
};

/// A legal position: men, side to move, castling rights, en passant, clocks, and the keys that name it.
///
/// Copy-make: [`Position::play`] gives a new position and leaves the old one as it is. The en-passant square is kept
/// only while a legal en-passant capture exists, so equal positions look equal.
#[derive(Clone, Copy)]
pub struct Position {
    pub(in crate::chess) board: Board,
    pub(in crate::chess) mailbox: Mailbox,
    pub(in crate::chess) key: u64,
    pub(in crate::chess) pawn_key: u64,
    pub(in crate::chess) checkers: Bitboard,
    pub(in crate::chess) castling: CastlingRights,
    pub(in crate::chess) ep: Option<Square>,
    pub(in crate::chess) turn: Color,
    pub(in crate::chess) halfmove: u16,
    pub(in crate::chess) fullmove: u16,
}

impl Position {
    /// The position that a standard game starts from.
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

    /// The position that a setup describes, or every reason why it is none. An en-passant square that nobody can
    /// legally use is dropped.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupErrors> {
        setup.check()?;
        Ok(Self::from_checked_setup(setup))
    }

    /// The position of a setup that is known to be legal: one king each, no pawns on the outer ranks, the side to
    /// move not able to take the king, castling rooks and king on the back rank with the king between, and `ep`
    /// behind a pawn that can just have made its double step. An `ep` that nobody can legally use is dropped.
    pub(in crate::chess) fn from_checked_setup(setup: &Setup) -> Self {
        let mut board = Board::EMPTY;
        let mut mailbox = Mailbox::EMPTY;
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                board.toggle(piece, Bitboard::of(square));
                mailbox.put(square, piece);
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

    /// The position written down again.
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

    /// Whether a pawn of `U` can legally capture en passant on `target`.
    pub(in crate::chess) fn ep_is_usable<U: Side>(board: &Board, target: Square) -> bool {
        let beside = Bitboard::of(target).forward(U::Enemy::COLOR);
        let mut takers = (beside.west() | beside.east()) & board.pieces(U::COLOR, PieceKind::Pawn);
        Iterator::any(&mut takers, |from| board.en_passant_is_safe::<U>(from, target, DEFAULT))
    }

    /// Key and pawn key computed from nothing; the incremental ones must always equal them.
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

    /// Whose move it is.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The men of one kind and colour.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.board.pieces(color, kind)
    }

    /// The men of one kind, both colours.
    #[inline(always)]
    pub const fn by_kind(&self, kind: PieceKind) -> Bitboard {
        self.board.kind(kind)
    }

    /// The men of one colour.
    #[inline(always)]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.board.color(color)
    }

    /// Every man.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// What stands on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox.at(square)
    }

    /// Where a king stands.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.board.king(color)
    }

    /// Who may still castle where.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Where an en-passant capture lands, if one is legal now.
    #[inline(always)]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// Half-moves since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove
    }

    /// The number of the move to come; 1 at the start of a game, one more after each move of Black.
    #[inline(always)]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove
    }

    /// The key: men, side to move, castling rights, and the en-passant file where a capture is legal.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key of the pawns alone.
    #[inline(always)]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The enemy men that give check.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    /// Whether a held castling right has a king or rook that standard chess does not put there.
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            let standard = [Square::H1, Square::A1].map(|rook| rook.relative(color));
            let at_home = self.king(color) == Square::E1.relative(color);
            CastlingSide::ALL.into_iter().any(|side| {
                self.castling.rook(color, side).is_some_and(|rook| !at_home || rook != standard[side.index()])
            })
        })
    }

    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        self.list::<AllMoves>()
    }

    /// The legal captures and promotions.
    pub fn legal_captures(&self) -> MoveList {
        self.list::<TacticalMoves>()
    }

    /// The legal moves that neither capture nor promote.
    pub fn legal_quiets(&self) -> MoveList {
        self.list::<QuietMoves>()
    }

    /// Tells every move of [`Position::legal_moves`].
    pub fn each_legal_move(&self, tell: impl FnMut(Move)) {
        self.name::<AllMoves>(tell);
    }

    /// Tells every move of [`Position::legal_captures`], for those who have a place of their own for them.
    pub fn each_legal_capture(&self, tell: impl FnMut(Move)) {
        self.name::<TacticalMoves>(tell);
    }

    /// Tells every move of [`Position::legal_quiets`].
    pub fn each_legal_quiet(&self, tell: impl FnMut(Move)) {
        self.name::<QuietMoves>(tell);
    }

    /// The move of [`Position::legal_moves`] at the place that `choose` names when told how many there are. Quicker than
    /// the whole list where only one is wanted; `None` where there is none.
    pub fn pick_legal_move(&self, choose: impl FnOnce(u64) -> u64) -> Option<Move> {
        fn pick<U: Side>(position: &Position, choose: impl FnOnce(u64) -> u64) -> Option<Move> {
            let mut sink = Picking::<U>::new();
            generate::<U, AllMoves>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
            match sink.count() {
                0 => None,
                count => sink.pick(choose(count), position.by_color(U::Enemy::COLOR)),
            }
        }
        match self.turn {
            Color::White => pick::<White>(self, choose),
            Color::Black => pick::<Black>(self, choose),
        }
    }

    /// How many legal moves there are.
    pub fn legal_move_count(&self) -> u64 {
        fn count<U: Side>(position: &Position) -> u64 {
            let mut sink = Counting::<U>::new();
            generate::<U, AllMoves>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
            sink.count
        }
        match self.turn {
            Color::White => count::<White>(self),
            Color::Black => count::<Black>(self),
        }
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        let free_pawn = match self.turn {
            Color::White => has_free_pawn::<White>(&self.board),
            Color::Black => has_free_pawn::<Black>(&self.board),
        };
        free_pawn || self.legal_move_count() != 0
    }

    fn list<G: Stage>(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.name::<G>(|mv| moves.push(mv));
        moves
    }

    #[inline(always)]
    fn name<G: Stage>(&self, tell: impl FnMut(Move)) {
        fn name<U: Side, G: Stage>(position: &Position, tell: impl FnMut(Move)) {
            let mut sink = Naming::<U, _>::new(position.by_color(U::Enemy::COLOR), tell);
            generate::<U, G>(&position.board, position.castling, position.ep, DEFAULT, &mut sink);
        }
        match self.turn {
            Color::White => name::<White, G>(self, tell),
            Color::Black => name::<Black, G>(self, tell),
        }
    }
}

/// Positions are equal if everything a FEN writes is equal, clocks included.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.board, self.turn, self.castling, self.ep, self.halfmove, self.fullmove)
            == (other.board, other.turn, other.castling, other.ep, other.halfmove, other.fullmove)
    }
}

impl Eq for Position {}

/// A drawn board, the eighth rank first, and the rest on one line.
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
