//! One evaluation from start to end.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square};
use crate::engine::eval::Weights;
use crate::engine::eval::accumulator::{Accumulator, danger_cost};
use crate::engine::eval::attack_map::AttackMap;
use crate::engine::eval::pawns::PawnStructure;
use crate::engine::eval::taper::{Shares, phase};
use crate::engine::eval::trace::Trace;

/// A position under evaluation.
pub(super) struct Evaluation<'a, T> {
    pub(super) position: &'a Position,
    pub(super) tally: Accumulator<'a, T>,
    pub(super) map: AttackMap,
    pub(super) structure: PawnStructure,
    pub(super) counts: [[i32; 6]; 2],
}

impl<'a, T: Trace> Evaluation<'a, T> {
    /// White's score in centipawns, of a position that is no known ending, before the hundred-move clock.
    ///
    /// `structure` must have been judged with the same weights, and heard by the same listener.
    pub(super) fn score(
        position: &'a Position,
        weights: &'a Weights,
        structure: PawnStructure,
        trace: &'a mut T,
    ) -> i32 {
        let mut counts = [[0; 6]; 2];
        for us in Color::ALL {
            for kind in PieceKind::ALL {
                counts[us.index()][kind.index()] = position.pieces(us, kind).len() as i32;
            }
        }
        let mut evaluation = Self {
            position,
            tally: Accumulator::new(weights, trace),
            map: AttackMap::new(position),
            structure,
            counts,
        };
        evaluation.sum()
    }

    fn sum(&mut self) -> i32 {
        // Each side is written out, and everything below inlined, so that the compiler sees which way pawns walk.
        self.muster(Color::White);
        self.muster(Color::Black);
        // From here on the attack maps of both sides are complete.
        self.compare(Color::White);
        self.compare(Color::Black);
        self.tally.add(self.position.turn(), &self.tally.weights.tempo, 1);

        let (white, black) =
            (danger_cost(self.tally.danger(Color::White)), danger_cost(self.tally.danger(Color::Black)));
        let balance = self.tally.balance() + self.structure.balance + black - white;
        let shares = Shares { phase: phase(self.position), scale: self.scale(balance) };
        self.tally.trace.joined(shares);
        shares.join(balance)
    }

    /// What needs no knowledge of the enemy's attacks; gathers the own ones.
    #[inline(always)]
    fn muster(&mut self, us: Color) {
        self.material(us);
        self.pieces(us);
    }

    /// What needs the attacks of both sides.
    #[inline(always)]
    fn compare(&mut self, us: Color) {
        self.king_pawns(us);
        self.king_danger(us);
        self.threats(us);
        self.passers(us);
        self.space(us);
        self.home_centre(us);
    }

    /// Centre pawns at home that a man stands in front of.
    #[inline(always)]
    fn home_centre(&mut self, us: Color) {
        let home = Bitboard::of(Square::D2.relative(us)) | Bitboard::of(Square::E2.relative(us));
        let stuck = home & self.position.pieces(us, PieceKind::Pawn) & self.position.occupied().forward(!us);
        self.tally.add(us, &self.tally.weights.blocked_centre_pawn, stuck.len() as i32);
    }
}
