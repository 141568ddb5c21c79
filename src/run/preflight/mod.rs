//! Checks before the first game: engine options, comparable settings, disk space.

mod disk;
mod fairness;
mod handshake;
mod limit_probe;

pub use disk::DiskRoom;
pub use fairness::{EngineFacts, Fairness, PositionSetup, fairness, oversubscription};
pub use handshake::{Handshake, handshake, refused_name};
