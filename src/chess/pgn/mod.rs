//! PGN: a reader that streams games from any source, and a writer for the export format.

mod error;
mod game;
mod lexer;
mod reader;
mod tags;
mod writer;

pub use error::{PgnError, PgnProblem};
pub use game::{PgnGame, PgnMove, PgnResult};
pub use lexer::Place;
pub use reader::PgnReader;
pub use tags::{GameTags, PgnTags};
