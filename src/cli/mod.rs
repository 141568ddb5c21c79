//! Command-line arguments shared by the programs and commands of this crate.

pub mod choices;
pub mod engine_args;
pub mod number_lists;
pub mod run_flags;
pub mod test_flags;
pub mod usage;
