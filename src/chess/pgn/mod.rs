//! PGN: games as text, read one at a time from any source and written in export format.

mod error;
mod game;
mod lexer;
mod reader;
mod writer;

pub use error::{PgnError, PgnProblem};
pub use game::{PgnGame, PgnMove, PgnResult};
pub use lexer::Place;
pub use reader::PgnReader;
