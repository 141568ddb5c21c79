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

pub use files::{
    DerivedFiles, HEADER, Summary, TableRow, TuneFiles, Unplayable, header, pgn_text, row, table,
    weights_toml,
};
pub use number_text::grouped;
pub use page::{PageObserver, RunPage, write_page};
pub use text::{
    AnsiScreen, BoardLine, Ink, JsonEvents, LivePanel, PanelNews, PlainLines, Trend, closing, decision_line,
    fault_lines, finished_line, panel, reason_text, score_block, sparkline, standing,
};
pub use verdict::Verdict;
