//! Perft: the number of move sequences of a given length, an exact test of a move generator.

mod leaf_stats;
mod run;
mod suite;
mod table;
mod tree;

pub use leaf_stats::LeafStats;
pub use run::Perft;
pub use suite::{SEED_SUITE, SuiteRow};
pub use table::PerftTable;
pub use tree::perft;
