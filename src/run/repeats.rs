//! Pairs that repeat earlier ones move for move, as engines do at fixed nodes or depth from the same opening.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::journal::GameEntry;

/// After this many repeats in a row there is nothing left to learn from the openings.
pub(super) const MAX_IN_A_ROW: u64 = 50;

/// The games of the counted pairs, by which a repeat is recognised.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    pairs: HashMap<(usize, Vec<u64>), u64>,
    skipped: u64,
    in_a_row: u64,
}

impl Repeats {
    /// Returns the earlier pair of this matchup with the same games. Without one, notes this pair for later.
    pub(super) fn find_or_note(&mut self, pair: u64, matchup: usize, games: &[GameEntry]) -> Option<u64> {
        let hashes: Vec<u64> = games.iter().map(|game| game.move_hash).collect();
        // Records of older versions have no hash.
        if hashes.contains(&0) {
            return None;
        }
        match self.pairs.entry((matchup, hashes)) {
            Entry::Occupied(earlier) => Some(*earlier.get()),
            Entry::Vacant(vacant) => {
                vacant.insert(pair);
                self.in_a_row = 0;
                None
            }
        }
    }

    /// Notes that a pair is not counted. Returns a warning for the first one.
    pub(super) fn skip(&mut self, pair: u64, earlier: u64) -> Option<String> {
        self.skipped += 1;
        self.in_a_row += 1;
        (self.skipped == 1).then(|| {
            format!(
                "pair {} repeats pair {} move for move; such pairs are not counted",
                pair + 1,
                earlier + 1
            )
        })
    }

    /// Returns whether the run only repeats itself.
    pub(super) fn are_all_that_is_left(&self) -> bool {
        self.in_a_row == MAX_IN_A_ROW
    }

    /// Returns the number of pairs that were not counted.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }
}
