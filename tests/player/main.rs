//! Engine processes: protocols, clocks, faults and placement on processors.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/fault.rs"]
mod fault;
#[path = "../support/machine.rs"]
mod machine;
#[path = "../support/polyglot.rs"]
mod polyglot;
#[path = "../support/signals.rs"]
mod signals;

mod attacks_engines;
mod containment;
mod faults_host;
mod faults_protocol;
mod faults_xboard;
mod load;
mod pairs;
mod placement;
mod protocol_round_trip;
mod virtual_time;
