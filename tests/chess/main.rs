//! Rules, notations, openings and perft counts, compared with published numbers and other libraries.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

mod fuzz_parsers;
mod notation_against_others;
mod notation_pgn;
mod notation_properties;
mod opening_book;
mod oracles;
mod perft_suite;
#[path = "../support/retrograde.rs"]
mod retrograde;
mod syzygy;
