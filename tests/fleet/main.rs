//! Runs on many machines, with a real `nats-server`.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/nats.rs"]
mod nats;

mod access;
mod blobs;
mod connection;
mod speed;
