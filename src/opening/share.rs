//! Which openings of a book a run may use: what tunes weights must not see the openings that judge them.

use serde::{Deserialize, Serialize};

/// Of four openings in a row, the last is kept back.
const ROW: u64 = 4;

/// A book of fewer openings is not shared out.
const LEAST_SHARED: u64 = 2 * ROW;

/// The part of a book that a run draws from. The two parts have no line in common, however often a run begins anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// All of it.
    #[default]
    Whole,
    /// Three openings of four.
    Tuning,
    /// Every fourth, which no tuning run uses.
    Acceptance,
}

impl Share {
    /// How many of a book's `all` openings belong to it; at least 1 if the book has one.
    pub fn len(self, all: u64) -> u64 {
        let kept_back = all / ROW;
        match self {
            _ if all < LEAST_SHARED => all,
            Self::Whole => all,
            Self::Tuning => all - kept_back,
            Self::Acceptance => kept_back,
        }
    }

    /// The place in the book, of `all` openings, of its opening number `own`, from 0.
    pub(super) fn place(self, own: u64, all: u64) -> u64 {
        match self {
            _ if all < LEAST_SHARED => own,
            Self::Whole => own,
            Self::Tuning => own / (ROW - 1) * ROW + own % (ROW - 1),
            Self::Acceptance => own * ROW + ROW - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_parts_make_up_the_book_and_share_no_opening() {
        for all in [8, 9, 10, 11, 12, 2400] {
            let places = |share: Share| (0..share.len(all)).map(move |own| share.place(own, all));
            let mut both: Vec<u64> = places(Share::Tuning).chain(places(Share::Acceptance)).collect();
            both.sort_unstable();
            assert!(both.into_iter().eq(0..all), "{all}");
        }
    }

    #[test]
    fn a_handful_of_openings_serves_both() {
        for share in [Share::Whole, Share::Tuning, Share::Acceptance] {
            assert_eq!((share.len(7), share.place(6, 7)), (7, 6));
        }
    }
}
