//! Where pairs get played: local slots.

mod event;
mod job;

pub use event::{EngineFatal, FleetEvent};
pub use job::{Contestant, PairId, PairJob, PairReport};
