//! The UCI loop: the calling thread reads commands, a second thread searches.
//!
//! The reader never waits for a search, so `stop`, `isready` and `quit` are handled at any time. Commands that need the
//! searcher are sent to its thread in order and run after the current search.

mod debug_commands;
mod go_limits;
mod info_writer;
mod output;
mod position_tracker;
mod search_thread;
mod session;
mod wdl;

pub use session::{SessionEnd, run};
