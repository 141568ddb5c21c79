//! The run as a page: one self-contained file that opens offline.

mod charts;
mod collector;
mod game_finder;
mod games;
mod html;
mod match_sections;
mod openings;
mod picture;
mod policy;
mod sentence;
mod tuning_boards;
mod tuning_picture;
mod tuning_sections;

pub use charts::Detail;
pub use collector::{PageCollector, PageSetting, duration, summary_sentence};
pub use game_finder::{parse_round, shelved_game};
pub use games::GameShelf;
pub use html::{PAGE_STYLE, PageContext, Section, VIEWER, VIEWER_SCRIPT, head_section, whole_page};
pub use match_sections::{
    fault_section, game_section, result_section, table_section, test_section, time_section,
};
pub use openings::OpeningResults;
pub use picture::{EngineUse, FaultRow, MatchPicture};
pub use sentence::{VerdictWord, verdict_sentence};
pub use tuning_picture::{TuningPicture, WeightsThen};
pub use tuning_sections::Acceptance;
