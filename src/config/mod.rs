//! Run files, engine files and landscape files: TOML to domain types.

mod engine_limits;
mod engine_lookup;
mod engine_words;
mod fleet_table;
mod landscape_file;
mod pgn_table;
mod presets;
mod program_file;
mod resolve;
mod run_file;
mod toml_reader;
mod tune_space;

pub use engine_limits::EngineBounds;
pub use engine_lookup::{EngineNameError, SearchPaths, plan_engine};
pub use landscape_file::LandscapeFile;
pub use presets::{Preset, default_test};
pub use resolve::{DEFAULT_CLOCK, TuningDraft, Unplannable, limit_to_one_round, resolve};
pub use run_file::{
    AcceptTable, BoundsTable, EngineDir, EngineEntry, GamesTable, LimitsTable, ProtocolName, RunFile,
    TuneTable, table_folders,
};
pub use toml_reader::{Mistakes, toml_string};
pub use tune_space::{
    TuneSpaceError, listed_space, matches_pattern, named_space, read_gain_list, tuning_method,
};
