//! Disjoint parts of a book: a tuning run must not use the openings of the acceptance test of its weights.

use serde::{Deserialize, Serialize};

/// Of every four consecutive openings, the last is reserved for acceptance tests.
const GROUP: u64 = 4;

/// A book with fewer openings is not divided.
const MIN_DIVIDED: u64 = 2 * GROUP;

/// The part of a book that a run uses. `Tuning` and `Acceptance` are disjoint, even if a run cycles through its part
/// several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// All openings.
    #[default]
    Whole,
    /// Three of every four openings.
    Tuning,
    /// Every fourth opening, which no tuning run uses.
    Acceptance,
}

impl Share {
    /// Returns how many of the `all` openings of a book belong to this part; at least 1 if the book is not empty.
    pub fn len(self, all: u64) -> u64 {
        let reserved = all / GROUP;
        match self {
            _ if all < MIN_DIVIDED => all,
            Self::Whole => all,
            Self::Tuning => all - reserved,
            Self::Acceptance => reserved,
        }
    }

    /// Converts an index in this part to an index in the book, which has `all` openings.
    pub(super) fn book_index(self, index: u64, all: u64) -> u64 {
        match self {
            _ if all < MIN_DIVIDED => index,
            Self::Whole => index,
            Self::Tuning => index / (GROUP - 1) * GROUP + index % (GROUP - 1),
            Self::Acceptance => index * GROUP + GROUP - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_parts_are_disjoint_and_cover_the_book() {
        for all in [8, 9, 10, 11, 12, 2400] {
            let indices = |share: Share| (0..share.len(all)).map(move |index| share.book_index(index, all));
            let mut both: Vec<u64> = indices(Share::Tuning).chain(indices(Share::Acceptance)).collect();
            both.sort_unstable();
            assert!(both.into_iter().eq(0..all), "{all}");
        }
    }

    #[test]
    fn a_book_of_few_openings_is_not_divided() {
        for share in [Share::Whole, Share::Tuning, Share::Acceptance] {
            assert_eq!((share.len(7), share.book_index(6, 7)), (7, 6));
        }
    }
}
