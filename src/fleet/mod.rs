//! Playing pairs of games in concurrent slots on this machine.

mod dispatch;
mod engine_registry;
mod engine_seat;
mod event;
mod fault_bundle;
mod fd_limit;
mod job;
mod live_board;
mod local_fleet;
mod placement;
mod slot;
mod stall_detector;
mod worker;

pub use event::{EngineFatal, FleetEvent};
pub use fd_limit::{MAX_CONCURRENCY, most_slots, set_aside_descriptors};
pub use job::{Contestant, PairJob, PairReport};
pub use local_fleet::{FleetConfig, FleetError, LocalFleet};
pub use placement::{Placement, bind_process};
