//! The chess engine: search, evaluation, time management.
//!
//! [`Searcher::search`] takes a game and limits and returns a move. The engine prints nothing; it reports its progress to
//! a [`SearchObserver`].

mod bench;
pub mod eval;
mod huge_pages;
mod limits;
mod observer;
mod params;
mod score;
mod search;
mod searcher;
mod stop_flag;
mod time_budget;
mod transposition;
mod tunable;

pub use bench::{BENCH_DEPTH, Signature, signature};
pub use eval::{Evaluator, Weights};
pub use limits::{Clock, Limits, SearchMode};
pub use observer::{Bound, SearchInfo, SearchObserver, SearchReport, Unobserved};
pub use params::SearchParams;
pub use score::Score;
pub use searcher::Searcher;
pub use stop_flag::StopFlag;
pub use tunable::{Cells, Declared, DeclaredError, FileErrors, MAX_FILE_ERRORS, Spec, declare};
