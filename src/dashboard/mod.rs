//! The live page: runs watched, and for whoever holds the token steered, from a browser.
//!
//! The server only reads run folders. It lives on threads of its own, reads a run once however many watch it, sends
//! only what changed, and lets slow watchers miss what is in between. Requests that steer a run go to the run's own
//! socket, as those of the command line do.

mod access;
mod capped;
mod catalogue;
mod control;
mod feed;
mod files;
mod frame;
mod overview;
mod routes;
mod run_feed;
mod server;
mod shell;

pub use access::{ServeAddress, Token};
pub use catalogue::{Catalogue, PlanReader};
pub use server::{DashboardError, Server};
