//! Texel tuning of our own evaluation: positions with results in, better weights out.

mod adam;
mod dataset;
mod loss;
mod quiet;
mod sample;
mod self_play;
mod sources;
mod tuner;

pub use dataset::{Dataset, Origin};
pub use loss::{Gradient, Model, Scale};
pub use quiet::is_quiet;
pub use sample::{NotSamples, Sample, SampleReader, SampleWriter};
pub use self_play::{PlayedGame, SelfPlay};
pub use sources::{ReadReport, SourceError, read_positions};
pub use tuner::{EpochReport, Plan, Tuned, tune};
