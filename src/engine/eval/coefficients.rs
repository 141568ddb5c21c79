//! An evaluation taken down: how often each weight counts, for whom, and how the halves were joined.

use std::sync::OnceLock;

use crate::chess::{Color, Position};
use crate::engine::eval::evaluator::listen;
use crate::engine::eval::taper::Shares;
use crate::engine::eval::tapered::Phases;
use crate::engine::eval::trace::Trace;
use crate::engine::eval::weights::Weights;
use crate::engine::{Declared, Spec};

/// The 32-bit cells the weights are made of.
pub const SLOTS: usize = size_of::<Weights>() / size_of::<i32>();

/// Where one declared number lives: its slot, and the phases it counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot that a [`Trace`] hears of.
    pub slot: usize,
    /// The half of the slot, or both.
    pub phases: Phases,
}

/// The place of each number of [`Weights::specs`], in the same order.
pub fn places() -> &'static [Place] {
    static PLACES: OnceLock<Vec<Place>> = OnceLock::new();
    PLACES.get_or_init(|| {
        let suffix = |spec: &'static Spec| &spec.name[spec.field.len()..];
        let (mut next, mut open_half) = (0, None);
        let place = |spec: &'static Spec| {
            let phases = match suffix(spec) {
                half if half.starts_with("_mg") => Phases::Middlegame,
                half if half.starts_with("_eg") => Phases::Endgame,
                _ => Phases::Both,
            };
            // An endgame half shares the slot of the middlegame half declared right before it.
            let partner = open_half.take();
            let label = (spec.field, suffix(spec).get(3..));
            if phases == Phases::Endgame && partner == Some(label) {
                return Place { slot: next - 1, phases };
            }
            open_half = (phases == Phases::Middlegame).then_some(label);
            next += 1;
            Place { slot: next - 1, phases }
        };
        Weights::specs().iter().map(place).collect()
    })
}

/// What one evaluation added, by slot and colour.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// How often each slot's weight was added for a side.
    pub terms: [Vec<i32>; 2],
    /// How often each slot's units were added to the danger of a side's king.
    pub danger: [Vec<i32>; 2],
    /// The joining; `None` if the position is a known ending, which no weight decides.
    pub shares: Option<Shares>,
    /// White's score before the hundred-move clock.
    pub score: i32,
}

impl Coefficients {
    /// Takes down the evaluation of `position`.
    pub fn of(position: &Position, weights: &Weights) -> Self {
        let zeros = || [vec![0; SLOTS], vec![0; SLOTS]];
        let mut taken = Self { terms: zeros(), danger: zeros(), shares: None, score: 0 };
        taken.score = listen(position, weights, &mut taken);
        taken
    }
}

impl Trace for Coefficients {
    fn term(&mut self, us: Color, slot: usize, count: i32) {
        self.terms[us.index()][slot] += count;
    }

    fn danger(&mut self, us: Color, slot: usize, count: i32) {
        self.danger[us.index()][slot] += count;
    }

    fn joined(&mut self, shares: Shares) {
        self.shares = Some(shares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_number_has_a_place_and_every_slot_a_number() {
        let places = places();
        assert_eq!(places.len(), Weights::specs().len());
        let mut parts = vec![Vec::new(); SLOTS];
        for place in places {
            parts[place.slot].push(place.phases);
        }
        for (slot, phases) in parts.iter().enumerate() {
            assert!(
                matches!(phases[..], [_] | [Phases::Middlegame, Phases::Endgame]),
                "slot {slot} holds {phases:?}"
            );
        }
    }
}
