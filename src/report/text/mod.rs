//! A run as text: plain lines, JSON events, result blocks and the live terminal panel.

mod ansi_screen;
mod board_view;
mod harmless;
mod json_events;
mod live_panel;
mod markdown;
mod panel;
mod panel_tuning;
mod plain_lines;
mod progress_bar;
mod queued_lines;
mod san_lines;
mod score_block;
mod screen_thread;
mod sparkline;
mod stream_thread;
mod termination_text;
mod tuning_block;

pub use ansi_screen::{AnsiScreen, Ink, is_dumb_terminal};
pub use board_view::BoardView;
pub use harmless::harmless;
pub use json_events::{JsonEvents, lost_lines_event};
pub use live_panel::LivePanel;
pub use markdown::summary_markdown;
pub use panel::{BoardLine, PanelSize, PanelStatus, panel};
pub use plain_lines::{PlainLines, closing_text, finished_line, interim_text, lost_lines_text};
pub use progress_bar::ProgressBar;
pub use queued_lines::{QueuedLines, SlowReader};
pub use san_lines::numbered_move;
pub use score_block::{decision_line, fault_lines, score_block};
pub use screen_thread::ScreenThread;
pub use sparkline::{Trend, sparkline};
pub use termination_text::{reason_in_style, reason_text};
pub(super) use tuning_block::effect_word;
