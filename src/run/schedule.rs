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
    /// The first engines meet each other and all others.
    Gauntlet,
    /// The first engines meet all others, not each other.
    Teams,
    /// Every engine meets all before it, as soon as it has joined.
    Pyramid,
}

/// The unbounded list of pairs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    matchups: Vec<[EngineIndex; 2]>,
    /// Encounters of one matchup in a row.
    block: u64,
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
    /// The schedule of `engines` engines, at least two, of which the first `seeds` are special in some pairings.
    pub fn new(pairing: Pairing, engines: u16, seeds: u16, block: u64) -> Self {
        let seeds = seeds.clamp(1, engines.saturating_sub(1).max(1));
        let meet = |first: u16, others: std::ops::Range<u16>| {
            others.map(move |second| [EngineIndex(first), EngineIndex(second)])
        };
        let matchups = match pairing {
            Pairing::RoundRobin => (0..engines).flat_map(|first| meet(first, first + 1..engines)).collect(),
            Pairing::Gauntlet => (0..seeds).flat_map(|first| meet(first, first + 1..engines)).collect(),
            Pairing::Teams => (0..seeds).flat_map(|first| meet(first, seeds..engines)).collect(),
            Pairing::Pyramid => (1..engines).flat_map(|first| meet(first, 0..first)).collect(),
        };
        Self { matchups, block: block.max(1) }
    }

    /// Every pair of engines that meet, in the order of a round.
    pub fn matchups(&self) -> &[[EngineIndex; 2]] {
        &self.matchups
    }

    /// The fixture of pair `index`.
    pub fn fixture(&self, index: u64) -> Fixture {
        let count = self.matchups.len() as u64;
        let (meeting, of_block) = (index / self.block, index % self.block);
        let matchup = (meeting % count) as usize;
        let round = meeting / count * self.block + of_block;
        Fixture { matchup, engines: self.matchups[matchup], round }
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
        let matchups = |pairing, engines, seeds| names(&Schedule::new(pairing, engines, seeds, 1));
        assert_eq!(matchups(Pairing::RoundRobin, 2, 1), [(0, 1)]);
        let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        assert_eq!(matchups(Pairing::RoundRobin, 4, 1), all);
        assert_eq!(matchups(Pairing::Gauntlet, 4, 1), all[..3]);
        assert_eq!(matchups(Pairing::Gauntlet, 4, 2), all[..5]);
        assert_eq!(matchups(Pairing::Gauntlet, 4, 9), all);
        assert_eq!(matchups(Pairing::Teams, 4, 2), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(matchups(Pairing::Pyramid, 3, 1), [(1, 0), (2, 0), (2, 1)]);
    }

    #[test]
    fn all_matchups_of_a_round_share_an_opening() {
        let schedule = Schedule::new(Pairing::RoundRobin, 3, 1, 1);
        let rounds: Vec<u64> = (0..7).map(|index| schedule.fixture(index).round).collect();
        assert_eq!(rounds, [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(schedule.fixture(4).engines, [EngineIndex(0), EngineIndex(2)]);
        let in_blocks = Schedule::new(Pairing::RoundRobin, 3, 1, 2);
        let places: Vec<(usize, u64)> =
            (0..8).map(|index| in_blocks.fixture(index)).map(|place| (place.matchup, place.round)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 2), (0, 3)]);
    }
}
