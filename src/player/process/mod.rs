//! Engine processes: start, confinement, supervision and cleanup.

mod control_group;
mod guardian;
mod isolation;
mod launcher;
mod orphans;
mod process;
mod run_mark;
mod scratch_dir;
mod spawn;
mod stderr_tail;
mod sweeper;

pub use guardian::{GuardianProgram, run_guardian};
pub use isolation::check_isolation;
pub use launcher::{LaunchError, Launcher};
pub use process::ProcessTransport;
pub use spawn::close_descriptors_at_exec;
