//! Openings, and the books that contain them.

mod after_book;
mod book;
mod chess960;
mod description;
pub mod eco;
mod entry;
mod error;
mod extension;
mod formats;
mod mersenne;
mod order;
mod polyglot;
mod polyglot_key;
mod recipe;
mod share;
mod text;

pub use after_book::AfterBook;
pub use book::{Book, BookOptions, Fingerprint};
pub use chess960::chess960_start;
pub use description::Description;
pub use entry::{Opening, Variant};
pub use error::{BadEntry, BookError};
pub use extension::Extension;
pub use formats::BookFormat;
pub use order::Order;
pub use polyglot::{PolyglotBook, PolyglotDamage, PolyglotError};
pub use polyglot_key::polyglot_key;
pub use recipe::{BookBuilder, Recipe, ScoreWindow};
pub use share::Share;
pub use text::write_book;
