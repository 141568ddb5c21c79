//! The words on the wire, text to enums and back, both directions.
//!
//! Moves stay text here: what they mean depends on a position, and no line needs one to be read.

pub mod ace;
pub mod uci;
mod words;

pub use words::Words;
