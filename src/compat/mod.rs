//! The command lines and the output of fastchess and cutechess-cli, on top of the runs of this program.
//!
//! A command line becomes one value ([`MatchCommand`]), the value a run file, the run file a plan as any other; only the
//! lines, the PGN and the exit status are those of the other program.

mod arguments;
mod command;
mod console;
mod cutechess;
mod cutechess_lines;
mod dialogue_log;
mod elo;
mod engine_values;
mod engines_json;
mod fastchess;
mod fastchess_keys;
mod fastchess_lines;
mod game_files;
mod knockout;
mod observer;
mod play;
mod printf;
mod pv_check;
mod pv_watch;
mod result_fields;
mod run_file;
mod runner;
mod saved_config;
mod tally;
mod texts;

pub use play::main;
pub use runner::Runner;
