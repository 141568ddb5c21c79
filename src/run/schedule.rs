//! Engines and opening of each pair, both a function of its index in the schedule alone.

use crate::game::EngineIndex;
use serde::{Deserialize, Serialize};

/// Which engines meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Every engine meets every other.
    #[default]
    RoundRobin,
    /// The first engine meets all others.
    Gauntlet,
}

/// The unbounded list of pairs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    matchups: Vec<[EngineIndex; 2]>,
}

/// Engines and round of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Which matchup, in the order of [`Schedule::matchups`].
    pub matchup: usize,
    /// The engines; the first has White in game one.
    pub engines: [EngineIndex; 2],
    /// The round; all matchups of a round play the same opening.
    pub round: u64,
}

impl Schedule {
    /// The schedule of `engines` engines, at least two.
    pub fn new(pairing: Pairing, engines: u16) -> Self {
        let later =
            |first: u16| (first + 1..engines).map(move |second| [EngineIndex(first), EngineIndex(second)]);
        let matchups = match pairing {
            Pairing::RoundRobin => (0..engines).flat_map(later).collect(),
            Pairing::Gauntlet => later(0).collect(),
        };
        Self { matchups }
    }

    /// Every pair of engines that meet, lower index first.
    pub fn matchups(&self) -> &[[EngineIndex; 2]] {
        &self.matchups
    }

    /// The fixture of pair `index`.
    pub fn fixture(&self, index: u64) -> Fixture {
        let count = self.matchups.len() as u64;
        let matchup = (index % count) as usize;
        Fixture { matchup, engines: self.matchups[matchup], round: index / count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schedule: &Schedule) -> Vec<(u16, u16)> {
        schedule.matchups().iter().map(|[one, two]| (one.0, two.0)).collect()
    }

    #[test]
    fn every_two_engines_meet_once_a_round() {
        assert_eq!(names(&Schedule::new(Pairing::RoundRobin, 2)), [(0, 1)]);
        assert_eq!(
            names(&Schedule::new(Pairing::RoundRobin, 4)),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
        assert_eq!(names(&Schedule::new(Pairing::Gauntlet, 4)), [(0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn all_matchups_of_a_round_share_an_opening() {
        let schedule = Schedule::new(Pairing::RoundRobin, 3);
        let rounds: Vec<u64> = (0..7).map(|index| schedule.fixture(index).round).collect();
        assert_eq!(rounds, [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(schedule.fixture(4).engines, [EngineIndex(0), EngineIndex(2)]);
    }
}
