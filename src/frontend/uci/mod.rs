//! The UCI loop: the caller's thread reads commands, one more thread searches.
//!
//! The reader never waits for a search, so `stop`, `isready` and `quit` are heard at any moment. Whatever needs the
//! searcher is sent to its thread in order, and done after the search that runs.

mod board;
mod inspect;
mod output;
mod session;
mod telling;
mod thinking;
mod wdl;
mod worker;

pub use session::{Ending, run};
