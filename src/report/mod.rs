//! What a run leaves behind and shows.

pub mod chart;
pub mod comparison;
pub mod page;
