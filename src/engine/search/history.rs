//! What moves did before: tables that order and judge moves by their record in this search.

use crate::chess::{Move, PieceKind};

/// No record grows past this.
const LIMIT: i32 = 16_384;
const PIECE_SQUARES: usize = 12 * 64;

/// A piece on the square it moved to, as a row of tables; [`Footprint::NONE`] is the row of "no move".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footprint(u16);

impl Footprint {
    /// No move, or a null one.
    pub(super) const NONE: Self = Self(PIECE_SQUARES as u16);
    /// As many rows as there are footprints.
    pub(super) const ROWS: usize = PIECE_SQUARES + 1;

    #[inline(always)]
    pub(super) const fn of(mv: Move) -> Self {
        Self((mv.piece_code() * 64 + mv.to().index()) as u16)
    }

    #[inline(always)]
    pub(super) const fn row(self) -> usize {
        self.0 as usize
    }
}

/// Moves a cell towards the sign of `bonus`, the less the nearer it is to its limit.
#[inline(always)]
fn nudge(cell: &mut i16, bonus: i32) {
    let old = i32::from(*cell);
    *cell = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// The footprints that quiet moves are judged by: the moves one, two and four plies before.
pub(super) type Trail = [Footprint; 3];

/// The records of one thread.
pub(super) struct Histories {
    quiet: Box<[[i16; 4096]]>,
    capture: Box<[[i16; 6]]>,
    continuation: Box<[[i16; PIECE_SQUARES]]>,
    counter: Box<[Move]>,
}

impl Histories {
    pub(in crate::engine) fn new() -> Self {
        Self {
            quiet: vec![[0; 4096]; 2].into_boxed_slice(),
            capture: vec![[0; 6]; PIECE_SQUARES].into_boxed_slice(),
            continuation: vec![[0; PIECE_SQUARES]; Footprint::ROWS].into_boxed_slice(),
            counter: vec![Move::NONE; Footprint::ROWS].into_boxed_slice(),
        }
    }

    /// The move that last answered `before` well; [`Move::NONE`] if none did.
    pub(super) fn counter(&self, before: Footprint) -> Move {
        self.counter[before.row()]
    }

    pub(super) fn set_counter(&mut self, before: Footprint, mv: Move) {
        self.counter[before.row()] = mv;
    }

    /// The record of a quiet move after the moves of `trail`.
    #[inline(always)]
    pub(super) fn quiet(&self, mv: Move, trail: &Trail) -> i32 {
        let column = Footprint::of(mv).row();
        let followed = |before: Footprint| i32::from(self.continuation[before.row()][column]);
        i32::from(self.quiet[mv.color().index()][from_to(mv)])
            + followed(trail[0])
            + followed(trail[1])
            + followed(trail[2]) / 2
    }

    pub(super) fn update_quiet(&mut self, mv: Move, trail: &Trail, bonus: i32) {
        nudge(&mut self.quiet[mv.color().index()][from_to(mv)], bonus);
        self.update_continuation(mv, trail, bonus);
    }

    pub(super) fn update_continuation(&mut self, mv: Move, trail: &Trail, bonus: i32) {
        let column = Footprint::of(mv).row();
        for before in trail {
            if *before != Footprint::NONE {
                nudge(&mut self.continuation[before.row()][column], bonus);
            }
        }
    }

    /// The record of a capture or promotion.
    #[inline(always)]
    pub(super) fn capture(&self, mv: Move, taken: PieceKind) -> i32 {
        i32::from(self.capture[Footprint::of(mv).row()][taken.index()])
    }

    pub(super) fn update_capture(&mut self, mv: Move, taken: PieceKind, bonus: i32) {
        nudge(&mut self.capture[Footprint::of(mv).row()][taken.index()], bonus);
    }
}

#[inline(always)]
fn from_to(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Color, Piece, Square};

    #[test]
    fn a_record_follows_its_bonuses_and_never_passes_its_limit() {
        let mut histories = Histories::new();
        let knight = Piece::new(Color::White, PieceKind::Knight);
        let mv = Move::quiet(knight, Square::G1, Square::F3);
        let trail = [Footprint::of(mv), Footprint::NONE, Footprint::NONE];
        for _ in 0..1000 {
            histories.update_quiet(mv, &trail, 1500);
        }
        let high = histories.quiet(mv, &trail);
        assert!(high > LIMIT && high <= 2 * LIMIT);
        for _ in 0..1000 {
            histories.update_quiet(mv, &trail, -1500);
        }
        assert!(histories.quiet(mv, &trail) < -LIMIT);
        let elsewhere = Move::quiet(knight, Square::G1, Square::H3);
        assert_eq!(histories.quiet(elsewhere, &trail), 0);
    }
}
