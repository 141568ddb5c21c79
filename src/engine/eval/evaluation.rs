//! The evaluation of one position.

use crate::chess::{Bitboard, Color, PieceKind, Position, Square};
use crate::engine::eval::Weights;
use crate::engine::eval::accumulator::{Accumulator, danger_cost};
use crate::engine::eval::attack_map::AttackMap;
use crate::engine::eval::material::Material;
use crate::engine::eval::pawns::PawnStructure;
use crate::engine::eval::taper::Taper;
use crate::engine::eval::trace::Trace;

/// A position under evaluation.
pub(super) struct Evaluation<'a, T> {
    pub(super) position: &'a Position,
    pub(super) tally: Accumulator<'a, T>,
    pub(super) map: AttackMap,
    pub(super) structure: PawnStructure,
    material: Material,
}

impl<'a, T: Trace> Evaluation<'a, T> {
    /// Returns White's score in centipawns of a position that is not a known ending, without the halfmove clock.
    ///
    /// `structure`, with the pawns around the kings, and `material` must have been evaluated with the same weights and the
    /// same trace.
    pub(super) fn score(
        position: &'a Position,
        weights: &'a Weights,
        structure: PawnStructure,
        material: Material,
        trace: &'a mut T,
    ) -> i32 {
        let mut evaluation = Self {
            position,
            tally: Accumulator::new(weights, trace),
            map: AttackMap::new(position),
            structure,
            material,
        };
        evaluation.sum()
    }

    fn sum(&mut self) -> i32 {
        // The calls for both sides are written out and everything below is inlined, so that the compiler specialises the
        // code for the direction of the pawns.
        self.pieces(Color::White);
        self.pieces(Color::Black);
        // From here on the attack maps of both sides are complete.
        self.evaluate_attacks(Color::White);
        self.evaluate_attacks(Color::Black);
        self.tally.add(self.position.turn(), &self.tally.weights.tempo, 1);

        let (white, black) =
            (danger_cost(self.tally.danger(Color::White)), danger_cost(self.tally.danger(Color::Black)));
        let cached = self.structure.balance + self.material.balance;
        let balance = self.tally.balance() + cached + black - white;
        let taper = Taper { phase: self.material.phase, scale: self.scale(balance) };
        self.tally.trace.taper(taper);
        taper.interpolate(balance)
    }

    /// Evaluates the terms that depend on the attacks of both sides.
    #[inline(always)]
    fn evaluate_attacks(&mut self, us: Color) {
        self.castled(us);
        self.king_danger(us);
        self.threats(us);
        self.passers(us);
        self.space(us);
        self.blocked_centre_pawns(us);
    }

    /// Evaluates unmoved centre pawns that are blocked.
    #[inline(always)]
    fn blocked_centre_pawns(&mut self, us: Color) {
        let home = Bitboard::of(Square::D2.relative(us)) | Bitboard::of(Square::E2.relative(us));
        let blocked =
            home & self.position.pieces(us, PieceKind::Pawn) & self.position.occupied().forward(!us);
        self.tally.add(us, &self.tally.weights.blocked_centre_pawn, blocked.len() as i32);
    }
}
