//! Measurement of the machine: how many games it can play at the same time without disturbing them.

mod findings;
mod machine;
mod measure;

pub use findings::{Diagnosis, Findings, recommended_concurrency};
pub use machine::{ProcessorClocks, ProcessorShares, ProcessorTimes, sync_times};
pub use measure::{ConcurrencyLevel, Measurement};
