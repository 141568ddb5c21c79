//! Checks before the first game: engine options, comparable settings, disk space.

mod disk;
mod fairness;
mod handshake;

pub use disk::DiskRoom;
pub use fairness::{EngineFacts, Fairness, fairness, oversubscription};
pub use handshake::{Handshake, handshake};
