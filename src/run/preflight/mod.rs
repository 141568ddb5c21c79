//! Checks before the first game: engine options, comparable settings, enough openings, disk space.

mod book_supply;
mod disk;
mod fairness;
mod handshake;
mod limit_probe;

pub use book_supply::{BookSupply, book_supply};
pub use disk::DiskRoom;
pub use fairness::{EngineFacts, Fairness, PositionSetup, fairness, oversubscription};
pub use handshake::{Handshake, handshake, printed_line, refused_name};
