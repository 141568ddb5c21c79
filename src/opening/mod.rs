//! Where games start: openings, and the books they come from.

mod entry;

pub use entry::{Opening, Variant};
