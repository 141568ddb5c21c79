//! What a run leaves behind and shows.

pub mod chart;
pub mod comparison;
mod events;
pub mod page;
mod pairs_csv;
mod pgn;
mod run_folder;
mod summary;

pub use events::JsonEvents;
pub use pairs_csv::{HEADER, row};
pub use pgn::{Unplayable, pgn_text};
pub use run_folder::{RunFolder, write_whole};
pub use summary::{Summary, TableRow, table};
