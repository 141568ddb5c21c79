//! Observation of the terms of an evaluation.

use crate::chess::Color;
use crate::engine::eval::taper::Taper;

/// Receives every term of one evaluation, as the slot of its weight and its count.
///
/// A slot is a 32-bit word of [`Weights`](crate::engine::eval::Weights) in declaration order. In play the trace is
/// [`NoTrace`], whose calls compile to nothing; the `score` program and Texel tuning trace the same code.
pub trait Trace {
    /// Called when the weight in `slot` is added `count` times for `us`.
    fn term(&mut self, us: Color, slot: usize, count: i32);
    /// Called when the weight in `slot` is added `count` times to the danger of the king of `us`.
    fn danger(&mut self, us: Color, slot: usize, count: i32);
    /// Called at the end, with the factors that combine middlegame and endgame value.
    fn taper(&mut self, taper: Taper);
}

/// Discards all terms.
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn term(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn danger(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn taper(&mut self, _: Taper) {}
}
