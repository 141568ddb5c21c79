//! The moves of a position with the distances that they lead to.

use crate::chess::{Move, Position};
use crate::syzygy::probe::is_zeroing;
use crate::syzygy::{Dtz, ProbeError, Tablebases, Wdl};

/// A legal move and its value for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub mv: Move,
    /// The distance from the position before the move; 1 for a move that mates.
    pub dtz: Dtz,
    /// The value under the fifty-move rule and the clock of the position.
    pub wdl: Wdl,
}

impl TableMove {
    /// Orders moves from the worst to the best: by value; then the nearer win and the farther loss.
    fn rank(&self) -> (Wdl, i32) {
        (self.wdl, -self.dtz.0)
    }
}

impl Tablebases {
    /// Returns every legal move with its value.
    pub fn root_moves(&self, position: &Position) -> Result<Vec<TableMove>, ProbeError> {
        position.legal_moves().iter().map(|&mv| self.root_move(position, mv)).collect()
    }

    /// Returns the best moves: those that keep the value and win soonest or lose latest.
    pub fn best_moves(&self, position: &Position) -> Result<Vec<TableMove>, ProbeError> {
        let moves = self.root_moves(position)?;
        let best = moves.iter().map(TableMove::rank).max();
        Ok(moves.into_iter().filter(|mv| Some(mv.rank()) == best).collect())
    }

    fn root_move(&self, position: &Position, mv: Move) -> Result<TableMove, ProbeError> {
        let after = position.play(mv);
        if after.in_check() && !after.has_legal_move() {
            return Ok(TableMove { mv, dtz: Dtz(1), wdl: Wdl::Win });
        }
        if is_zeroing(mv) {
            let wdl = -self.probe_wdl(&after)?;
            return Ok(TableMove { mv, dtz: wdl.before_zeroing(), wdl });
        }
        let distance = -self.probe_dtz(&after)?.0;
        let dtz = Dtz(distance + distance.signum());
        // The clock of the position counts, and the move itself is part of the distance.
        Ok(TableMove { mv, dtz, wdl: dtz.with_clock(position.halfmove_clock()) })
    }
}
