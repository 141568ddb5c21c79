//! Client side: whoever the harness asks for a move, met only as a process.

mod fault;
mod patience;
mod score;
mod spec;

pub use fault::{CrashMoment, ExitEvidence, ProtocolBreach, StallPoint};
pub use patience::Patience;
pub use score::Score;
pub use spec::{EngineIndex, EngineOption, EngineSpec, Pondering, Protocol, Restart, Sandbox, WorkingDir};
