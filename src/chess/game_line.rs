//! A game so far: a start, the moves, and every position on the way.

use crate::chess::{DrawReason, Move, Outcome, Position};

/// The moves of a game with all its positions, so that repetitions can be seen.
#[derive(Clone, Debug)]
pub struct GameLine {
    start: Position,
    moves: Vec<Move>,
    /// The positions after each move.
    after: Vec<Position>,
}

impl GameLine {
    /// A game that starts here.
    pub const fn new(start: Position) -> Self {
        Self { start, moves: Vec::new(), after: Vec::new() }
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: Move) {
        let next = self.current().play(mv);
        self.moves.push(mv);
        self.after.push(next);
    }

    /// Takes the last move back.
    pub fn pop(&mut self) -> Option<Move> {
        self.after.pop();
        self.moves.pop()
    }

    /// Where the game started.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Where the game stands.
    pub fn current(&self) -> &Position {
        self.after.last().unwrap_or(&self.start)
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Every position, the start first.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = &Position> {
        std::iter::once(&self.start).chain(&self.after)
    }

    /// The keys of every position, the start first.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.positions().map(Position::key)
    }

    /// How many times the current position has been on the board, now included.
    pub fn repetitions(&self) -> u32 {
        let now = self.current();
        // A capture or pawn move cannot be undone, so nothing before the last one can be the same position.
        let reach = usize::from(now.halfmove_clock()) + 1;
        let same = self.keys().rev().take(reach).step_by(2).filter(|&key| key == now.key());
        same.count() as u32
    }

    /// How the game has ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        let repeated = || (self.repetitions() >= 3).then_some(Outcome::Draw(DrawReason::ThreefoldRepetition));
        self.current().outcome().or_else(repeated)
    }
}
