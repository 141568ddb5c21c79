//! Where pairs get played: local slots.

mod bundle;
mod descriptors;
mod dispatch;
mod event;
mod host_watch;
mod job;
mod live;
mod local;
mod placement;
mod roster;
mod seat;
mod slot;
mod worker;

pub use descriptors::most_slots;
pub use event::{EngineFatal, FleetEvent};
pub use job::{Contestant, PairId, PairJob, PairReport};
pub use live::LiveGame;
pub use local::{FleetConfig, FleetError, LocalFleet};
pub use placement::Placement;
