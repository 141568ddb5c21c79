//! Engine processes: start, confinement, supervision and cleanup.

mod guardian;
mod launcher;
mod orphans;
mod process;
mod scratch_dir;
mod spawn;
mod stderr_tail;

pub use guardian::{GuardianProgram, run_guardian};
pub use launcher::{LaunchError, Launcher};
pub use process::ProcessTransport;
