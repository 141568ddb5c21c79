//! Values of endgame tables in the search.

use std::sync::atomic::Ordering;

use crate::chess::{Move, Position};
use crate::engine::score::{TABLE_WIN, Value};
use crate::engine::search::node::NodeKind;
use crate::engine::search::thread::Search;
use crate::syzygy::{Tablebases, Wdl};

/// Endgame tables and the number of men up to which they are used.
#[derive(Clone, Copy)]
pub(in crate::engine) struct TableProbe<'a> {
    pub(in crate::engine) tables: &'a Tablebases,
    pub(in crate::engine) max_men: u32,
}

impl TableProbe<'_> {
    fn covers(&self, position: &Position) -> bool {
        position.occupied().len() <= self.max_men && position.castling().is_empty()
    }

    /// Returns the moves that win soonest or lose latest, if the tables know the position.
    pub(in crate::engine) fn best_moves(&self, position: &Position) -> Option<Vec<Move>> {
        if !self.covers(position) {
            return None;
        }
        let best = self.tables.best_moves(position).ok()?;
        Some(best.into_iter().map(|best| best.mv).collect())
    }
}

impl Search<'_> {
    /// Returns the value of a position that the tables decide within this window: a win only from beta on, because it may
    /// still be a mate, and a loss only up to alpha.
    #[inline]
    pub(super) fn table_value<K: NodeKind>(
        &self,
        position: &Position,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let probe = self.shared.tables.filter(|_| !K::ROOT && self.frame(ply).excluded.is_none())?;
        // The tables are exact only right after a capture or a pawn move.
        if position.halfmove_clock() != 0 || !probe.covers(position) {
            return None;
        }
        let wdl = probe.tables.probe_wdl(position).ok()?;
        self.shared.table_hits.fetch_add(1, Ordering::Relaxed);
        match wdl {
            Wdl::Win => (TABLE_WIN >= beta).then_some(TABLE_WIN),
            Wdl::Loss => (-TABLE_WIN <= alpha).then_some(-TABLE_WIN),
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => Some(self.draw_value(position.turn())),
        }
    }
}
