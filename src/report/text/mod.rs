//! A run as text: plain lines, JSON events, result blocks and the live terminal panel.

mod ansi_screen;
mod json_events;
mod live_panel;
mod panel;
mod plain_lines;
mod score_block;
mod sparkline;
mod termination_text;
mod tuning_block;

pub use ansi_screen::{AnsiScreen, Ink};
pub use json_events::JsonEvents;
pub use live_panel::LivePanel;
pub use panel::{BoardLine, PanelStatus, panel};
pub use plain_lines::{PlainLines, closing_text, finished_line, interim_text};
pub use score_block::{decision_line, fault_lines, score_block};
pub use sparkline::{Trend, sparkline};
pub use termination_text::{reason_in_style, reason_text};
pub(super) use tuning_block::effect_word;
