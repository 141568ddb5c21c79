//! The counting itself: a lean walk that carries no keys, clocks or mailbox, and never names its last moves.

use std::marker::PhantomData;

use crate::chess::board::Board;
use crate::chess::move_sinks::Counting;
use crate::chess::movegen::{AllMoves, MoveSink, PawnStep, generate, promotion_rank};
use crate::chess::side::{Black, Side, White};
use crate::chess::sliders::{SliderJob, Sliders};
use crate::chess::{
    Bitboard, CastlingRights, CastlingSide, Color, PieceKind, Position, SliderTechnique, Square,
};

/// The number of ways to play `depth` moves from here; 1 at depth 0.
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

/// What the rules of movement need to know, and nothing else.
#[derive(Clone, Copy)]
struct Node {
    board: Board,
    castling: CastlingRights,
    ep: Option<Square>,
}

/// The leaves below a node, `depth` of at least 1 moves away.
fn leaves<U: Side, S: Sliders>(node: &Node, depth: u32, sliders: S) -> u64 {
    if depth == 1 {
        return count::<U, S>(node, sliders);
    }
    let mut walk = Walk::<U, S> { node, depth: depth - 1, sliders, leaves: 0, side: PhantomData };
    generate::<U, AllMoves>(&node.board, node.castling, node.ep, sliders, &mut walk);
    walk.leaves
}

/// The legal moves of a node, counted but not made.
#[inline(never)]
fn count<U: Side, S: Sliders>(node: &Node, sliders: S) -> u64 {
    let mut counting = Counting::<U>::new();
    generate::<U, AllMoves>(&node.board, node.castling, node.ep, sliders, &mut counting);
    counting.count
}

/// Plays each move it is given and adds up the leaves behind it.
struct Walk<'a, U, S> {
    node: &'a Node,
    /// Moves left after the one that is played.
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
        board.lift(Bitboard::of(target).forward(U::Enemy::COLOR));
        self.descend(board, from, target, None);
    }

    #[inline(always)]
    fn castling(&mut self, side: CastlingSide, king: Square, rook: Square) {
        let mut board = self.node.board;
        board.lift(Bitboard::of(king) | Bitboard::of(rook));
        board.drop::<U>(PieceKind::King, side.king_target(U::COLOR));
        board.drop::<U>(PieceKind::Rook, side.rook_target(U::COLOR));
        self.descend(board, king, rook, None);
    }
}
