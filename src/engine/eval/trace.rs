//! Who listens while the evaluation adds its terms.

use crate::chess::Color;
use crate::engine::eval::taper::Shares;

/// A listener to one evaluation: every term it adds, as the slot of its weight and how often it counts.
///
/// A slot is a 32-bit cell of [`Weights`](crate::engine::eval::Weights) in declared order. In play nobody listens
/// and the calls vanish; `score` and Texel tuning listen to the very same code.
pub trait Trace {
    /// `count` times the weight in `slot`, for `us`.
    fn term(&mut self, us: Color, slot: usize, count: i32);
    /// `count` times the danger weight in `slot`, towards the danger of the king of `us`.
    fn danger(&mut self, us: Color, slot: usize, count: i32);
    /// How middlegame and endgame were joined at last.
    fn joined(&mut self, shares: Shares);
}

/// Nobody listens.
pub struct Silent;

impl Trace for Silent {
    #[inline(always)]
    fn term(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn danger(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn joined(&mut self, _: Shares) {}
}
