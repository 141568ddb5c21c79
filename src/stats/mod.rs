//! Statistics of matches: Elo, likelihood ratios, sequential tests and simulation. All functions are pure.
//!
//! A match is counted as a [`Pentanomial`] of colour-swapped pairs or a [`Trinomial`] of single games. The counts alone
//! determine the Elo difference with its confidence interval ([`Estimate`]) and the decision of a sequential test
//! ([`Sprt`]). Games between many players become a [`Tournament`], which has [`Ratings`].

mod at_limit;
mod bounded;
mod brownian;
mod corrected;
mod discoveries;
mod elo;
mod estimate;
mod game_model;
mod llr;
mod operating;
mod patches;
mod quadrature;
mod random;
mod rating;
mod root;
mod sample;
mod simulate;
mod sprt;
mod stopped_motion;
mod strength;
mod tally;
mod triangle;
mod walk;

pub use corrected::CorrectedElo;
pub use discoveries::discoveries;
pub use elo::{Elo, EloModel, NormalizedElo};
pub use estimate::{Estimate, Z_95};
pub use game_model::{GameModel, ImpossibleGames, PairOdds, unbalanced_length};
pub use operating::{GameVariance, OperatingCurve};
pub use patches::{PatchPrior, TestYield};
pub use random::Random;
pub use rating::{
    AnchorOutOfRange, DRAW_DEVIATION, Encounter, Measured, RatingOptions, Ratings, Tournament,
    WHITE_DEVIATION,
};
pub use root::{NoSignChange, find_root};
pub use sample::{Sample, Tally};
pub use simulate::{Counting, SimulatedTest, SprtSimulation};
pub use sprt::{
    Bounds, Decision, ErrorRate, ErrorRateOutOfRange, Hypotheses, HypothesesOutOfOrder, Hypothesis, Sprt,
    SprtConfig, TestKind, TestReading,
};
pub use strength::{FEW, Strength};
pub use tally::{GameScore, HalfPointsOutOfRange, PairScore, Pentanomial, Trinomial};
pub use walk::ExactCourse;
