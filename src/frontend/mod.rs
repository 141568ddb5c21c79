//! User interfaces of the built-in engine: the UCI loop and the ACE console game.

pub mod ace;
mod bounded_lines;
pub mod options;
pub mod uci;
