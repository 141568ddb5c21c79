//! Reports, pages and the live dashboard.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "../support/browser.rs"]
mod browser;
#[path = "../support/machine.rs"]
mod machine;
#[path = "../support/run.rs"]
mod run;
#[path = "../support/signals.rs"]
mod signals;

mod attacks_page;
mod browser_charts;
mod browser_pages;
mod commands;
mod contrast;
mod page;
mod text;
mod watchers;
