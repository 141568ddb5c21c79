//! The control socket of a running run: one request line in, one line of JSON out.

mod server;
mod socket_path;
mod status;

pub use server::{Asked, ControlRequest, ControlServer};
pub use socket_path::with_short_path;
pub(super) use status::boards;
pub use status::from_white;
