//! One match, test or tuning run, from plan to verdict.

mod audit;
mod breaker;
mod calendar;
mod control;
mod disk;
mod event;
mod fairness;
mod fingerprint;
mod interrupt;
mod plan;
mod playing_time;
mod replay;
mod run;
mod schedule;
mod standings;
mod state;
mod verdict;

pub use audit::Audit;
pub use breaker::{Breaker, Conduct, FaultWatch};
pub use calendar::Moment;
pub use control::{Asked, ControlDoor, Request};
pub use disk::DiskRoom;
pub use event::{Observer, RunEvent, RunView};
pub use fairness::fairness;
pub use fingerprint::{FileHash, sha256_of};
pub use interrupt::{Interrupt, Interrupts};
pub use plan::{AcceptPlan, BookPlan, Plan, PlannedEngine};
pub use playing_time::PlayingTime;
pub use replay::{Known, ReplayError, Replayed, replay};
pub use run::{Openings, Run, RunParts};
pub use schedule::{Fixture, Pairing, Schedule};
pub use standings::{Faults, Score, Standings};
pub use state::{CountedPair, Effect, RunState, Start};
pub use verdict::Outcome;
