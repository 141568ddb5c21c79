//! Measurement of the machine: how many games it can play at once without disturbing them.

mod machine;
mod measure;

pub use machine::{ProcessorClocks, ProcessorShares, ProcessorTimes, sync_times};
pub use measure::{ConcurrencyLevel, Measurement, recommended_concurrency};
