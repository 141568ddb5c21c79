//! Events that a run reports to its observers.

use std::io;

use crate::game::{EngineIndex, FaultBundle, GameOfPair, LiveGame};
use crate::journal::GameEntry;

use crate::run::effect::CountedPair;
use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::state::RunState;

/// Something that happened in a run. All but `GameStarted`, `Boards` and `Warning` are reported only once they are durable.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The run begins or resumes.
    Started,
    /// A game begins.
    GameStarted {
        /// Index of its pair in the schedule.
        pair: u64,
        /// Which game of the pair.
        game: GameOfPair,
        /// The engine with White.
        white: EngineIndex,
        /// The engine with Black.
        black: EngineIndex,
    },
    /// The games in progress, reported a few times a second and never recorded.
    Boards(Vec<LiveGame>),
    /// A game ended. It counts once its pair does.
    GameFinished(Box<GameEntry>),
    /// An engine fault, with its evidence.
    Fault(Box<FaultBundle>),
    /// A pair counts: all pairs before it in the schedule have been counted.
    Counted(Box<CountedPair>),
    /// Something the user should know.
    Warning(String),
    /// The run is over, or stopped.
    Finished(RunOutcome),
}

/// The run at the time of an event.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The state.
    pub state: &'a RunState,
    /// Seconds of play over all sessions.
    pub seconds: f64,
}

/// A reporter of a run.
pub trait Observer: Send {
    /// Handles one event.
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()>;

    /// What it writes. A failure to print is ignored; a failure to write a file of the run is reported.
    fn output(&self) -> Output {
        Output::Text
    }
}

/// What an observer writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Text for the user.
    Text,
    /// Files of the run.
    Files,
}
