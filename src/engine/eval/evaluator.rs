//! The evaluator: static evaluation with caches.

use crate::chess::{Color, Position};
use crate::engine::eval::Weights;
use crate::engine::eval::endings::known_score;
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::material::{Material, MaterialCache};
use crate::engine::eval::pawn_cache::PawnCache;
use crate::engine::eval::pawns::PawnStructure;
use crate::engine::eval::shelter::king_pawns;
use crate::engine::eval::taper::scale_by_halfmove_clock;
use crate::engine::eval::trace::{NoTrace, Trace};

/// Size of the score cache; a power of two.
const SCORE_SLOTS: usize = 1 << 14;

/// Evaluates positions, with caches of pawn structures and scores.
///
/// The caches do not change the result.
#[derive(Clone)]
pub struct Evaluator {
    weights: Weights,
    pawns: PawnCache,
    material: MaterialCache,
    scores: Vec<(u64, i32)>,
}

impl Evaluator {
    /// Creates an evaluator with empty caches.
    pub fn new(weights: Weights) -> Self {
        // The initial key of a slot differs from every key that maps to it, so an empty slot never matches.
        let scores = (0..SCORE_SLOTS).map(|slot| (!(slot as u64), 0)).collect();
        Self { weights, pawns: PawnCache::new(), material: MaterialCache::new(), scores }
    }

    /// Returns the weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the score of `position` in centipawns, from the side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        // The score of a known ending does not depend on the halfmove clock: a score that falls with every move would
        // hide the small steps by which such an ending is won.
        let white = known_score(position, &self.weights).unwrap_or_else(|| {
            scale_by_halfmove_clock(
                self.cached_score(position),
                position.halfmove_clock(),
                self.weights.fifty_moves_stretch,
            )
        });
        if position.turn() == Color::White { white } else { -white }
    }

    /// Returns White's score of a position that is not a known ending, without the halfmove clock.
    fn cached_score(&mut self, position: &Position) -> i32 {
        let slot = position.key() as usize % SCORE_SLOTS;
        let (key, cached) = self.scores[slot];
        if key == position.key() {
            return cached;
        }
        let score = self.score(position);
        self.scores[slot] = (position.key(), score);
        score
    }

    fn score(&mut self, position: &Position) -> i32 {
        let structure = self.pawns.structure(position, &self.weights);
        let material = self.material.material(position.counts(), &self.weights);
        Evaluation::score(position, &self.weights, structure, material, &mut NoTrace)
    }
}

/// Returns White's score of `position` without the halfmove clock, and reports every term to `trace`; the score of a known
/// ending has no terms. Uses no cache.
pub fn evaluate_with_trace<T: Trace>(position: &Position, weights: &Weights, trace: &mut T) -> i32 {
    known_score(position, weights).unwrap_or_else(|| {
        let mut structure = PawnStructure::of(position, weights, trace);
        for us in Color::ALL {
            structure.balance += king_pawns(position, weights, us, trace);
        }
        let material = Material::of(position.counts(), weights, trace);
        Evaluation::score(position, weights, structure, material, trace)
    })
}
