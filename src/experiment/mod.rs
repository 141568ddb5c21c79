//! One match, test or tuning run, from plan to verdict.

mod breaker;
mod calendar;
mod event;
mod fingerprint;
mod plan;
mod schedule;
mod standings;
mod state;
mod verdict;

pub use breaker::{Breaker, Conduct, FaultWatch};
pub use calendar::Moment;
pub use event::{Observer, RunEvent, RunView};
pub use fingerprint::{FileHash, sha256_of};
pub use plan::{BookPlan, Order, Plan, PlannedEngine};
pub use schedule::{Fixture, Pairing, Schedule};
pub use standings::{Faults, Score, Standings};
pub use state::{CountedPair, Effect, RunState};
pub use verdict::Outcome;
