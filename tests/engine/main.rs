//! The built-in engine: search, evaluation and its two protocols.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/console.rs"]
mod console;
#[path = "../support/endgame_tables.rs"]
mod endgame_tables;
#[path = "../support/machine.rs"]
mod machine;

mod ace_game;
mod declared;
mod endings_won;
mod eval_claims;
mod eval_endings;
mod eval_weights;
mod legality;
mod search;
mod suites;
mod texel;
mod uci_engine;
