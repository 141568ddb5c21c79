//! What a run leaves behind and shows.

pub mod chart;
pub mod comparison;
mod events;
mod follower;
mod live_panel;
pub mod page;
mod page_observer;
mod pairs_csv;
mod panel;
mod pgn;
mod projection;
mod score_block;
mod screen;
mod summary;
mod terminal;
mod trend;
mod tune_files;
mod tuning_block;
mod wording;

pub use events::JsonEvents;
pub use follower::{Advance, News, RunFollower};
pub use live_panel::LivePanel;
pub use page_observer::{PageObserver, page_of, setting_of, write_page, write_page_of, write_page_with};
pub use pairs_csv::{HEADER, header, row};
pub use panel::{GameLine, PanelNews, panel};
pub use pgn::{Unplayable, pgn_text};
pub use projection::{Projections, bundle_name};
pub use score_block::{decision_line, fault_lines, score_block};
pub use screen::{Ink, Screen};
pub use summary::{Summary, TableRow, table};
pub use terminal::{PlainLines, closing, finished_line, standing};
pub use trend::{Trend, sparkline};
pub use tune_files::{TuneFiles, weights_toml};
pub use wording::reason_text;
