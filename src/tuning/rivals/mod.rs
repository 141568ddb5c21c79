//! Tuners after the ideas of others, to compare with: schedule-free SPSA, CLOP and CMA-ES.
//!
//! Each is reduced to its idea and adapted to pairs of games between two settings, with as many pairs in play at once as the
//! lookahead allows. None of them has a model of how much is left to gain, so none stops by itself.

mod clop;
mod cma_es;
mod schedule_free;

pub(super) use clop::Clop;
pub(super) use cma_es::CmaEs;
pub(super) use schedule_free::ScheduleFree;
