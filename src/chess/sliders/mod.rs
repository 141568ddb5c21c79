//! Attacks of bishops, rooks and queens: one trait, three techniques.
//!
//! [`AboveBelow`] cuts rays with arithmetic; [`Magic`] and [`Pext`] use lookup tables. All three are tested against
//! plain rays for every square and every set of blockers. A technique is a zero-sized type, so code that takes
//! `impl Sliders` is compiled once per technique without dynamic dispatch.

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
pub use technique::{ParseSliderTechniqueError, SliderTechnique};

#[cfg(test)]
mod tests;
