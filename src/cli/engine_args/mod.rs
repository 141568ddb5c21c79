//! Arguments of the built-in engine: `chess`, `chess-uci`, `benchmark` and `playself engine`.

mod ace;
mod bench;
mod command;
mod setup;
mod uci;

pub use ace::{AceArgs, USAGE};
pub use bench::BenchArgs;
pub use command::EngineArgs;
pub use setup::SetupArgs;
pub use uci::UciArgs;
