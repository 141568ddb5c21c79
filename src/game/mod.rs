//! One game between two players: clock, referee, adjudication, record.

mod adjudication;
mod clock;
mod fault;
mod record;
mod termination;
mod time_control;

pub use adjudication::{AdjudicationRules, DrawRule, ResignRule, ResignSides};
pub use clock::{Clock, Overrun};
pub use fault::{FaultBundle, TimeEvidence, VoidReason, Warning};
pub use record::{Ending, GameOfPair, GameRecord, GameResult, MoveSource, MoveText, PlyRecord};
pub use termination::Termination;
pub use time_control::{ClockRule, TimeControl, TimeControlError};
