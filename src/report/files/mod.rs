//! Files of a run folder that are derived from its journal.

mod derived_files;
mod pairs_csv;
mod pgn;
mod summary;
mod tune_files;

pub use derived_files::DerivedFiles;
pub use pgn::{Unplayable, pgn_text};
pub use summary::{Summary, TableRow, table};
pub use tune_files::{TuneFiles, weights_toml};
