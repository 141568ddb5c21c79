//! Lock-free table of known subtree counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// A table of subtree counts by position key and depth.
///
/// Each slot holds a count and the key XORed with it: two threads that write at the same time leave a pair that matches
/// no key, so a torn slot reads as a miss. Two positions with the same 64-bit key are confused with each other.
#[derive(Debug)]
pub struct PerftTable {
    buckets: Vec<[Slot; 2]>,
}

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    count: AtomicU64,
}

impl Slot {
    fn read(&self, key: u64) -> Option<u64> {
        let count = self.count.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ count == key && count != 0).then_some(count)
    }

    fn write(&self, key: u64, count: u64) {
        self.count.store(count, Ordering::Relaxed);
        self.check.store(key ^ count, Ordering::Relaxed);
    }
}

impl PerftTable {
    /// Creates a table of at most `megabytes` MiB, with at least one bucket.
    pub fn new(megabytes: usize) -> Self {
        let fitting = (megabytes << 20) / size_of::<[Slot; 2]>();
        let buckets =
            if fitting.is_power_of_two() { fitting } else { fitting.next_power_of_two() / 2 }.max(1);
        Self { buckets: std::iter::repeat_with(Default::default).take(buckets).collect() }
    }

    /// Combines the key of a position with a depth.
    const fn key(position: u64, depth: u32) -> u64 {
        position ^ (depth as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn bucket(&self, key: u64) -> &[Slot; 2] {
        &self.buckets[(key >> 16) as usize & (self.buckets.len() - 1)]
    }

    /// Returns the count of a position at a depth, if it is known.
    pub(super) fn get(&self, position: u64, depth: u32) -> Option<u64> {
        let key = Self::key(position, depth);
        self.bucket(key).iter().find_map(|slot| slot.read(key))
    }

    /// Stores a count. The first slot of a bucket holds the largest count, the second the most recent one.
    pub(super) fn put(&self, position: u64, depth: u32, count: u64) {
        let key = Self::key(position, depth);
        let [largest, latest] = self.bucket(key);
        let slot = if count >= largest.count.load(Ordering::Relaxed) { largest } else { latest };
        slot.write(key, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_found_only_at_its_own_position_and_depth() {
        let table = PerftTable::new(1);
        table.put(77, 3, 1000);
        table.put(77, 4, 5);
        assert_eq!(table.get(77, 3), Some(1000));
        assert_eq!(table.get(77, 4), Some(5));
        assert_eq!((table.get(77, 5), table.get(78, 3), table.get(0, 0)), (None, None, None));
    }

    #[test]
    fn the_largest_count_of_a_bucket_is_kept() {
        let table = PerftTable::new(0);
        for (position, count) in [(1, 10), (2, 30), (3, 20), (4, 25)] {
            table.put(position, 1, count);
        }
        assert_eq!([1, 2, 3, 4].map(|position| table.get(position, 1)), [None, Some(30), None, Some(25)]);
    }
}
