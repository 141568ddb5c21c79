//! Files of a run folder that are derived from its journal.

mod completion;
mod derived_files;
mod pairs_csv;
mod pgn;
mod styled_pgn;
mod summary;
mod tune_files;
mod tuning_summary;
mod workers_table;

pub use completion::{AnomalyCount, AnomalyKind, Completion, CompletionReason, CompletionStatus};
pub use derived_files::DerivedFiles;
pub(in crate::report) use derived_files::write_summary;
pub use pgn::{Unplayable, pgn_text};
pub(in crate::report) use summary::NOTED_SHARE;
pub use summary::{Summary, TableRow, table};
pub use tune_files::{TuneFiles, weights_toml};
pub use tuning_summary::{AcceptanceState, TuningSummary};
pub use workers_table::WorkerRow;
