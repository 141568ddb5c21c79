//! The control socket of a running run: one request line in, one line of JSON out.

mod client;
mod request;
mod server;
mod socket_path;
mod status;

pub use crate::fleet::MAX_CONCURRENCY;
pub use client::{ControlError, request};
pub use request::{ControlRequest, MemberName};
pub use server::{ControlServer, PendingRequest};
pub use socket_path::with_short_path;
pub use status::{BoardStatus, ControlAnswer, MoveSearch, RunPhase, RunStatus, from_white};
