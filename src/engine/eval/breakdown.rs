//! Breakdown of a score into terms that add up to it exactly.

use crate::chess::{Color, Position};
use crate::engine::Declared;
use crate::engine::eval::accumulator::danger_cost;
use crate::engine::eval::coefficients::{Coefficients, WeightSlot, weight_slots};
use crate::engine::eval::taper::{FULL_SCALE, Taper, phase, scale_by_halfmove_clock};
use crate::engine::eval::tapered::{Phases, Tapered};
use crate::engine::eval::weights::Weights;

/// One term of a score, in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakdownTerm {
    /// The declared field, or the name of another contribution.
    pub name: &'static str,
    /// White's value.
    pub white: i32,
    /// Black's value.
    pub black: i32,
    /// Contribution to White's score: `white - black`.
    pub total: i32,
}

/// A score and its terms, from White's point of view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// White's score in centipawns; the sum of all totals.
    pub score_cp: i32,
    /// 24 with all pieces on the board, 0 with only kings and pawns.
    pub phase: i32,
    /// The terms that are not zero, in declaration order; then danger, rounding and scaling.
    pub terms: Vec<BreakdownTerm>,
}

/// Breaks White's score of `position` down into its terms.
pub fn breakdown(position: &Position, weights: &Weights) -> Breakdown {
    let coefficients = Coefficients::of(position, weights);
    let score = coefficients.score;
    let score_cp = match coefficients.taper {
        None => score,
        Some(_) => scale_by_halfmove_clock(score, position.halfmove_clock(), weights.fifty_moves_stretch),
    };
    let mut breakdown = Breakdown { score_cp, phase: phase(position.counts()), terms: Vec::new() };
    match coefficients.taper {
        None => breakdown.adjust("known_ending", score),
        Some(taper) => {
            let unscaled = Taper { scale: [FULL_SCALE; 2], ..taper };
            let balance = breakdown.add_fields(&coefficients, weights, unscaled)
                + breakdown.add_danger(&coefficients, weights, unscaled);
            let sum: i32 = breakdown.terms.iter().map(|term| term.total).sum();
            breakdown.adjust("rounding", unscaled.interpolate(balance) - sum);
            breakdown.adjust("winnable_share", score - unscaled.interpolate(balance));
        }
    }
    breakdown.adjust("hundred_move_clock", score_cp - score);
    breakdown
}

impl Breakdown {
    /// Adds one row per declared field; returns the exact balance of all.
    fn add_fields(&mut self, coefficients: &Coefficients, weights: &Weights, taper: Taper) -> Tapered {
        let specs = Weights::specs();
        let mut balance = Tapered::ZERO;
        let mut index = 0;
        while index < specs.len() {
            let field = specs[index].field;
            let mut sides = [Tapered::ZERO; 2];
            while index < specs.len() && specs[index].field == field {
                let WeightSlot { slot, phases } = weight_slots()[index];
                for (sum, counts) in sides.iter_mut().zip(&coefficients.terms) {
                    *sum += tapered(weights.cell(index), phases) * counts[slot];
                }
                index += 1;
            }
            balance += sides[0] - sides[1];
            self.add_row(field, sides, taper);
        }
        balance
    }

    /// Adds the row of the danger of both kings; returns its exact balance.
    fn add_danger(&mut self, coefficients: &Coefficients, weights: &Weights, taper: Taper) -> Tapered {
        let sides = Color::ALL.map(|us| {
            let counts = &coefficients.danger[us.index()];
            let slots = weight_slots().iter().enumerate();
            let danger = slots.map(|(index, weight)| weights.cell(index) * counts[weight.slot]);
            -danger_cost(danger.sum())
        });
        self.add_row("king_danger", sides, taper);
        sides[0] - sides[1]
    }

    fn add_row(&mut self, name: &'static str, sides: [Tapered; 2], taper: Taper) {
        let [white, black] = sides.map(|side| taper.interpolate(side));
        if white != 0 || black != 0 {
            self.terms.push(BreakdownTerm { name, white, black, total: white - black });
        }
    }

    /// Adds a row for a contribution that belongs to neither side, as White's value.
    fn adjust(&mut self, name: &'static str, total: i32) {
        if total != 0 {
            self.terms.push(BreakdownTerm { name, white: total, black: 0, total });
        }
    }
}

fn tapered(value: i32, phases: Phases) -> Tapered {
    match phases {
        Phases::Both => Tapered::new(value, value),
        Phases::Middlegame => Tapered::new(value, 0),
        Phases::Endgame => Tapered::new(0, value),
    }
}
