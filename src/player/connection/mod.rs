//! Lines to and from an engine over a [`Transport`], with deadlines, bounded memory and a transcript.

mod blocking_read;
mod connection;
mod lazy_timer;
mod line_buffer;
mod sched_slice;
mod transcript;
mod transport;

pub use blocking_read::{BlockingReader, Serving};
pub(super) use connection::{Connection, ConnectionEnd};
pub use lazy_timer::LazyTimer;
pub(super) use transcript::escape;
pub use transcript::printed_lines;
pub use transport::{CpuUse, ShutdownMode, ShutdownReport, Transport};
