//! Parameter tuners: ask for a trial, record its score; no input or output.
//!
//! [`Tuner::ask`] returns a [`Trial`]: two settings to play against each other in one pair of games.
//! [`Tuner::record`] takes the score of that pair. This repeats until the budget is spent. The state of a tuner is a
//! fold over the recorded scores, so replaying a run leads to the same state. Trial `k` depends only on the scores of
//! trials up to `k - lookahead`, so the trials do not depend on how many pairs are played concurrently.

mod bayes;
mod coordinate_search;
mod earlier;
mod external_lists;
mod report;
mod rivals;
mod simulation;
mod space;
mod spsa;
mod trial;
mod tuner;

pub use bayes::{Bayes, BayesPlan};
pub use coordinate_search::{CoordinateSearch, Direction, Step, TestedStep};
pub use earlier::{EarlierPair, EarlierPairs};
pub use external_lists::{FormatError, GainList, WeatherFactoryEntry};
pub use report::{GainEstimate, ParameterEffect, ParameterReport, TuningReport};
pub use simulation::{
    Cliff, Interaction, InteractionTooStrong, Landscape, Parabola, SimulatedGames, SimulatedRun,
    StandardLandscape, TuneSimulation, standard_landscapes,
};
pub use space::{Kind, Parameter, Settings, Space, SpaceError};
pub use spsa::{Gain, GainSchedule, Rounding, Spsa, SpsaPlan};
pub use trial::{Trial, TrialId};
pub use tuner::{Ask, Lookahead, Method, RecordError, Tuner, TunerPlan};
