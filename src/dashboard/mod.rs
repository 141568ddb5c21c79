//! The live page: shows runs in a browser, and controls them for users who have the token.
//!
//! The server only reads run folders. It has its own threads, reads a run once for all clients, sends only the parts
//! that changed, and lets slow clients skip intermediate states. Control requests go to the socket of the run, as those
//! of the command line do.

mod auth;
mod catalogue;
mod compare;
mod connection_cap;
mod control;
mod files;
mod game_lists;
mod live_games;
mod overview;
mod page_parts;
mod routes;
mod run_source;
mod server;
mod skeleton;
mod sources;
mod url;

#[cfg(fuzzing)]
mod fuzzing;

pub use auth::{ServeAddress, Token};
pub use catalogue::Catalogue;
#[cfg(fuzzing)]
pub use fuzzing::fuzz_request;
pub use server::{DashboardError, Server};
