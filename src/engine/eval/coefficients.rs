//! The coefficients of an evaluation: how often each weight counts for each side.

use std::sync::OnceLock;

use crate::chess::{Color, Position};
use crate::engine::eval::evaluator::evaluate_with_trace;
use crate::engine::eval::taper::Taper;
use crate::engine::eval::tapered::Phases;
use crate::engine::eval::trace::Trace;
use crate::engine::eval::weights::Weights;
use crate::engine::{Declared, Spec};

/// Number of 32-bit words in the weights.
pub const SLOTS: usize = size_of::<Weights>() / size_of::<i32>();

/// The slot of one declared number, and the phases in which it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightSlot {
    /// The slot that is reported to a [`Trace`].
    pub slot: usize,
    /// The half of the slot, or both.
    pub phases: Phases,
}

/// Returns the slot of each number of [`Weights::specs`], in the same order.
pub fn weight_slots() -> &'static [WeightSlot] {
    static WEIGHT_SLOTS: OnceLock<Vec<WeightSlot>> = OnceLock::new();
    WEIGHT_SLOTS.get_or_init(|| {
        let suffix = |spec: &'static Spec| &spec.name[spec.field.len()..];
        let (mut next, mut open_half) = (0, None);
        let weight_slot = |spec: &'static Spec| {
            let phases = match suffix(spec) {
                half if half.starts_with("_mg") => Phases::Middlegame,
                half if half.starts_with("_eg") => Phases::Endgame,
                _ => Phases::Both,
            };
            // An endgame half shares the slot of the middlegame half that is declared directly before it.
            let partner = open_half.take();
            let label = (spec.field, suffix(spec).get(3..));
            if phases == Phases::Endgame && partner == Some(label) {
                return WeightSlot { slot: next - 1, phases };
            }
            open_half = (phases == Phases::Middlegame).then_some(label);
            next += 1;
            WeightSlot { slot: next - 1, phases }
        };
        Weights::specs().iter().map(weight_slot).collect()
    })
}

/// The coefficients of one evaluation, by colour and slot.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// How often the weight of each slot was added for a side.
    pub terms: [Vec<i32>; 2],
    /// How often the weight of each slot was added to the danger of the king of a side.
    pub danger: [Vec<i32>; 2],
    /// The factors of middlegame and endgame; `None` if the position is a known ending, whose score has no terms.
    pub taper: Option<Taper>,
    /// White's score without the halfmove clock.
    pub score: i32,
}

impl Coefficients {
    /// Records the coefficients of the evaluation of `position`.
    pub fn of(position: &Position, weights: &Weights) -> Self {
        let zeros = || [vec![0; SLOTS], vec![0; SLOTS]];
        let mut coefficients = Self { terms: zeros(), danger: zeros(), taper: None, score: 0 };
        coefficients.score = evaluate_with_trace(position, weights, &mut coefficients);
        coefficients
    }
}

impl Trace for Coefficients {
    fn term(&mut self, us: Color, slot: usize, count: i32) {
        self.terms[us.index()][slot] += count;
    }

    fn danger(&mut self, us: Color, slot: usize, count: i32) {
        self.danger[us.index()][slot] += count;
    }

    fn taper(&mut self, taper: Taper) {
        self.taper = Some(taper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_number_has_a_slot_and_every_slot_a_number() {
        let weight_slots = weight_slots();
        assert_eq!(weight_slots.len(), Weights::specs().len());
        let mut phases_by_slot = vec![Vec::new(); SLOTS];
        for weight_slot in weight_slots {
            phases_by_slot[weight_slot.slot].push(weight_slot.phases);
        }
        for (slot, phases) in phases_by_slot.iter().enumerate() {
            assert!(
                matches!(phases[..], [_] | [Phases::Middlegame, Phases::Endgame]),
                "slot {slot} holds {phases:?}"
            );
        }
    }
}
