//! The evaluation with its memories.

use crate::chess::{Color, Position};
use crate::engine::eval::Weights;
use crate::engine::eval::endings::known_score;
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::kpk;
use crate::engine::eval::pawns::PawnStructure;
use crate::engine::eval::taper::fade;
use crate::engine::eval::trace::{Silent, Trace};

/// Pawn structures remembered; a power of two.
const PAWN_SLOTS: usize = 1 << 12;
/// Scores remembered; a power of two.
const SCORE_SLOTS: usize = 1 << 14;

/// Judges positions by its weights, and remembers pawn structures and scores it has judged before.
///
/// What it remembers never changes an answer, only its speed.
#[derive(Clone)]
pub struct Evaluator {
    weights: Weights,
    pawns: Vec<Option<(u64, PawnStructure)>>,
    scores: Vec<(u64, i32)>,
}

impl Evaluator {
    /// An evaluator that remembers nothing yet.
    pub fn new(weights: Weights) -> Self {
        // A score slot's key differs from every key that belongs in it, so an empty slot matches nothing.
        let scores = (0..SCORE_SLOTS).map(|slot| (!(slot as u64), 0)).collect();
        Self { weights, pawns: vec![None; PAWN_SLOTS], scores }
    }

    /// Solves now what would be solved at first use, in the middle of somebody's game.
    pub fn prepare() {
        kpk::prepare();
    }

    /// The weights it judges by.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The score of `position` in centipawns, from the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        // The clock leaves a known ending alone: a score that fell with every move would hide the small steps
        // by which such an ending is won.
        let white = known_score(position, &self.weights).unwrap_or_else(|| {
            fade(self.remember(position), position.halfmove_clock(), self.weights.fifty_moves_stretch)
        });
        if position.turn() == Color::White { white } else { -white }
    }

    /// White's score of a position that is no known ending, before the hundred-move clock.
    fn remember(&mut self, position: &Position) -> i32 {
        let slot = position.key() as usize % SCORE_SLOTS;
        let (key, remembered) = self.scores[slot];
        if key == position.key() {
            return remembered;
        }
        let score = self.judge(position);
        self.scores[slot] = (position.key(), score);
        score
    }

    fn judge(&mut self, position: &Position) -> i32 {
        let slot = &mut self.pawns[position.pawn_key() as usize % PAWN_SLOTS];
        let structure = match slot {
            Some((key, structure)) if *key == position.pawn_key() => *structure,
            _ => {
                let structure = PawnStructure::of(position, &self.weights, &mut Silent);
                *slot = Some((position.pawn_key(), structure));
                structure
            }
        };
        Evaluation::score(position, &self.weights, structure, &mut Silent)
    }
}

/// White's score of `position` before the hundred-move clock, told term by term to `trace`; a known ending tells
/// nothing. Remembers nothing.
pub fn listen<T: Trace>(position: &Position, weights: &Weights, trace: &mut T) -> i32 {
    known_score(position, weights).unwrap_or_else(|| {
        let structure = PawnStructure::of(position, weights, trace);
        Evaluation::score(position, weights, structure, trace)
    })
}
