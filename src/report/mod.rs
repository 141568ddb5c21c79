//! Files, text, pages and charts that a run produces.

pub mod chart;
pub mod comparison;
mod files;
mod filters;
pub(crate) mod markup;
mod number_text;
pub mod page;
mod text;
mod verdict;

pub use files::{DerivedFiles, Summary, TableRow, TuneFiles, Unplayable, pgn_text, table, weights_toml};
pub use number_text::grouped;
pub use page::{PageObserver, RunPage, write_page};
pub use text::{
    AnsiScreen, BoardLine, Ink, JsonEvents, LivePanel, PanelStatus, PlainLines, Trend, closing_text,
    decision_line, fault_lines, finished_line, interim_text, panel, reason_text, score_block, sparkline,
};
pub use verdict::Verdict;
