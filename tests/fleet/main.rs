//! Runs on many machines, with a real `nats-server`.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/nats.rs"]
mod nats;
#[path = "../support/polyglot.rs"]
mod polyglot;
#[allow(dead_code, reason = "shared with other test programs")]
#[path = "../support/run.rs"]
mod run;
#[path = "../support/signals.rs"]
mod signals;

mod access;
mod bench;
mod blobs;
mod chaos;
mod connection;
mod engines;
mod faults;
mod hostile;
mod link;
mod machines;
mod runs;
mod speed;
