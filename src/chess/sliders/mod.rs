//! Where bishops, rooks and queens reach: one contract, three techniques.
//!
//! [`AboveBelow`] cuts rays with arithmetic, [`Magic`] and [`Pext`] look answers up in tables; all three are checked
//! against plain rays over every square and every set of blockers. A technique is a value without size, so code
//! that takes `impl Sliders` is compiled once for each and pays nothing for the choice.

mod above_below;
mod magic;
mod magic_numbers;
mod magic_search;
mod pext;
mod rays;
mod technique;

pub(in crate::chess) use above_below::AboveBelow;
pub(in crate::chess) use magic::Magic;
pub use magic_search::{MagicCollision, check_magic_numbers, magic_numbers_source};
pub(in crate::chess) use pext::{Hardware, Pext};
pub(in crate::chess) use technique::{DEFAULT, SliderJob, Sliders};
pub use technique::{NotASliderTechnique, SliderTechnique};

#[cfg(test)]
mod tests;
