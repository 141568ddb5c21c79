//! Run files, engine files and landscape files: TOML to domain types.

mod adjudicate_table;
mod engine_limits;
mod engine_lookup;
mod engine_name_error;
mod engine_table;
mod engine_words;
mod fleet_table;
mod landscape_file;
mod limits_table;
mod pgn_table;
mod presets;
mod program_file;
mod resolve;
mod run_file;
mod test_tables;
mod toml_reader;
mod tune_space;

pub use adjudicate_table::table_folders;
pub use engine_limits::EngineBounds;
pub use engine_lookup::{SearchPaths, plan_engine};
pub use engine_name_error::EngineNameError;
pub use engine_table::{EngineDir, EngineEntry, ProtocolName};
pub use landscape_file::LandscapeFile;
pub use limits_table::LimitsTable;
pub use presets::{Preset, default_test};
pub use resolve::{DEFAULT_CLOCK, TuningDraft, Unplannable, limit_to_one_round, resolve};
pub use run_file::{GamesTable, RunFile};
pub use test_tables::{AcceptTable, BoundsTable, TuneTable};
pub use toml_reader::{Mistakes, toml_string};
pub use tune_space::{
    TuneSpaceError, listed_space, matches_pattern, named_space, read_gain_list, tuning_method,
};
