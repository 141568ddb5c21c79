//! Alpha-beta search: iterative deepening, the main search node, quiescence, move ordering and history tables.

mod correction;
mod history;
mod history_update;
mod iterate;
mod late_moves;
mod near_mate;
mod node;
mod null_move;
mod picker;
mod pruning;
mod quiescence;
mod root;
mod see;
mod singular;
mod tables;
mod thread;

pub(super) use pruning::Reductions;
pub(super) use root::{RootMove, RootMoves};
pub(super) use tables::TableProbe;
pub(super) use thread::{Memory, Search, SearchShared, ThreadRole};
