//! A position and limits in, a move out. Silent: it reports to an observer and prints nothing.

mod correction;
mod cuts;
mod declare;
pub mod eval;
mod history;
mod iterate;
mod late_moves;
mod limits;
mod node;
mod observer;
mod params;
mod picker;
mod pruning;
mod quiescence;
mod records;
mod root;
mod score;
mod search;
mod searcher;
mod see;
mod signature;
mod stop;
mod time_budget;
mod transposition;

pub use declare::{Cells, Declared, DeclaredError, FileMistakes, Spec, declare};
pub use eval::{Evaluator, Weights};
pub use limits::{Clock, Limits, SearchMode};
pub use observer::{Bound, Observer, SearchInfo, SearchReport, Unobserved};
pub use params::SearchParams;
pub use score::Score;
pub use searcher::Searcher;
pub use signature::{BENCH_DEPTH, Signature, signature};
pub use stop::StopFlag;
