//! TOML to domain types and back; the only place that knows file syntax.

mod engine_limits;
mod engine_lookup;
mod resolve;
mod run_file;
mod toml_reader;

pub use engine_limits::EngineBounds;
pub use engine_lookup::{EngineNameError, SearchPaths, plan_engine};
pub use resolve::{DEFAULT_CLOCK, Unplannable, resolve};
pub use run_file::{
    AcceptTable, BoundsTable, EngineDir, EngineEntry, GamesTable, LimitsTable, RunFile, TuneTable,
};
pub use toml_reader::Mistakes;
