//! Perft tree walk without keys, clocks or mailbox; the last moves are counted without being constructed.

use std::marker::PhantomData;

use crate::chess::board::Board;
use crate::chess::move_sinks::MoveCounter;
use crate::chess::movegen::{AllMoves, MoveSink, PawnStep, generate, promotion_rank};
use crate::chess::side::{Black, Side, White};
use crate::chess::sliders::{SliderJob, Sliders};
use crate::chess::{
    Bitboard, CastlingRights, CastlingSide, Color, PieceKind, Position, SliderTechnique, Square,
};

/// Returns the number of sequences of `depth` legal moves from `position`; 1 at depth 0.
pub fn perft(position: &Position, depth: u32, technique: SliderTechnique) -> u64 {
    technique.run(Job { position, depth })
}

struct Job<'a> {
    position: &'a Position,
    depth: u32,
}

impl SliderJob for Job<'_> {
    type Output = u64;

    fn run<S: Sliders>(self, sliders: S) -> u64 {
        let node =
            Node { board: self.position.board, castling: self.position.castling, ep: self.position.ep };
        match (self.depth, self.position.turn()) {
            (0, _) => 1,
            (depth, Color::White) => leaves::<White, S>(&node, depth, sliders),
            (depth, Color::Black) => leaves::<Black, S>(&node, depth, sliders),
        }
    }
}

/// The part of a position that determines its legal moves.
#[derive(Clone, Copy)]
struct Node {
    board: Board,
    castling: CastlingRights,
    ep: Option<Square>,
}

/// Counts the leaves below a node at `depth`, which is at least 1.
fn leaves<U: Side, S: Sliders>(node: &Node, depth: u32, sliders: S) -> u64 {
    if depth == 1 {
        return count::<U, S>(node, sliders);
    }
    let mut walk = Walk::<U, S> { node, depth: depth - 1, sliders, leaves: 0, side: PhantomData };
    generate::<U, AllMoves>(&node.board, node.castling, node.ep, sliders, &mut walk);
    walk.leaves
}

/// Counts the legal moves of a node without making them.
#[inline(never)]
fn count<U: Side, S: Sliders>(node: &Node, sliders: S) -> u64 {
    let mut counter = MoveCounter::<U>::new();
    generate::<U, AllMoves>(&node.board, node.castling, node.ep, sliders, &mut counter);
    counter.count
}

/// Plays each generated move and sums the leaves below it.
struct Walk<'a, U, S> {
    node: &'a Node,
    /// The remaining depth after the played move.
    depth: u32,
    sliders: S,
    leaves: u64,
    side: PhantomData<U>,
}

impl<U: Side, S: Sliders> Walk<'_, U, S> {
    #[inline(always)]
    fn descend(&mut self, board: Board, from: Square, to: Square, ep: Option<Square>) {
        let child = Node { board, castling: self.node.castling.after(from, to), ep };
        self.leaves += match self.depth {
            1 => count::<U::Enemy, S>(&child, self.sliders),
            depth => leaves::<U::Enemy, S>(&child, depth, self.sliders),
        };
    }
}

impl<U: Side, S: Sliders> MoveSink for Walk<'_, U, S> {
    #[inline(always)]
    fn piece(&mut self, kind: PieceKind, from: Square, targets: Bitboard) {
        for to in targets {
            self.descend(self.node.board.moved::<U>(kind, from, to), from, to, None);
        }
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, targets: Bitboard) {
        for to in targets {
            let from = step.origin(U::COLOR, to);
            if promotion_rank(U::COLOR).has(to) {
                for kind in PieceKind::PROMOTIONS {
                    self.descend(self.node.board.moved::<U>(kind, from, to), from, to, None);
                }
            } else {
                let ep = match step {
                    PawnStep::DoublePush => Some(PawnStep::Push.origin(U::COLOR, to)),
                    _ => None,
                };
                self.descend(self.node.board.moved::<U>(PieceKind::Pawn, from, to), from, to, ep);
            }
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Square, target: Square) {
        let mut board = self.node.board.moved::<U>(PieceKind::Pawn, from, target);
        board.clear(Bitboard::of(target).forward(U::Enemy::COLOR));
        self.descend(board, from, target, None);
    }

    #[inline(always)]
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square) {
        let mut board = self.node.board;
        board.clear(Bitboard::of(king) | Bitboard::of(rook));
        board.place::<U>(PieceKind::King, side.king_target(U::COLOR));
        board.place::<U>(PieceKind::Rook, side.rook_target(U::COLOR));
        self.descend(board, king, rook, None);
    }
}
