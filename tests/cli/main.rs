//! Commands that play no run, and checks of the documents against the code.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

/// The targets name the crate of libFuzzer.
extern crate self as libfuzzer_sys;

#[path = "../support/signals.rs"]
mod signals;

mod architecture;
mod attacks;
mod book;
mod check;
mod configuration_docs;
mod doctor;
mod faults_coverage;
mod fuzz_targets;
mod help;
mod licences;
mod revisions;
mod stats_commands;
mod stats_llr;
mod stats_rating;
mod stats_sprt;
