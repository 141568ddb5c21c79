//! Where games start: openings, and the books they come from.

mod book;
mod entry;
mod error;
mod formats;
mod order;
mod text;

pub use book::{Book, BookOptions, Fingerprint};
pub use entry::{Opening, Variant};
pub use error::{BadEntry, BookError};
pub use formats::BookFormat;
pub use order::Order;
