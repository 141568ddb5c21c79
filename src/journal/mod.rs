//! The append-only, crash-safe journal of a run, from which all its other files are derived.

mod entry;
mod fleet_record;
mod frame;
mod game_entry;
mod packed;
mod parallel;
mod reader;
mod simulated_disk;
mod storage;
mod writer;

pub use entry::{Entry, EntryDetail, FORMAT};
pub use fleet_record::{Claim, FleetSession, WorkerFacts};
pub use frame::{Frame, FrameError, decode, encode};
pub use game_entry::{GameEntry, Unreadable};
pub use parallel::read_parallel;
pub use reader::{JournalEnd, MAX_UNSYNCED, ReadError, is_finished, read_all};
pub use simulated_disk::{SECTOR, SimulatedDisk};
pub use storage::{LockError, LockedFile, Storage};
pub use writer::{Committed, Journal, OnCommit, Urgency, WriteError};
