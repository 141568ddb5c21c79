//! The page of a run: one self-contained file that opens without a server.

mod charts;
mod csp;
mod game_index;
mod head;
mod html;
mod live_line;
mod match_data;
mod match_sections;
mod openings;
mod page_builder;
mod page_observer;
mod pgn_lookup;
mod run_page;
mod tournament_sections;
mod tuning_boards;
mod tuning_data;
mod tuning_sections;
mod viewer_games;

pub use charts::ChartDetail;
pub(in crate::report) use csp::policy;
pub use game_index::{GameIndex, GameQuery};
pub use html::{
    PAGE_SCRIPT, PAGE_STYLE, PIECES, PageContext, Section, head_section, plan_section, whole_page,
};
pub use live_line::LiveLine;
pub use match_data::{EngineUse, FaultRow, MatchData};
pub use match_sections::{fault_section, game_section, result_section, test_section, time_section};
pub use openings::OpeningResults;
pub use page_builder::{PageBuilder, PageSetting};
pub use page_observer::{PageObserver, write_page};
pub use pgn_lookup::{parse_round, pgn_game, shelved_game};
pub use run_page::RunPage;
pub use tuning_data::{PathPoint, TuningData};
pub use viewer_games::GameShelf;
