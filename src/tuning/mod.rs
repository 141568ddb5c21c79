//! What to try next: tuners as ask-and-tell machines without input or output.
//!
//! A [`Tuner`] names a [`Trial`], two settings to play against each other in one pair of games; it is told the pair's
//! score; and so on until the budget is spent. Its state is a fold of the scores told, so a recorded run replays to
//! the same state, and trial `k` depends only on the scores of trials up to `k - lookahead`, so the
//! trials are the same however many pairs are played at once.

mod account;
mod bayes;
mod belief;
mod formats;
mod gallery;
mod heard;
mod joint;
mod landscape;
mod moments;
mod report;
mod simulate;
mod space;
mod spsa;
mod sweep;
mod trial;
mod tuner;

pub use bayes::{Bayes, BayesPlan};
pub use formats::{FormatError, GainList, WeatherFactoryEntry};
pub use gallery::{Exhibit, gallery};
pub use landscape::{Cliff, Landscape, SimulatedGames, Slope, slope};
pub use report::{Effect, Gained, ParameterReport, TuningReport};
pub use simulate::{SimulatedRun, TuneSimulation};
pub use space::{Kind, Parameter, Settings, Space, SpaceError};
pub use spsa::{Gain, Rounding, Schedule, Spsa, SpsaPlan};
pub use sweep::{Step, Sweep, Tried, Way};
pub use trial::{Trial, TrialId};
pub use tuner::{Ask, Lookahead, Method, TellError, Tuner, TunerPlan};
