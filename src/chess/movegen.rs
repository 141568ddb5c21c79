//! Legal move generation; moves are delivered as sets of target squares.
//!
//! One generator serves move lists, counts and perft: it computes the targets of each piece and passes them as
//! bitboards to a [`MoveSink`], which lists, counts or plays the moves.

use crate::chess::attacks::{between, bishop_reach, king_attacks, knight_attacks, rook_reach};
use crate::chess::board::Board;
use crate::chess::side::Side;
use crate::chess::sliders::Sliders;
use crate::chess::{Bitboard, CastlingRights, CastlingSide, Color, PieceKind, Square};

/// The step by which a pawn reached its target; with the side, it determines the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::chess) enum PawnStep {
    /// One step forward.
    Push,
    /// Two steps forward.
    DoublePush,
    /// A capture towards the a-file.
    TakeWest,
    /// A capture towards the h-file.
    TakeEast,
}

impl PawnStep {
    /// Returns the origin of a pawn of `color` that reached `to` with this step.
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

/// Receives legal moves as sets of target squares.
pub(in crate::chess) trait MoveSink {
    /// Receives the moves of a knight, bishop, rook, queen or king from `from` to each target.
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard);

    /// Receives the moves of a pawn to each target. A target on the last rank represents four promotions.
    fn pawns(&mut self, step: PawnStep, targets: Bitboard);

    /// Receives an en-passant capture.
    fn en_passant(&mut self, from: Square, target: Square);

    /// Receives a castling move.
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square);
}

/// Selects the moves to generate.
pub(in crate::chess) trait Stage {
    /// Whether captures and promotions are generated.
    const TACTICAL: bool;
    /// Whether all other moves are generated.
    const QUIET: bool;
}

/// All moves.
pub(in crate::chess) enum AllMoves {}
/// Captures and promotions only.
pub(in crate::chess) enum TacticalMoves {}
/// Moves that are neither captures nor promotions.
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

/// Checks and pins that restrict the moves of a side.
struct Constraints {
    checkers: Bitboard,
    /// Squares between the king and each rook or queen that pins along a rank or file, the pinning piece included.
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
        constraints.pin_orthogonal = constraints.add_snipers::<U>(board, king, orthogonal);
        let diagonal = bishop_reach(king) & board.diagonal(U::Enemy::COLOR);
        constraints.pin_diagonal = constraints.add_snipers::<U>(board, king, diagonal);
        constraints
    }

    /// Adds the snipers that attack the king to the checkers. Returns the lines of the snipers that are blocked by
    /// exactly one piece of `U`.
    #[inline(always)]
    fn add_snipers<U: Side>(&mut self, board: &Board, king: Square, snipers: Bitboard) -> Bitboard {
        let mut pins = Bitboard::EMPTY;
        for sniper in snipers {
            let line = between(king, sniper);
            let blockers = line & board.occupied();
            if blockers.is_empty() {
                self.checkers |= Bitboard::of(sniper);
            } else if !blockers.more_than_one() && (blockers & board.color(U::COLOR)).any() {
                pins |= line | Bitboard::of(sniper);
            }
        }
        pins
    }
}

/// Passes all legal moves of the stage to the sink.
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
        // A separate branch, so that the common case is compiled without the evasion mask.
        None => other_moves::<U, G>(board, ep, &limits, Bitboard::ALL, sliders, sink),
        Some(_) if limits.checkers.more_than_one() => {}
        Some(checker) => {
            let evasions = between(king, checker) | Bitboard::of(checker);
            other_moves::<U, G>(board, ep, &limits, evasions, sliders, sink);
        }
    }
}

/// Returns whether an unpinned pawn can advance while the king is not in check. A fast sufficient condition for the
/// existence of a legal move; if it does not hold, there may still be one.
#[inline(always)]
pub(in crate::chess) fn has_unpinned_pawn_push<U: Side>(board: &Board) -> bool {
    let limits = Constraints::of::<U>(board, board.king(U::COLOR));
    let free = board.pieces(U::COLOR, PieceKind::Pawn).without(limits.pin_orthogonal | limits.pin_diagonal);
    limits.checkers.is_empty() && free.forward(U::COLOR).without(board.occupied()).any()
}

/// Returns the possible target squares of the moves of a stage, except for pawns.
#[inline(always)]
fn stage_targets<U: Side, G: Stage>(board: &Board) -> Bitboard {
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
    let leaper_attacks = board.leaper_attacks::<U::Enemy>();
    let targets = (king_attacks(king) & stage_targets::<U, G>(board)).without(leaper_attacks);
    let open = |side| castling.path(U::COLOR, side).filter(|path| (path.must_be_empty & occupied).is_empty());
    let paths = if G::QUIET && limits.checkers.is_empty() && castling.any(U::COLOR) {
        CastlingSide::ALL.map(open)
    } else {
        [None; 2]
    };
    // Slider attacks are the most expensive part of move generation and are often not needed.
    let queried = paths.iter().flatten().fold(targets, |queried, path| queried | path.must_be_safe);
    if queried.is_empty() {
        return;
    }
    // The king does not block attacks on the squares behind it.
    let slider_attacks =
        attacked_by_sliders::<U::Enemy>(board, queried, occupied ^ Bitboard::of(king), sliders);
    sink.piece(PieceKind::King, king, targets.without(slider_attacks));
    for side in CastlingSide::ALL {
        let Some(path) = paths[side.index()] else { continue };
        // Castling with a pinned rook would expose the king to the rook or queen behind it on the rank.
        if (path.must_be_safe & (slider_attacks | leaper_attacks)).is_empty()
            && !limits.pin_orthogonal.has(path.rook)
        {
            sink.castling(side, king, path.rook);
        }
    }
}

/// Returns squares attacked by the sliders of `U`. The result is exact for the queried squares and unspecified for
/// others.
#[inline(always)]
fn attacked_by_sliders<U: Side>(
    board: &Board,
    queried: Bitboard,
    occupied: Bitboard,
    sliders: impl Sliders,
) -> Bitboard {
    // For at most two squares, looking outwards from them is cheaper than computing the attacks of every slider.
    if queried.len() > 2 {
        return board.slider_attacks::<U>(occupied, sliders);
    }
    let mut attacked = Bitboard::EMPTY;
    for square in queried {
        let attackers = sliders.bishop(square, occupied) & board.diagonal(U::COLOR)
            | sliders.rook(square, occupied) & board.orthogonal(U::COLOR);
        if attackers.any() {
            attacked |= Bitboard::of(square);
        }
    }
    attacked
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
    let targets = stage_targets::<U, G>(board) & allowed;
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
    // Pinned sliders may move along their pin line; they cannot reach the line of another pin.
    for from in (bishops | queens) & limits.pin_diagonal {
        let kind = if bishops.has(from) { PieceKind::Bishop } else { PieceKind::Queen };
        sink.piece(kind, from, sliders.bishop(from, occupied) & targets & limits.pin_diagonal);
    }
    for from in (rooks | queens) & limits.pin_orthogonal {
        let kind = if rooks.has(from) { PieceKind::Rook } else { PieceKind::Queen };
        sink.piece(kind, from, sliders.rook(from, occupied) & targets & limits.pin_orthogonal);
    }
}

/// Returns the rank on which the pawns of a side promote.
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
    // A pinned pawn may still advance along its pin line; it can never step onto the line of another pin.
    let pushers = pawns.without(pins.pin_diagonal);
    let single = (pushers.without(pins.pin_orthogonal).forward(U::COLOR)
        | (pushers & pins.pin_orthogonal).forward(U::COLOR) & pins.pin_orthogonal)
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
        let capturers = pawns.without(pins.pin_orthogonal);
        let unpinned = capturers.without(pins.pin_diagonal).forward(U::COLOR);
        let pinned = (capturers & pins.pin_diagonal).forward(U::COLOR);
        let victims = board.color(U::Enemy::COLOR) & allowed;
        sink.pawns(PawnStep::TakeWest, (unpinned.west() | pinned.west() & pins.pin_diagonal) & victims);
        sink.pawns(PawnStep::TakeEast, (unpinned.east() | pinned.east() & pins.pin_diagonal) & victims);
    }
}

/// Generates en-passant captures. They are rare and remove two pieces from one rank at once, so each is tested on the
/// resulting board instead of against the pins.
#[inline(always)]
fn en_passant<U: Side>(board: &Board, target: Square, sliders: impl Sliders, sink: &mut impl MoveSink) {
    let behind = Bitboard::of(target).forward(U::Enemy::COLOR);
    for from in (behind.west() | behind.east()) & board.pieces(U::COLOR, PieceKind::Pawn) {
        if board.en_passant_is_safe::<U>(from, target, sliders) {
            sink.en_passant(from, target);
        }
    }
}
