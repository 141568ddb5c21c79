//! What a run tells the world while it goes on.

use std::io;

use crate::game::{EngineIndex, FaultBundle, GameOfPair, LiveGame};
use crate::journal::GameEntry;

use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::state::{CountedPair, RunState};

/// Something that happened in a run. All but `GameStarted`, `Boards` and `Warning` are told only once they are durable.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The run begins, or goes on where it was.
    Started,
    /// A game begins.
    GameStarted {
        /// Its pair's place in the schedule.
        pair: u64,
        /// Which of the two.
        game: GameOfPair,
        /// Who has White.
        white: EngineIndex,
        /// Who has Black.
        black: EngineIndex,
    },
    /// What is on the boards right now; told a few times a second to whoever watches, never recorded.
    Boards(Vec<LiveGame>),
    /// A game ended; it counts once its pair's turn has come.
    GameFinished(Box<GameEntry>),
    /// An engine's fault left this behind.
    Fault(Box<FaultBundle>),
    /// A pair's turn in the schedule has come, and it counts.
    Counted(Box<CountedPair>),
    /// Something the user should know.
    Warning(String),
    /// The run is over, or stopped.
    Finished(RunOutcome),
}

/// What can be seen of a run when something happens in it.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// What was planned.
    pub plan: &'a Plan,
    /// Where it stands.
    pub state: &'a RunState,
    /// Seconds of playing, over all sessions.
    pub seconds: f64,
}

/// Somebody who reports a run.
pub trait Observer: Send {
    /// Learns of one event.
    fn observe(&mut self, event: &RunEvent, view: &RunView<'_>) -> io::Result<()>;

    /// What it leaves behind: words for people may go unheard, files of the run may not be missing unnoticed.
    fn leaves(&self) -> Trace {
        Trace::Words
    }
}

/// What an observer leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing that lasts.
    Words,
    /// Files of the run.
    Files,
}
