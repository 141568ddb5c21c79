//! The legal moves of a position, handed out by the armful.
//!
//! One generator serves lists, counts and perft: it works out where each man may go and gives whole target sets to a
//! [`MoveSink`], which writes them down, counts them, or plays them.

use crate::chess::attacks::{between, bishop_reach, king_attacks, knight_attacks, rook_reach};
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
    /// A knight, bishop, rook, queen or king from `from` to each target.
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
    fn of<U: Side>(board: &Board, king: Square) -> Self {
        let them = board.color(U::Enemy::COLOR);
        let pawns = Bitboard::of(king).forward(U::COLOR);
        let mut constraints = Self {
            checkers: (pawns.west() | pawns.east()) & board.kind(PieceKind::Pawn) & them
                | knight_attacks(king) & board.kind(PieceKind::Knight) & them,
            pin_orthogonal: Bitboard::EMPTY,
            pin_diagonal: Bitboard::EMPTY,
        };
        let orthogonal = rook_reach(king) & board.orthogonal(U::Enemy::COLOR);
        constraints.pin_orthogonal = constraints.look_along::<U>(board, king, orthogonal);
        let diagonal = bishop_reach(king) & board.diagonal(U::Enemy::COLOR);
        constraints.pin_diagonal = constraints.look_along::<U>(board, king, diagonal);
        constraints
    }

    /// Adds the snipers that see the king to the checkers; gives the ways of those that only one of our men stops.
    #[inline(always)]
    fn look_along<U: Side>(&mut self, board: &Board, king: Square, snipers: Bitboard) -> Bitboard {
        let mut pins = Bitboard::EMPTY;
        for sniper in snipers {
            let way = between(king, sniper);
            let blockers = way & board.occupied();
            if blockers.is_empty() {
                self.checkers |= Bitboard::of(sniper);
            } else if !blockers.more_than_one() && (blockers & board.color(U::COLOR)).any() {
                pins |= way | Bitboard::of(sniper);
            }
        }
        pins
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
    let king = board.king(U::COLOR);
    let limits = Constraints::of::<U>(board, king);
    king_moves::<U, G>(board, castling, king, &limits, sliders, sink);
    match limits.checkers.first() {
        // A branch of its own, so that the common case is compiled without the mask of evasions.
        None => other_moves::<U, G>(board, ep, &limits, Bitboard::ALL, sliders, sink),
        Some(_) if limits.checkers.more_than_one() => {}
        Some(checker) => {
            let evasions = between(king, checker) | Bitboard::of(checker);
            other_moves::<U, G>(board, ep, &limits, evasions, sliders, sink);
        }
    }
}

/// Whether a pawn step says at once that there is a legal move; where none does, there may still be one.
#[inline(always)]
pub(in crate::chess) fn has_free_pawn<U: Side>(board: &Board) -> bool {
    let limits = Constraints::of::<U>(board, board.king(U::COLOR));
    let free = board.pieces(U::COLOR, PieceKind::Pawn).without(limits.pin_orthogonal | limits.pin_diagonal);
    limits.checkers.is_empty() && free.forward(U::COLOR).without(board.occupied()).any()
}

/// The squares that moves of a stage may end on, pawns aside.
#[inline(always)]
fn wanted<U: Side, G: Stage>(board: &Board) -> Bitboard {
    match (G::TACTICAL, G::QUIET) {
        (true, true) => !board.color(U::COLOR),
        (true, false) => board.color(U::Enemy::COLOR),
        _ => !board.occupied(),
    }
}

#[inline(always)]
fn king_moves<U: Side, G: Stage>(
    board: &Board,
    castling: CastlingRights,
    king: Square,
    limits: &Constraints,
    sliders: impl Sliders,
    sink: &mut impl MoveSink,
) {
    let occupied = board.occupied();
    let near = board.leaper_attacks::<U::Enemy>();
    let targets = (king_attacks(king) & wanted::<U, G>(board)).without(near);
    let open = |side| castling.way(U::COLOR, side).filter(|way| (way.clear & occupied).is_empty());
    let ways = if G::QUIET && limits.checkers.is_empty() && castling.any(U::COLOR) {
        CastlingSide::ALL.map(open)
    } else {
        [None; 2]
    };
    // Looking along the enemy's sliders is the dearest part of all, and often nobody asks.
    let asked = ways.iter().flatten().fold(targets, |asked, way| asked | way.safe);
    if asked.is_empty() {
        return;
    }
    // The king does not shield the squares behind it.
    let seen = seen_by_sliders::<U::Enemy>(board, asked, occupied ^ Bitboard::of(king), sliders);
    sink.piece(PieceKind::King, king, targets.without(seen));
    for side in CastlingSide::ALL {
        let Some(way) = ways[side.index()] else { continue };
        // A pinned rook stands between its king and a rook on the edge, and would uncover it by castling.
        if (way.safe & (seen | near)).is_empty() && !limits.pin_orthogonal.has(way.rook) {
            sink.castling(side, king, way.rook);
        }
    }
}

/// Squares that the sliders of `U` attack: right about all squares asked for, silent about others.
#[inline(always)]
fn seen_by_sliders<U: Side>(
    board: &Board,
    asked: Bitboard,
    occupied: Bitboard,
    sliders: impl Sliders,
) -> Bitboard {
    // Two squares looked at from where they are cost less than looking along everything.
    if asked.len() > 2 {
        return board.slider_attacks::<U>(occupied, sliders);
    }
    let mut seen = Bitboard::EMPTY;
    for square in asked {
        let attackers = sliders.bishop(square, occupied) & board.diagonal(U::COLOR)
            | sliders.rook(square, occupied) & board.orthogonal(U::COLOR);
        if attackers.any() {
            seen |= Bitboard::of(square);
        }
    }
    seen
}

#[inline(always)]
fn other_moves<U: Side, G: Stage>(
    board: &Board,
    ep: Option<Square>,
    limits: &Constraints,
    allowed: Bitboard,
    sliders: impl Sliders,
    sink: &mut impl MoveSink,
) {
    pawns::<U, G>(board, limits, allowed, sink);
    if G::TACTICAL
        && let Some(target) = ep
    {
        en_passant::<U>(board, target, sliders, sink);
    }
    let occupied = board.occupied();
    let targets = wanted::<U, G>(board) & allowed;
    let pinned = limits.pin_orthogonal | limits.pin_diagonal;
    for from in board.pieces(U::COLOR, PieceKind::Knight).without(pinned) {
        sink.piece(PieceKind::Knight, from, knight_attacks(from) & targets);
    }
    let [bishops, rooks, queens] =
        [PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen].map(|kind| board.pieces(U::COLOR, kind));
    for from in bishops.without(pinned) {
        sink.piece(PieceKind::Bishop, from, sliders.bishop(from, occupied) & targets);
    }
    for from in rooks.without(pinned) {
        sink.piece(PieceKind::Rook, from, sliders.rook(from, occupied) & targets);
    }
    for from in queens.without(pinned) {
        let reach = sliders.bishop(from, occupied) | sliders.rook(from, occupied);
        sink.piece(PieceKind::Queen, from, reach & targets);
    }
    // Pinned sliders may go along their pin; the line of another pin is out of their reach.
    for from in (bishops | queens) & limits.pin_diagonal {
        let kind = if bishops.has(from) { PieceKind::Bishop } else { PieceKind::Queen };
        sink.piece(kind, from, sliders.bishop(from, occupied) & targets & limits.pin_diagonal);
    }
    for from in (rooks | queens) & limits.pin_orthogonal {
        let kind = if rooks.has(from) { PieceKind::Rook } else { PieceKind::Queen };
        sink.piece(kind, from, sliders.rook(from, occupied) & targets & limits.pin_orthogonal);
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
