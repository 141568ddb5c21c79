//! Texel tuning of the built-in evaluation: fits the weights to positions with known results.

mod adam;
mod dataset;
mod loss;
mod quiet;
mod sample;
mod self_play;
mod sources;
mod training_set;
mod tuner;

pub use dataset::{Dataset, TargetMix};
pub use loss::{Gradient, Model, Scale};
pub use quiet::is_quiet;
pub use sample::{Sample, SampleError, SampleReader, SampleWriter};
pub use self_play::{SelfPlay, SelfPlayGame};
pub use sources::{ReadReport, SourceError, read_positions};
pub use training_set::{Labelled, Selection, TrainingSet};
pub use tuner::{EpochReport, TexelPlan, Tuned, tune};
