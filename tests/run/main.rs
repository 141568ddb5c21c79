//! Whole runs, mostly through the `playself` program: results, refusals, faults, kills and resumes, reports and pages.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/browser.rs"]
mod browser;
#[path = "../support/machine.rs"]
mod machine;
#[path = "../support/polyglot.rs"]
mod polyglot;
#[path = "../support/run.rs"]
mod run;
#[path = "../support/signals.rs"]
mod signals;
#[path = "../support/tmux.rs"]
mod tmux;

mod accidents;
mod attacks_engines;
mod attacks_files;
mod attacks_host;
mod commands;
mod compat_checks;
mod compat_lines;
mod compat_saved_runs;
mod compat_stops;
mod decisions;
mod durability;
mod engine_books;
mod faults;
mod faults_output;
mod first_steps;
mod host;
mod in_process;
mod invariants;
mod journal_damage;
mod json_events;
mod limit_probe;
mod records;
mod refusals;
mod repeats;
mod report;
mod soak;
mod terminal;
