//! TOML to domain types and back; the only place that knows file syntax.

mod engine_bounds;
mod engine_name;
mod fields;
mod resolve;
mod run_file;
mod spelling;

pub use engine_bounds::EngineBounds;
pub use engine_name::{EngineNameError, Surroundings, plan_engine};
pub use fields::Mistakes;
pub use resolve::{DEFAULT_CLOCK, Unplannable, resolve};
pub use run_file::{
    AcceptTable, BoundsTable, EngineDir, EngineEntry, GamesTable, Limits, RunFile, TuneTable,
};
pub use spelling::nearest;
