//! The ACE console game between two sides, each a person or program on standard input, or the built-in engine.

mod book;
mod book_lines;
mod game;
mod input;
mod move_errors;
mod side_panel;

pub use crate::chess::BoardStyle;
pub use book::AceBook;
pub use game::{ConsoleUser, GameSettings, play};
