//! Command-line arguments shared by the programs and commands of this crate.

pub mod ask_text;
pub mod call_hints;
pub mod choices;
pub mod engine_args;
pub mod entry;
pub mod fleet_flags;
pub mod game_id;
pub mod limit_flags;
pub mod number_lists;
pub mod output_flags;
pub mod questions;
pub mod run_completion;
pub mod run_flags;
pub mod side_flags;
pub mod sprt_flags;
pub mod test_flags;
pub mod usage;
