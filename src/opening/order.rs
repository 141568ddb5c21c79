//! Which opening a pair gets: a function of seed and pair, and of nothing else.

use serde::{Deserialize, Serialize};

/// In which order openings are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Shuffled by the seed, none twice before all were used; then shuffled anew.
    #[default]
    Random,
    /// As they stand in the file, again from the first after the last.
    Sequential,
}

impl Order {
    /// The place, below `len`, of the opening that comes at `turn`. `len` is at least 1.
    ///
    /// The shuffle is never written down: a small block cipher over the places encrypts the turn, so one look-up
    /// costs the same in a book of ten and of ten million.
    pub fn place(self, seed: u64, turn: u64, len: u64) -> u64 {
        let (round, turn) = (turn / len, turn % len);
        match self {
            Self::Sequential => turn,
            Self::Random => shuffled(mixed(seed ^ mixed(round)), turn, len),
        }
    }
}

/// A Feistel network on the smallest even number of bits that holds `len`; results past the end are encrypted again
/// until they are inside, which keeps it one to one.
fn shuffled(key: u64, turn: u64, len: u64) -> u64 {
    const ROUNDS: u64 = 6;
    let bits = u64::BITS - (len - 1).leading_zeros();
    let half = bits.div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut place = turn;
    loop {
        let (mut left, mut right) = (place >> half, place & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ mixed(key ^ mixed(right ^ round << 40)) & mask);
        }
        place = left << half | right;
        if place < len {
            return place;
        }
    }
}

/// SplitMix64's step and finalizer: every bit of the input reaches every bit of the output.
pub(super) fn mixed(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opening_comes_once_before_any_comes_twice() {
        for len in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            for seed in [0, 1, u64::MAX] {
                for round in 0..3 {
                    let turns = round * len..(round + 1) * len;
                    let mut places: Vec<u64> =
                        turns.map(|turn| Order::Random.place(seed, turn, len)).collect();
                    places.sort_unstable();
                    assert!(places.into_iter().eq(0..len), "{len} openings, seed {seed}, round {round}");
                }
            }
        }
    }

    #[test]
    fn seeds_and_rounds_shuffle_differently_and_well() {
        let len = 1000;
        let order = |seed, round: u64| -> Vec<u64> {
            (0..len).map(|turn| Order::Random.place(seed, round * len + turn, len)).collect()
        };
        let first = order(1, 0);
        assert_ne!(first, order(2, 0));
        assert_ne!(first, order(1, 1));
        // Neighbours of a good shuffle are about a third of the length apart on average.
        let apart: u64 = first.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum::<u64>() / (len - 1);
        assert!((300..370).contains(&apart), "{apart}");
        // Every stretch of turns draws from every part of the book.
        for stretch in first.chunks(100) {
            let low = stretch.iter().filter(|place| **place < len / 2).count();
            assert!((30..70).contains(&low), "{low} of 100");
        }
    }

    #[test]
    fn sequential_order_begins_again_after_the_last() {
        let places: Vec<u64> = (0..7).map(|turn| Order::Sequential.place(9, turn, 3)).collect();
        assert_eq!(places, [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn the_largest_books_do_not_overflow() {
        for len in [u64::from(u32::MAX), 1 << 40, (1 << 62) + 1] {
            assert!(Order::Random.place(3, u64::MAX, len) < len);
        }
    }
}
