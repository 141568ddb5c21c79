//! What to try next: tuners as ask-and-tell machines without input or output.
//!
//! A [`Tuner`] names a [`Trial`], two settings to play against each other in one pair of games; it is told the pair's
//! score; and so on until the budget is spent. Its state is a fold of the scores told, so a recorded run replays to
//! the same state, and trial `k` depends only on the scores of trials up to `k - lookahead`, so the
//! trials are the same however many pairs are played at once.

mod bayes;
mod coordinate_search;
mod external_lists;
mod report;
mod simulation;
mod space;
mod spsa;
mod trial;
mod tuner;

pub use bayes::{Bayes, BayesPlan};
pub use coordinate_search::{CoordinateSearch, Direction, Step, TestedStep};
pub use external_lists::{FormatError, GainList, WeatherFactoryEntry};
pub use report::{GainEstimate, ParameterEffect, ParameterReport, TuningReport};
pub use simulation::{
    Cliff, Landscape, Parabola, SimulatedGames, SimulatedRun, StandardLandscape, TuneSimulation,
    standard_landscapes,
};
pub use space::{Kind, Parameter, Settings, Space, SpaceError};
pub use spsa::{Gain, GainSchedule, Rounding, Spsa, SpsaPlan};
pub use trial::{Trial, TrialId};
pub use tuner::{Ask, Lookahead, Method, RecordError, Tuner, TunerPlan};
