//! A score told term by term, in parts that add up to it exactly.

use crate::chess::{Color, Position};
use crate::engine::Declared;
use crate::engine::eval::accumulator::danger_cost;
use crate::engine::eval::coefficients::{Coefficients, places};
use crate::engine::eval::taper::{FULL_PHASE, FULL_SCALE, Shares, fade, phase};
use crate::engine::eval::tapered::{Phases, Tapered};
use crate::engine::eval::weights::Weights;

/// One term of a score, in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakdownTerm {
    /// The declared field, or what else moves the score.
    pub name: &'static str,
    /// White's part.
    pub white: i32,
    /// Black's part.
    pub black: i32,
    /// What it adds to White's score: `white - black`.
    pub total: i32,
}

/// A score and the terms that it is the sum of, from White's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// White's score in centipawns; the sum of all totals.
    pub score_cp: i32,
    /// 24 with all pieces on the board, 0 with none but kings and pawns.
    pub phase: i32,
    /// The terms that count, in declared order; then danger, scaling and rounding.
    pub terms: Vec<BreakdownTerm>,
}

/// Tells White's score of `position` term by term.
pub fn breakdown(position: &Position, weights: &Weights) -> Breakdown {
    let taken = Coefficients::of(position, weights);
    let score_cp = match taken.shares {
        None => taken.score,
        Some(_) => fade(taken.score, position.halfmove_clock(), weights.fifty_moves_stretch),
    };
    let mut told = Breakdown { score_cp, phase: phase(position), terms: Vec::new() };
    match taken.shares {
        None => told.adjust("known_ending", taken.score),
        Some(shares) => {
            let plain = Shares { scale: [FULL_SCALE; 2], ..shares };
            let balance = told.tell_fields(&taken, weights, plain) + told.tell_danger(&taken, weights, plain);
            let sum: i32 = told.terms.iter().map(|term| term.total).sum();
            told.adjust("rounding", plain.join(balance) - sum);
            told.adjust("winnable_share", taken.score - plain.join(balance));
        }
    }
    told.adjust("hundred_move_clock", score_cp - taken.score);
    told
}

impl Breakdown {
    /// The declared fields, one row each; gives their exact balance.
    fn tell_fields(&mut self, taken: &Coefficients, weights: &Weights, plain: Shares) -> Tapered {
        let specs = Weights::specs();
        let mut balance = Tapered::ZERO;
        let mut index = 0;
        while index < specs.len() {
            let field = specs[index].field;
            let mut sides = [Tapered::ZERO; 2];
            while index < specs.len() && specs[index].field == field {
                let place = places()[index];
                for (sum, counts) in sides.iter_mut().zip(&taken.terms) {
                    *sum += part(weights.cell(index), place.phases) * counts[place.slot];
                }
                index += 1;
            }
            balance += sides[0] - sides[1];
            self.row(field, sides, plain);
        }
        balance
    }

    /// The danger of both kings; gives its exact balance.
    fn tell_danger(&mut self, taken: &Coefficients, weights: &Weights, plain: Shares) -> Tapered {
        let sides = Color::ALL.map(|us| {
            let counts = &taken.danger[us.index()];
            let units =
                places().iter().enumerate().map(|(index, place)| weights.cell(index) * counts[place.slot]);
            -danger_cost(units.sum())
        });
        self.row("king_danger", sides, plain);
        sides[0] - sides[1]
    }

    fn row(&mut self, name: &'static str, sides: [Tapered; 2], plain: Shares) {
        let [white, black] = sides.map(|side| plain.join(side));
        if white != 0 || black != 0 {
            self.terms.push(BreakdownTerm { name, white, black, total: white - black });
        }
    }

    /// A change that belongs to no side alone, booked as White's.
    fn adjust(&mut self, name: &'static str, total: i32) {
        if total != 0 {
            self.terms.push(BreakdownTerm { name, white: total, black: 0, total });
        }
    }

    /// The phase as a share of a full board.
    pub fn phase_share(&self) -> f64 {
        f64::from(self.phase) / f64::from(FULL_PHASE)
    }
}

fn part(value: i32, phases: Phases) -> Tapered {
    match phases {
        Phases::Both => Tapered::new(value, value),
        Phases::Middlegame => Tapered::new(value, 0),
        Phases::Endgame => Tapered::new(0, value),
    }
}
