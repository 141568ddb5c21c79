//! Files, text, pages and charts that a run produces.

pub mod chart;
pub mod comparison;
mod conditions;
mod files;
mod filters;
pub(crate) mod markup;
mod number_text;
pub mod page;
mod rating_table;
mod run_ratings;
mod text;
mod verdict;

pub use conditions::{
    Condition, EngineConditions, brief_conditions, conditions, engine_conditions, hypotheses_text,
    limits_text, setting_text,
};
pub use files::{
    AcceptanceState, AnomalyCount, AnomalyKind, Completion, CompletionReason, CompletionStatus, DerivedFiles,
    Summary, TableRow, TuneFiles, TuningSummary, Unplayable, WorkerRow, pgn_text, table, weights_toml,
};
pub use number_text::{counted, grouped};
pub use page::{PageObserver, RunPage, write_page};
pub use rating_table::{RatedGroup, RatedPlayer, RatingExtras, RatingTable};
pub use text::{
    AnsiScreen, BoardLine, BoardView, Ink, JsonEvents, LivePanel, PanelSize, PanelStatus, PlainLines,
    ProgressBar, QueuedLines, ScreenThread, SlowReader, Trend, closing_text, decision_line, fault_lines,
    finished_line, harmless, interim_text, is_dumb_terminal, lost_lines_event, lost_lines_text,
    numbered_move, panel, reason_in_style, reason_text, score_block, sparkline, summary_markdown,
};
pub use verdict::Verdict;
