//! The ACE console game: two sides, each a person or peer on standard input, or our engine.

mod book;
mod book_lines;
mod explain;
mod game;
mod panel;
mod reading;

pub use crate::frontend::picture::Paint;
pub use book::Book;
pub use game::{Audience, GameSettings, play};
