//! The live page: runs watched, and for whoever holds the token steered, from a browser.
//!
//! The server only reads run folders. It lives on threads of its own, reads a run once however many watch it, sends
//! only what changed, and lets slow watchers miss what is in between. Requests that steer a run go to the run's own
//! socket, as those of the command line do.

mod auth;
mod catalogue;
mod connection_cap;
mod control;
mod files;
mod overview;
mod page_parts;
mod routes;
mod run_source;
mod server;
mod skeleton;
mod sources;
mod url;

pub use auth::{ServeAddress, Token};
pub use catalogue::Catalogue;
pub use server::{DashboardError, Server};
