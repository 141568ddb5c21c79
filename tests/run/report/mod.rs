//! Reports, pages and the live dashboard.

mod attacks_page;
mod browser_charts;
mod browser_pages;
mod commands;
mod contrast;
mod page;
mod text;
mod watchers;
