//! A position and limits in, a move out. Silent: it reports to an observer and prints nothing.

mod declare;
pub mod eval;
mod limits;
mod observer;
#[cfg_attr(not(test), expect(dead_code, reason = "the tree that counts in it is the next piece"))]
mod score;
mod stop;
#[cfg_attr(not(test), expect(dead_code, reason = "the searcher that spends it is the next piece"))]
mod time_budget;

pub use declare::{Cells, Declared, DeclaredError, FileMistakes, Spec, declare};
pub use eval::{Evaluator, Weights};
pub use limits::{Clock, Limits, SearchMode};
pub use observer::{Bound, Observer, SearchInfo, SearchReport, Unobserved};
pub use score::Score;
pub use stop::StopFlag;
