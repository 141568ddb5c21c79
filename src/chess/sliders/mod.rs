//! Where bishops, rooks and queens reach: one contract, several techniques.

mod above_below;
mod rays;
mod technique;

pub(in crate::chess) use above_below::AboveBelow;
pub(in crate::chess) use technique::{DEFAULT, Sliders};

#[cfg(test)]
mod tests;
