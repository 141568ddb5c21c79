//! Playing pairs of games in concurrent slots on this machine.

mod dispatch;
mod engine_registry;
mod engine_seat;
mod event;
mod fault_bundle;
mod fd_limit;
mod interface;
mod job;
mod live_board;
mod local_fleet;
#[cfg(feature = "nats")]
pub mod nats;
mod placement;
mod processor_use;
mod shipment;
mod shortage;
mod sim_fleet;
mod slot;
mod slot_thread;
mod stall_detector;

pub use engine_registry::ProgramChanged;
pub use event::{EngineFatal, FleetEvent, ReceivedPair};
pub use fd_limit::{MAX_CONCURRENCY, most_slots, set_aside_descriptors};
pub use interface::{Admission, Fleet, Member, MembersQuestion, Pause};
pub use job::{Contestant, PairJob, PairReport};
pub use local_fleet::{FleetConfig, FleetError, LocalFleet};
pub use placement::{Placement, bind_process};
pub use shipment::{Shipment, SourcePlan};
pub use sim_fleet::{SimFleet, SimLog, SimOutcome};
pub use stall_detector::noticing_standstill;
