//! ACE: a console game spoken over pipes, one move a line, no handshake.
//!
//! A program is told on its command line which sides it plays and where the game starts. It prints its own moves,
//! reads the other side's, and ends with a status that tells the result.

mod call;
mod line;
mod status;

pub use call::{Call, Role, Template, TemplateError, Thinking};
pub use line::{Line, looks_like_a_move};
pub use status::{Claim, EXIT_WORD, INVALID_MOVE};
