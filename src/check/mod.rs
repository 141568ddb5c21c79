//! Examination of a UCI engine: a table of checks, each with a verdict and the figure it was measured by.

mod clocks;
mod endings;
mod examination;
mod handshake;
mod limits;
mod positions;
mod report;
mod running;
mod search;
mod table;

pub use examination::{Examination, ExaminationError};
pub use report::{Finding, Grade, Report};
pub use table::{CHECKS, Check, Effort};
