//! The ACE protocol: a console game over pipes, one move per line, without a handshake.
//!
//! The command line of a program sets the sides that it plays and the starting position. The program prints its own
//! moves, reads those of the other side, and reports the result in its exit status.

mod invocation;
mod line;
mod status;

pub use invocation::{Invocation, MoveLimit, Role, Template, TemplateError};
pub use line::{Line, looks_like_a_move};
pub use status::{ClaimedResult, EXIT_WORD, INVALID_MOVE};
