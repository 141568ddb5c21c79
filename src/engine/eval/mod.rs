//! The static evaluation: a tapered sum of weighted terms.

mod accumulator;
mod attack_map;
mod breakdown;
mod coefficients;
mod endings;
mod evaluation;
mod evaluator;
mod king_danger;
mod kpk;
mod material;
mod passers;
mod pawn_cache;
mod pawn_spans;
mod pawns;
mod pieces;
mod shelter;
mod squares;
mod tables;
mod taper;
mod tapered;
mod threats;
mod trace;
mod weights;

pub use accumulator::danger_curve;
pub use breakdown::{Breakdown, BreakdownTerm, breakdown};
pub use coefficients::{Coefficients, SLOTS, WeightSlot, weight_slots};
pub use evaluator::{Evaluator, evaluate_with_trace};
pub use tables::{ByCount, ByFileAndRank, ByPawnSquare, ByRank, BySquare, PlainByCount};
pub use taper::{FULL_PHASE, FULL_SCALE, Taper, scale_by_halfmove_clock};
pub use tapered::{Endgame, Middlegame, Phases, Tapered, Term};
pub use trace::{NoTrace, Trace};
pub use weights::Weights;
