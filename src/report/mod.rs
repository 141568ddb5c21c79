//! What a run leaves behind and shows.

pub mod chart;
pub mod comparison;
mod events;
pub mod page;
mod page_observer;
mod pairs_csv;
mod pgn;
mod projection;
mod run_folder;
mod score_block;
mod summary;
mod terminal;
mod tune_files;
mod wording;

pub use events::JsonEvents;
pub use page_observer::{PageObserver, write_page};
pub use pairs_csv::{HEADER, row};
pub use pgn::{Unplayable, pgn_text};
pub use projection::Projections;
pub use run_folder::{RunFolder, write_whole};
pub use score_block::{decision_line, fault_lines, score_block};
pub use summary::{Summary, TableRow, table};
pub use terminal::{LiveLine, PlainLines, closing, finished_line};
pub use tune_files::{TuneFiles, weights_toml};
pub use wording::reason_text;
