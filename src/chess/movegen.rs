//! The legal moves of a position, handed out by the armful.
//!
//! One generator serves lists, counts and perft: it works out where each man may go and gives whole target sets to a
//! [`MoveSink`], which writes them down, counts them, or plays them.

use crate::chess::attacks::{between, king_attacks, knight_attacks};
use crate::chess::board::Board;
use crate::chess::side::Side;
use crate::chess::sliders::Sliders;
use crate::chess::{Bitboard, CastlingRights, CastlingSide, Color, PieceKind, Square};

/// How a pawn got to its target; with the side, this tells where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chess) enum PawnStep {
    /// One step ahead.
    Push,
    /// Two steps ahead.
    DoublePush,
    /// A capture towards the a-file.
    TakeWest,
    /// A capture towards the h-file.
    TakeEast,
}

impl PawnStep {
    /// The square that a pawn of `color` left to stand on `to`.
    #[inline(always)]
    pub(in crate::chess) const fn origin(self, color: Color, to: Square) -> Square {
        let back = match (self, color) {
            (Self::Push, Color::White) => -8,
            (Self::Push, Color::Black) => 8,
            (Self::DoublePush, Color::White) => -16,
            (Self::DoublePush, Color::Black) => 16,
            (Self::TakeWest, Color::White) => -7,
            (Self::TakeWest, Color::Black) => 9,
            (Self::TakeEast, Color::White) => -9,
            (Self::TakeEast, Color::Black) => 7,
        };
        Square::wrap((to.index() as u8).wrapping_add_signed(back))
    }
}

/// Takes legal moves by sets of targets.
pub(in crate::chess) trait MoveSink {
    /// A knight, bishop, rook, queen or king from `from` to each target. A queen may come twice, once for each way
    /// she moves.
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard);

    /// A pawn to each target; on the last rank each target stands for four promotions.
    fn pawns(&mut self, step: PawnStep, targets: Bitboard);

    /// One en-passant capture.
    fn en_passant(&mut self, from: Square, target: Square);

    /// One castling move.
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square);
}

/// Which moves are wanted.
pub(in crate::chess) trait Stage {
    /// Captures and promotions.
    const TACTICAL: bool;
    /// Everything else.
    const QUIET: bool;
}

/// Every move.
pub(in crate::chess) enum AllMoves {}
/// Captures and promotions only.
pub(in crate::chess) enum TacticalMoves {}
/// Neither captures nor promotions.
pub(in crate::chess) enum QuietMoves {}

impl Stage for AllMoves {
    const TACTICAL: bool = true;
    const QUIET: bool = true;
}

impl Stage for TacticalMoves {
    const TACTICAL: bool = true;
    const QUIET: bool = false;
}

impl Stage for QuietMoves {
    const TACTICAL: bool = false;
    const QUIET: bool = true;
}

/// What the enemy's sliders and checks leave a side free to do.
struct Constraints {
    checkers: Bitboard,
    /// Squares from the king to a rook or queen that pins along rank or file, the pinner included.
    pin_orthogonal: Bitboard,
    /// The same for diagonals.
    pin_diagonal: Bitboard,
}

impl Constraints {
    #[inline(always)]
    fn of<U: Side>(board: &Board, king: Square, sliders: impl Sliders) -> Self {
        let (us, them) = (board.color(U::COLOR), board.color(U::Enemy::COLOR));
        let pawns = Bitboard::of(king).forward(U::COLOR);
        let mut checkers = (pawns.west() | pawns.east()) & board.kind(PieceKind::Pawn) & them
            | knight_attacks(king) & board.kind(PieceKind::Knight) & them;
        let mut pin_orthogonal = Bitboard::EMPTY;
        let mut pin_diagonal = Bitboard::EMPTY;
        // Looking through our own men: who sees the king past none of them checks, past one pins it.
        for sniper in sliders.rook(king, them) & board.orthogonal(U::Enemy::COLOR) {
            let way = between(king, sniper);
            match (way & us).len() {
                0 => checkers |= Bitboard::of(sniper),
                1 => pin_orthogonal |= way | Bitboard::of(sniper),
                _ => {}
            }
        }
        for sniper in sliders.bishop(king, them) & board.diagonal(U::Enemy::COLOR) {
            let way = between(king, sniper);
            match (way & us).len() {
                0 => checkers |= Bitboard::of(sniper),
                1 => pin_diagonal |= way | Bitboard::of(sniper),
                _ => {}
            }
        }
        Self { checkers, pin_orthogonal, pin_diagonal }
    }
}

/// Hands every legal move of the stage to the sink.
#[inline(always)]
pub(in crate::chess) fn generate<U: Side, G: Stage>(
    board: &Board,
    castling: CastlingRights,
    ep: Option<Square>,
    sliders: impl Sliders,
    sink: &mut impl MoveSink,
) {
    let (us, them) = (board.color(U::COLOR), board.color(U::Enemy::COLOR));
    let occupied = us | them;
    let wanted = match (G::TACTICAL, G::QUIET) {
        (true, true) => !us,
        (true, false) => them,
        _ => !occupied,
    };
    let king = board.king(U::COLOR);
    // The king does not shield the squares behind it.
    let danger = board.attacked_by::<U::Enemy>(occupied ^ Bitboard::of(king), sliders);
    sink.piece(PieceKind::King, king, king_attacks(king).without(danger) & wanted);

    let pins = Constraints::of::<U>(board, king, sliders);
    let allowed = match pins.checkers.first() {
        None => {
            if G::QUIET {
                castle::<U>(castling, king, occupied, danger, pins.pin_orthogonal, sink);
            }
            Bitboard::ALL
        }
        Some(_) if pins.checkers.more_than_one() => return,
        Some(checker) => between(king, checker) | Bitboard::of(checker),
    };

    pawns::<U, G>(board, &pins, allowed, sink);
    if G::TACTICAL
        && let Some(target) = ep
    {
        en_passant::<U>(board, target, sliders, sink);
    }

    let targets = wanted & allowed;
    let pinned = pins.pin_orthogonal | pins.pin_diagonal;
    for from in board.pieces(U::COLOR, PieceKind::Knight).without(pinned) {
        sink.piece(PieceKind::Knight, from, knight_attacks(from) & targets);
    }
    for kind in [PieceKind::Bishop, PieceKind::Queen] {
        let men = board.pieces(U::COLOR, kind);
        for from in men.without(pinned) {
            sink.piece(kind, from, sliders.bishop(from, occupied) & targets);
        }
        for from in men & pins.pin_diagonal {
            sink.piece(kind, from, sliders.bishop(from, occupied) & targets & pins.pin_diagonal);
        }
    }
    for kind in [PieceKind::Rook, PieceKind::Queen] {
        let men = board.pieces(U::COLOR, kind);
        for from in men.without(pinned) {
            sink.piece(kind, from, sliders.rook(from, occupied) & targets);
        }
        for from in men & pins.pin_orthogonal {
            sink.piece(kind, from, sliders.rook(from, occupied) & targets & pins.pin_orthogonal);
        }
    }
}

/// The last rank of a side's pawns.
#[inline(always)]
pub(in crate::chess) const fn promotion_rank(color: Color) -> Bitboard {
    match color {
        Color::White => Bitboard::RANK_8,
        Color::Black => Bitboard::RANK_1,
    }
}

#[inline(always)]
fn pawns<U: Side, G: Stage>(board: &Board, pins: &Constraints, allowed: Bitboard, sink: &mut impl MoveSink) {
    let pawns = board.pieces(U::COLOR, PieceKind::Pawn);
    let (free, last) = (!board.occupied(), promotion_rank(U::COLOR));
    // A pawn pinned along a line may still walk on that line; it can never step onto another pin's line.
    let walkers = pawns.without(pins.pin_diagonal);
    let single = (walkers.without(pins.pin_orthogonal).forward(U::COLOR)
        | (walkers & pins.pin_orthogonal).forward(U::COLOR) & pins.pin_orthogonal)
        & free;
    let third = Bitboard::rank(Square::A3.relative(U::COLOR).rank());
    match (G::TACTICAL, G::QUIET) {
        (true, true) => sink.pawns(PawnStep::Push, single & allowed),
        (true, false) => sink.pawns(PawnStep::Push, single & allowed & last),
        _ => sink.pawns(PawnStep::Push, (single & allowed).without(last)),
    }
    if G::QUIET {
        sink.pawns(PawnStep::DoublePush, (single & third).forward(U::COLOR) & free & allowed);
    }
    if G::TACTICAL {
        let takers = pawns.without(pins.pin_orthogonal);
        let loose = takers.without(pins.pin_diagonal).forward(U::COLOR);
        let bound = (takers & pins.pin_diagonal).forward(U::COLOR);
        let victims = board.color(U::Enemy::COLOR) & allowed;
        sink.pawns(PawnStep::TakeWest, (loose.west() | bound.west() & pins.pin_diagonal) & victims);
        sink.pawns(PawnStep::TakeEast, (loose.east() | bound.east() & pins.pin_diagonal) & victims);
    }
}

/// Rare enough to be tried on the board instead of reasoned about: two men leave one rank at once.
#[inline(always)]
fn en_passant<U: Side>(board: &Board, target: Square, sliders: impl Sliders, sink: &mut impl MoveSink) {
    let behind = Bitboard::of(target).forward(U::Enemy::COLOR);
    for from in (behind.west() | behind.east()) & board.pieces(U::COLOR, PieceKind::Pawn) {
        if board.en_passant_is_safe::<U>(from, target, sliders) {
            sink.en_passant(from, target);
        }
    }
}

#[inline(always)]
fn castle<U: Side>(
    castling: CastlingRights,
    king: Square,
    occupied: Bitboard,
    danger: Bitboard,
    pin_orthogonal: Bitboard,
    sink: &mut impl MoveSink,
) {
    if !castling.any(U::COLOR) {
        return;
    }
    for side in CastlingSide::ALL {
        let Some(way) = castling.way(U::COLOR, side) else { continue };
        let free = (way.clear & occupied).is_empty() && (way.safe & danger).is_empty();
        // A pinned rook stands between its king and a rook on the edge, and would uncover it by castling.
        if free && !pin_orthogonal.has(way.rook) {
            sink.castling(side, king, way.rook);
        }
    }
}
