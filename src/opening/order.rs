//! The order of openings, a pure function of the seed and the index of the pair.

use serde::{Deserialize, Serialize};

use crate::opening::mersenne::{CutechessTwister, MersenneTwister};

/// The order in which openings are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Shuffled by the seed; no opening repeats before all were used, then they are shuffled again.
    #[default]
    Random,
    /// The order of the file, starting over after the last opening.
    Sequential,
    /// Shuffled by the seed as fastchess does: one shuffle, then the same order again.
    Fastchess,
    /// Shuffled by the seed as cutechess-cli does: one shuffle, then the same order again.
    Cutechess,
}

impl Order {
    /// Returns the index, below `len`, of the opening used at `turn`. `len` must be at least 1.
    ///
    /// The permutation is not stored: a small block cipher over the indices encrypts the turn, so a lookup costs the
    /// same in a book of ten openings as in one of ten million.
    ///
    /// The shuffles of other match runners have no such form: [`Shuffle`] stores them, and here they are the order of the
    /// file.
    pub fn index(self, seed: u64, turn: u64, len: u64) -> u64 {
        let (round, turn) = (turn / len, turn % len);
        match self {
            Self::Sequential | Self::Fastchess | Self::Cutechess => turn,
            Self::Random => shuffled(mixed(seed ^ mixed(round)), turn, len),
        }
    }
}

/// The stored permutation of [`Order::Fastchess`] and [`Order::Cutechess`].
#[derive(Clone, Debug)]
pub(super) struct Shuffle(Vec<u32>);

impl Shuffle {
    /// Shuffles `len` openings; `None` if the order is not stored, or if there are more openings than can be numbered.
    pub(super) fn new(order: Order, seed: u64, len: u64) -> Option<Self> {
        match order {
            Order::Fastchess => {
                let mut random = MersenneTwister::new(seed);
                Self::draw(len, || random.bits())
            }
            Order::Cutechess => {
                let mut random = CutechessTwister::new(seed as u32);
                Self::draw(len, || u64::from(random.bits()))
            }
            Order::Random | Order::Sequential => None,
        }
    }

    /// Exchanges every opening with itself or a later one.
    fn draw(len: u64, mut random: impl FnMut() -> u64) -> Option<Self> {
        let mut order: Vec<u32> = (0..u32::try_from(len).ok()?).collect();
        for at in 0..order.len().saturating_sub(1) {
            let left = (order.len() - at) as u64;
            order.swap(at, at + (random() % left) as usize);
        }
        Some(Self(order))
    }

    /// Returns the index of the opening used at `turn`.
    pub(super) fn index(&self, turn: u64) -> u64 {
        u64::from(self.0[(turn % self.0.len() as u64) as usize])
    }
}

/// Encrypts `turn` with a Feistel network on the smallest even number of bits that can represent the indices. Results
/// of `len` or more are encrypted again until they are below `len` (cycle walking), which keeps the mapping one to one.
fn shuffled(key: u64, turn: u64, len: u64) -> u64 {
    const ROUNDS: u64 = 6;
    let bits = u64::BITS - (len - 1).leading_zeros();
    let half = bits.div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut index = turn;
    loop {
        let (mut left, mut right) = (index >> half, index & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ mixed(key ^ mixed(right ^ round << 40)) & mask);
        }
        index = left << half | right;
        if index < len {
            return index;
        }
    }
}

/// The step and finaliser of SplitMix64: every bit of the input affects every bit of the output.
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
    fn no_opening_repeats_before_all_were_used() {
        for len in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            for seed in [0, 1, u64::MAX] {
                for round in 0..3 {
                    let turns = round * len..(round + 1) * len;
                    let mut indices: Vec<u64> =
                        turns.map(|turn| Order::Random.index(seed, turn, len)).collect();
                    indices.sort_unstable();
                    assert!(indices.into_iter().eq(0..len), "{len} openings, seed {seed}, round {round}");
                }
            }
        }
    }

    #[test]
    fn permutations_differ_by_seed_and_round_and_look_random() {
        let len = 1000;
        let order = |seed, round: u64| -> Vec<u64> {
            (0..len).map(|turn| Order::Random.index(seed, round * len + turn, len)).collect()
        };
        let first = order(1, 0);
        assert_ne!(first, order(2, 0));
        assert_ne!(first, order(1, 1));
        // The mean distance of neighbours in a random permutation is about a third of its length.
        let apart: u64 = first.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum::<u64>() / (len - 1);
        assert!((300..370).contains(&apart), "{apart}");
        // Every block of turns covers both halves of the book.
        for block in first.chunks(100) {
            let low = block.iter().filter(|index| **index < len / 2).count();
            assert!((30..70).contains(&low), "{low} of 100");
        }
    }

    #[test]
    fn sequential_order_starts_over_after_the_last_opening() {
        let indices: Vec<u64> = (0..7).map(|turn| Order::Sequential.index(9, turn, 3)).collect();
        assert_eq!(indices, [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn the_shuffle_of_fastchess_is_one_permutation_that_starts_over() {
        let shuffle = Shuffle::new(Order::Fastchess, 42, 10).unwrap();
        let order: Vec<u64> = (0..20).map(|turn| shuffle.index(turn)).collect();
        assert_eq!(order[..10], order[10..]);
        let mut sorted = order[..10].to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..10));
        assert_eq!(Shuffle::new(Order::Fastchess, 1, 1).unwrap().index(7), 0);
        assert!(Shuffle::new(Order::Random, 42, 10).is_none());
    }

    #[test]
    fn the_shuffle_of_cutechess_has_a_generator_of_its_own() {
        let shuffle = Shuffle::new(Order::Cutechess, 42, 10).unwrap();
        let order: Vec<u64> = (0..10).map(|turn| shuffle.index(turn)).collect();
        assert_eq!(order, [2, 7, 3, 5, 6, 1, 8, 4, 0, 9]);
    }

    #[test]
    fn the_largest_books_do_not_overflow() {
        for len in [u64::from(u32::MAX), 1 << 40, (1 << 62) + 1] {
            assert!(Order::Random.index(3, u64::MAX, len) < len);
        }
    }
}
