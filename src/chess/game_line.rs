//! Game history: the starting position, the moves, and every position reached.

use crate::chess::{DrawReason, Move, Outcome, Position};

/// The moves of a game with all its positions, so that repetitions can be detected.
#[derive(Clone, Debug)]
pub struct GameLine {
    start: Position,
    moves: Vec<Move>,
    /// The position after each move.
    after: Vec<Position>,
}

impl GameLine {
    /// Creates a game that starts from `start`.
    pub const fn new(start: Position) -> Self {
        Self { start, moves: Vec::new(), after: Vec::new() }
    }

    /// Plays a legal move.
    pub fn push(&mut self, mv: Move) {
        let next = self.current().play(mv);
        self.moves.push(mv);
        self.after.push(next);
    }

    /// Takes back the last move and returns it.
    pub fn pop(&mut self) -> Option<Move> {
        self.after.pop();
        self.moves.pop()
    }

    /// Returns the starting position.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the current position.
    pub fn current(&self) -> &Position {
        self.after.last().unwrap_or(&self.start)
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns an iterator over all positions, from the start to the current one.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = &Position> {
        std::iter::once(&self.start).chain(&self.after)
    }

    /// Returns an iterator over the keys of all positions, from the start to the current one.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.positions().map(Position::key)
    }

    /// Returns how often the current position has occurred, the current occurrence included.
    pub fn repetitions(&self) -> u32 {
        let now = self.current();
        // Captures and pawn moves are irreversible, so no position before the last of them can be the same.
        let reach = usize::from(now.halfmove_clock()) + 1;
        let same = self.keys().rev().take(reach).step_by(2).filter(|&key| key == now.key());
        same.count() as u32
    }

    /// Returns how the game has ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        let repeated = || (self.repetitions() >= 3).then_some(Outcome::Draw(DrawReason::ThreefoldRepetition));
        self.current().outcome().or_else(repeated)
    }
}
