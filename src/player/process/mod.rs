//! Engine processes: started, bound to ours, watched, and never left behind.

mod guardian;
mod launcher;
mod orphans;
mod process;
mod scratch_dir;
mod spawn;
mod stderr_tail;

pub use guardian::{GuardianProgram, keep_watch};
pub use launcher::{LaunchError, Launcher};
pub use process::ProcessTransport;
