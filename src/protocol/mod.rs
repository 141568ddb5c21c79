//! Parsing and formatting of the UCI, xboard and ACE protocols, in both directions.
//!
//! Moves are kept as text, because their meaning depends on a position and parsing a line requires none.

pub mod ace;
pub mod uci;
mod words;
pub mod xboard;

pub use words::Words;
