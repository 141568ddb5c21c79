//! Values of positions: the tables, with captures, en passant and the rules applied.
//!
//! A table may store anything for a position whose best move is a capture, and ignores en passant. The value of a
//! position is therefore the better of the stored value and the best capture.

use crate::chess::{Move, PieceKind, Position};
use crate::syzygy::table::{Kind, StoredDistance};
use crate::syzygy::{Damage, Dtz, ProbeError, Tablebases, Wdl};

/// A value, and whether a capture or pawn move achieves it at once.
#[derive(Clone, Copy, Debug)]
struct Resolved {
    wdl: Wdl,
    zeroing: bool,
}

/// The moves whose results are looked up before the table is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookAhead {
    Captures,
    CapturesAndPawnMoves,
}

impl Tablebases {
    /// Returns the value of a position for the side to move, as if its halfmove clock were 0.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.check_position(position)?;
        Ok(self.resolve(position, LookAhead::Captures)?.wdl)
    }

    /// Returns the distance of a position, as if its halfmove clock were 0. Needs both kinds of tables.
    pub fn probe_dtz(&self, position: &Position) -> Result<Dtz, ProbeError> {
        self.check_position(position)?;
        self.distance(position)
    }

    /// Returns the value of a position under the fifty-move rule: by the tables of values at a clock of 0, otherwise
    /// by the distance, which must leave no doubt.
    pub fn probe_with_clock(&self, position: &Position) -> Result<Wdl, ProbeError> {
        match position.halfmove_clock() {
            0 => self.probe_wdl(position),
            clock => Ok(self.probe_dtz(position)?.with_clock(clock)),
        }
    }

    fn check_position(&self, position: &Position) -> Result<(), ProbeError> {
        let men = position.occupied().len();
        if !position.castling().is_empty() {
            Err(ProbeError::Castling)
        } else if men > self.max_men().max(2) {
            Err(ProbeError::TooManyMen(men))
        } else {
            Ok(())
        }
    }

    fn resolve(&self, position: &Position, ahead: LookAhead) -> Result<Resolved, ProbeError> {
        if position.occupied().len() == 2 {
            return Ok(Resolved { wdl: Wdl::Draw, zeroing: false });
        }
        let moves = position.legal_moves();
        let (mut best, mut tried) = (Wdl::Loss, 0);
        for &mv in moves.iter() {
            let pawn_move = ahead == LookAhead::CapturesAndPawnMoves && mv.kind() == PieceKind::Pawn;
            if !mv.is_capture() && !pawn_move {
                continue;
            }
            tried += 1;
            let wdl = -self.resolve(&position.play(mv), LookAhead::Captures)?.wdl;
            if wdl == Wdl::Win {
                return Ok(Resolved { wdl, zeroing: true });
            }
            best = best.max(wdl);
        }
        // Without other moves the stored value is not needed, and wrong where en passant is the only one.
        if tried > 0 && tried == moves.len() {
            return Ok(Resolved { wdl: best, zeroing: true });
        }
        let stored = self.with_table(Kind::Wdl, position, |table, strong| table.wdl(position, strong))?;
        if tried > 0 && best >= stored {
            return Ok(Resolved { wdl: best, zeroing: best > Wdl::Draw });
        }
        Ok(Resolved { wdl: stored, zeroing: false })
    }

    fn distance(&self, position: &Position) -> Result<Dtz, ProbeError> {
        match self.known_distance(position)? {
            (_, Some(distance)) => Ok(distance),
            (wdl, None) => self.distance_by_moves(position, wdl),
        }
    }

    /// Returns the value of a position, and its distance unless the table has that for the other side only.
    fn known_distance(&self, position: &Position) -> Result<(Wdl, Option<Dtz>), ProbeError> {
        let Resolved { wdl, zeroing } = self.resolve(position, LookAhead::CapturesAndPawnMoves)?;
        let distance = if wdl == Wdl::Draw || zeroing {
            Some(wdl.before_zeroing())
        } else {
            self.stored_distance(position, wdl)?
        };
        Ok((wdl, distance))
    }

    /// Returns the distance that the table has for this side to move, if it has it.
    fn stored_distance(&self, position: &Position, wdl: Wdl) -> Result<Option<Dtz>, ProbeError> {
        let stored =
            self.with_table(Kind::Dtz, position, |table, strong| table.dtz(position, strong, wdl))?;
        Ok(match stored {
            StoredDistance::Plies(plies) => Some(Dtz(wdl.before_zeroing().0 + wdl.sign() * plies)),
            StoredDistance::OtherSide => None,
        })
    }

    /// Returns the distance from those after each move: the table has them for the other side.
    fn distance_by_moves(&self, position: &Position, wdl: Wdl) -> Result<Dtz, ProbeError> {
        let mut best: Option<i32> = None;
        for &mv in position.legal_moves().iter() {
            let after = position.play(mv);
            let distance = if is_zeroing(mv) {
                (-self.resolve(&after, LookAhead::Captures)?.wdl).before_zeroing().0
            } else if after.in_check() && !after.has_legal_move() {
                1
            } else {
                let after = -self.distance_after(&after)?.0;
                after + after.signum()
            };
            if distance.signum() == wdl.sign() {
                best = Some(best.map_or(distance, |best| best.min(distance)));
            }
        }
        // Without a move the position is mate.
        Ok(Dtz(best.unwrap_or(wdl.before_zeroing().0)))
    }

    /// Returns the distance of a position after a quiet move; the table must have it for this side.
    fn distance_after(&self, position: &Position) -> Result<Dtz, ProbeError> {
        const NO_SIDE: Damage = Damage::Structure("the table has distances for neither side");
        match self.known_distance(position)? {
            (_, Some(distance)) => Ok(distance),
            (_, None) => self.with_table(Kind::Dtz, position, |_, _| Err(NO_SIDE)),
        }
    }
}

/// Returns whether a move sets the halfmove clock to 0.
pub(super) fn is_zeroing(mv: Move) -> bool {
    mv.is_capture() || mv.kind() == PieceKind::Pawn
}
