//! What the state machine of a run asks its shell to do, and reports.

use crate::game::PairId;
use crate::journal::GameEntry;
use crate::run::schedule::Fixture;
use crate::stats::{Decision, PairScore};
use crate::tuning::{Settings, Trial, TuningReport};

/// A pair that counts: all pairs before it in the schedule have been counted.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedPair {
    /// Index in the schedule.
    pub pair: u64,
    /// Its engines and its round.
    pub fixture: Fixture,
    /// Its games: two, or one where encounters have a single game.
    pub games: Vec<GameEntry>,
    /// Score of the first engine in its two games.
    pub score: Option<PairScore>,
    /// Log-likelihood ratio after it, if the run is a test.
    pub llr: Option<f64>,
    /// The trial that it played, in a tuning run.
    pub trial: Option<CountedTrial>,
}

/// A trial with the state of the tuner after its score.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedTrial {
    /// The trial.
    pub trial: Trial,
    /// The best settings after it.
    pub best: Settings,
    /// The whole report of the tuner, after every [`TRIALS_PER_REPORT`] trials: it takes much longer than a trial.
    pub report: Option<TuningReport>,
}

/// Trials from one report of the tuner to the next.
pub const TRIALS_PER_REPORT: u64 = 50;

/// A pair to start.
#[derive(Clone, Debug, PartialEq)]
pub struct NextPair {
    /// Its identifier.
    pub id: PairId,
    /// The settings of its two engines, in a tuning run.
    pub trial: Option<Trial>,
    /// Its first game, if an earlier attempt finished it: a finished game is never played again.
    pub half: Option<Box<GameEntry>>,
}

/// What the shell has to do in response to an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Report this pair to the observers.
    Counted(Box<CountedPair>),
    /// Record this decision.
    Decide(Decision),
    /// Start nothing more; the run ends with this fault.
    Trip(String),
    /// Something the user should know.
    Warn(String),
}
