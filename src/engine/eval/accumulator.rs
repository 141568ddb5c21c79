//! The running sums of one evaluation.

use crate::chess::Color;
use crate::engine::eval::Weights;
use crate::engine::eval::tapered::{Tapered, Term};
use crate::engine::eval::trace::Trace;

/// Sums for both sides: values, and the danger of each king.
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

    /// Adds `count` times a weight for `us`; `term` is a field, or an entry of a table, of `self.weights`.
    #[inline(always)]
    pub(super) fn add<W: Term>(&mut self, us: Color, term: &'a W, count: i32) {
        self.score[us.index()] += term.value() * count;
        self.trace.term(us, slot_of(self.weights, term), count);
    }

    /// Adds `count` times a danger weight towards the danger of the king of `us`.
    #[inline(always)]
    pub(super) fn add_danger(&mut self, us: Color, units: &'a i32, count: i32) {
        self.danger[us.index()] += units * count;
        self.trace.danger(us, slot_of(self.weights, units), count);
    }

    /// The danger of the king of `us` so far.
    pub(super) fn danger(&self, us: Color) -> i32 {
        self.danger[us.index()]
    }

    /// White's sum less Black's.
    pub(super) fn balance(&self) -> Tapered {
        self.score[0] - self.score[1]
    }
}

/// Which 32-bit cell of the weights `term` is.
///
/// Every field of the weights is made of such cells, in declared order, so the distance of two addresses tells: no
/// second list of indices has to be kept in step with the table.
#[inline(always)]
fn slot_of<W>(weights: &Weights, term: &W) -> usize {
    (std::ptr::from_ref(term).addr() - std::ptr::from_ref(weights).addr()) / size_of::<i32>()
}

/// What danger costs a king: grows with the square in the middlegame, slowly in the endgame.
#[inline(always)]
pub(super) fn danger_cost(danger: i32) -> Tapered {
    let danger = danger.clamp(0, MOST_DANGER);
    Tapered::new(danger * danger / DANGER_SQUARE, danger / DANGER_LINE)
}

/// The same on a continuous scale, with its slope: (middlegame, endgame), (middlegame', endgame').
pub fn danger_curve(danger: f64) -> ([f64; 2], [f64; 2]) {
    let most = f64::from(MOST_DANGER);
    let (square, line) = (f64::from(DANGER_SQUARE), f64::from(DANGER_LINE));
    let inside = danger > 0.0 && danger < most;
    let danger = danger.clamp(0.0, most);
    let slope = if inside { [2.0 * danger / square, 1.0 / line] } else { [0.0, 0.0] };
    ([danger * danger / square, danger / line], slope)
}

/// Past this the king is lost anyway; keeps the square inside 16 bits.
const MOST_DANGER: i32 = 1000;
/// Units² for one centipawn of the middlegame.
const DANGER_SQUARE: i32 = 512;
/// Units for one centipawn of the endgame.
const DANGER_LINE: i32 = 8;
