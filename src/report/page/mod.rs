//! The run as a page: one self-contained file that opens offline.

mod charts;
mod collector;
mod games;
mod html;
mod picture;
mod policy;
mod sentence;

pub use collector::PageCollector;
pub use games::GameShelf;
pub use html::{PageContext, match_page};
pub use picture::{EngineUse, FaultRow, MatchPicture};
pub use sentence::{VerdictWord, verdict_sentence};
