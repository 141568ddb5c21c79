//! What a run leaves behind and shows.

pub mod chart;
pub mod page;
