//! Our engine behind a protocol: the UCI loop and the ACE console game.

pub mod ace;
mod lines;
pub mod options;
mod picture;
pub mod uci;
