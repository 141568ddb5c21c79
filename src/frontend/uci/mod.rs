//! The UCI loop: the caller's thread reads commands, one more thread searches.
//!
//! The reader never waits for a search, so `stop`, `isready` and `quit` are heard at any moment. Whatever needs the
//! searcher is sent to its thread in order, and done after the search that runs.

mod debug_commands;
mod go_limits;
mod info_writer;
mod output;
mod position_tracker;
mod search_thread;
mod session;
mod wdl;

pub use session::{SessionEnd, run};
