//! The running sums of one evaluation.

use crate::chess::Color;
use crate::engine::eval::Weights;
use crate::engine::eval::tapered::{Tapered, Term};
use crate::engine::eval::trace::Trace;

/// The sums of both sides: values, and the danger of each king.
pub(super) struct Accumulator<'a, T> {
    pub(super) weights: &'a Weights,
    pub(super) trace: &'a mut T,
    score: [Tapered; 2],
    danger: [i32; 2],
}

impl<'a, T: Trace> Accumulator<'a, T> {
    pub(super) fn new(weights: &'a Weights, trace: &'a mut T) -> Self {
        Self { weights, trace, score: [Tapered::ZERO; 2], danger: [0; 2] }
    }

    /// Adds a weight `count` times for `us`; `term` must be a field of `self.weights`, or an entry of one.
    #[inline(always)]
    pub(super) fn add<W: Term>(&mut self, us: Color, term: &'a W, count: i32) {
        self.score[us.index()] += term.value() * count;
        self.trace.term(us, slot_of(self.weights, term), count);
    }

    /// Adds a danger weight `count` times to the danger of the king of `us`.
    #[inline(always)]
    pub(super) fn add_danger(&mut self, us: Color, units: &'a i32, count: i32) {
        self.danger[us.index()] += units * count;
        self.trace.danger(us, slot_of(self.weights, units), count);
    }

    /// Returns the danger of the king of `us` so far.
    pub(super) fn danger(&self, us: Color) -> i32 {
        self.danger[us.index()]
    }

    /// Returns White's sum minus Black's.
    pub(super) fn balance(&self) -> Tapered {
        self.score[0] - self.score[1]
    }
}

/// Returns the index of the 32-bit word of the weights that holds `term`.
///
/// Every field of the weights consists of such words, in declaration order, so the index follows from the address, and no
/// second list of indices has to be maintained.
#[inline(always)]
fn slot_of<W>(weights: &Weights, term: &W) -> usize {
    (std::ptr::from_ref(term).addr() - std::ptr::from_ref(weights).addr()) / size_of::<i32>()
}

/// Converts king danger to a penalty: quadratic in the middlegame, linear in the endgame.
#[inline(always)]
pub(super) fn danger_cost(danger: i32) -> Tapered {
    let danger = danger.clamp(0, MAX_DANGER);
    Tapered::new(danger * danger / DANGER_SQUARE, danger / DANGER_LINE)
}

/// Returns the penalty for king danger as a continuous function, and its derivative; each for middlegame and endgame.
pub fn danger_curve(danger: f64) -> ([f64; 2], [f64; 2]) {
    let max = f64::from(MAX_DANGER);
    let (square, line) = (f64::from(DANGER_SQUARE), f64::from(DANGER_LINE));
    let inside = danger > 0.0 && danger < max;
    let danger = danger.clamp(0.0, max);
    let slope = if inside { [2.0 * danger / square, 1.0 / line] } else { [0.0, 0.0] };
    ([danger * danger / square, danger / line], slope)
}

/// Danger is limited to this: the king is lost anyway, and the penalty must fit 16 bits.
const MAX_DANGER: i32 = 1000;
/// Squared danger per centipawn in the middlegame.
const DANGER_SQUARE: i32 = 512;
/// Danger per centipawn in the endgame.
const DANGER_LINE: i32 = 8;
