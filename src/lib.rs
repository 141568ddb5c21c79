//! playself: a match, SPRT and tuning harness for chess engines, and the engine it tunes.
//!
//! Each room says on its first line what it is. Who may name whom is a table in `tests/cli/architecture.rs`; in short:
//! `chess` and `stats` know nobody; `engine` knows `chess`; the harness (`player` upward) never names `engine` and
//! meets engines only as processes.

pub mod chess;
pub mod cli;
pub mod commands;
pub mod config;
pub mod dashboard;
pub mod doctor;
pub mod engine;
pub mod failpoint;
pub mod fleet;
pub mod frontend;
pub mod game;
pub mod journal;
pub mod opening;
pub mod player;
pub mod protocol;
pub mod report;
pub mod run;
pub mod spelling;
pub mod stats;
pub mod store;
pub mod texel;
pub mod tuning;
