//! The ACE console game: two sides, each a person or peer on standard input, or our engine.

mod book;
mod book_lines;
mod game;
mod input;
mod move_errors;
mod side_panel;

pub use crate::frontend::board_text::Paint;
pub use book::AceBook;
pub use game::{Audience, GameSettings, play};
