//! Examination of a UCI engine: a table of checks, each with a verdict and the figure it was measured by.

mod bench;
mod clocks;
mod endings;
mod handshake;
mod limits;
mod positions;
mod report;
mod running;
mod search;
mod table;

pub use bench::{Bench, BenchError};
pub use report::{Finding, Grade, Report};
pub use table::{CHECKS, Check, Effort};
