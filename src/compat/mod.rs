//! The command lines and the output of fastchess and cutechess-cli, on top of the runs of this program.
//!
//! A command line becomes one value ([`Invocation`]), the value a run file, the run file a plan as any other; only the
//! lines, the PGN and the exit status are those of the other program.

mod arguments;
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
mod invocation;
mod knockout;
mod listeners;
mod play;
mod printf;
mod pv_check;
mod pv_watch;
mod result_fields;
mod run_file;
mod saved_config;
mod surface;
mod surface_lines;
mod tally;
mod texts;
mod written_games;

pub use play::main;
pub use surface::Surface;
