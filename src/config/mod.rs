//! TOML to domain types and back; the only place that knows file syntax.

mod fields;
mod run_file;
mod spelling;

pub use fields::Mistakes;
pub use run_file::{AcceptTable, BoundsTable, EngineEntry, GamesTable, Limits, RunFile, TuneTable};
pub use spelling::nearest;
