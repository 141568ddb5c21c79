//! The transposition table, shared by all search threads without a lock.
//!
//! An entry consists of two words: the data, and the key xored with the data. After a torn write the xor of the two words
//! is not the key, so the entry is a miss and never a wrong hit.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::chess::{Move, Piece, PieceKind, Position, Square};
use crate::engine::score::{self, Value};
use crate::engine::{Bound, huge_pages};

/// Entries per cluster, which is one cache line.
const CLUSTER: usize = 4;
/// Number of searches after which the generation of entries wraps around.
const GENERATIONS: u8 = 32;

#[repr(align(64))]
struct Cluster([TableEntry; CLUSTER]);

struct TableEntry {
    check: AtomicU64,
    data: AtomicU64,
}

/// A lock-free hash table of searched positions.
pub(super) struct TranspositionTable {
    clusters: Box<[Cluster]>,
    generation: AtomicU8,
}

/// The entry of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableHit {
    pub(super) mv: PackedMove,
    /// The score, with mates counted from the root.
    pub(super) value: Value,
    /// The static evaluation; `None` if the side to move is in check.
    pub(super) eval: Option<Value>,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) on_pv: bool,
}

/// A move in 16 bits; the position it belongs to is needed to unpack it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedMove(u16);

impl PackedMove {
    /// No move.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn pack(mv: Move) -> Self {
        let promotion = mv.promotion().map_or(0, |kind| kind.index() as u16);
        Self(mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12)
    }

    /// Returns the move as `position` generates it, or `None` if it is not legal there (another position may have the
    /// same key).
    pub(super) fn unpack(self, position: &Position) -> Option<Move> {
        if self == Self::NONE {
            return None;
        }
        let (from, to) = (Square::wrap(self.0 as u8), Square::wrap((self.0 >> 6) as u8));
        let piece = position.piece_at(from).filter(|piece| piece.color == position.turn())?;
        let mv = match (piece.kind, position.piece_at(to)) {
            (PieceKind::King, Some(rook)) if rook == Piece::new(piece.color, PieceKind::Rook) => {
                Move::castling(piece.color, from, to)
            }
            (PieceKind::Pawn, None) if from.file() != to.file() => Move::en_passant(piece.color, from, to),
            (PieceKind::Pawn, None) if from.rank().abs_diff(to.rank()) == 2 => {
                Move::double_push(piece.color, from, to)
            }
            (_, None) => Move::quiet(piece, from, to),
            (_, Some(_)) => Move::capture(piece, from, to),
        };
        let mv = match usize::from(self.0 >> 12) {
            0 => mv,
            kind => mv.promoting(*PieceKind::ALL.get(kind)?),
        };
        position.is_legal(mv).then_some(mv)
    }
}

// Layout of a data word, from the highest bit: eval 16, value 16, move 16, depth 8, generation 5, PV 1, bound 2.

/// The stored evaluation of an entry without one.
const NO_EVAL: i16 = i16::MIN;

impl TableHit {
    /// Whether the stored score causes a cutoff for this window.
    #[inline(always)]
    pub(super) fn cuts_off(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        }
    }

    /// Returns the stored score if its bound makes it a better estimate than `eval`, otherwise `eval`.
    #[inline(always)]
    pub(super) fn refine(&self, eval: Value) -> Value {
        let uninformative = if self.value > eval { Bound::Upper } else { Bound::Lower };
        if self.bound == uninformative || score::is_mate(self.value) { eval } else { self.value }
    }

    fn pack(self, ply: usize, generation: u8) -> u64 {
        let eval = self.eval.map_or(NO_EVAL, |eval| eval as i16);
        let value = score::to_table(self.value, ply) as i16;
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let low = generation << 3 | u8::from(self.on_pv) << 2 | bound;
        u64::from(low)
            | u64::from(self.depth.clamp(0, 255) as u8) << 8
            | u64::from(self.mv.0) << 16
            | u64::from(value as u16) << 32
            | u64::from(eval as u16) << 48
    }

    fn unpack(data: u64, ply: usize) -> Option<Self> {
        let bound = match data & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        let eval = (data >> 48) as u16 as i16;
        Some(Self {
            mv: PackedMove((data >> 16) as u16),
            value: score::from_table(Value::from((data >> 32) as u16 as i16), ply),
            eval: (eval != NO_EVAL).then_some(Value::from(eval)),
            depth: i32::from((data >> 8) as u8),
            bound,
            on_pv: data & 4 != 0,
        })
    }
}

impl TranspositionTable {
    /// Creates a table of about `megabytes` megabytes, at least one.
    pub(super) fn new(megabytes: usize) -> Self {
        let clusters = (megabytes.max(1) << 20) / size_of::<Cluster>();
        Self { clusters: zeroed(clusters), generation: AtomicU8::new(0) }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.clusters.iter_mut().for_each(Cluster::clear);
        *self.generation.get_mut() = 0;
    }

    /// Starts a new generation: all entries become older by one search.
    pub(super) fn next_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Returns the entry of the position with this key, `ply` plies from the root.
    #[inline]
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<TableHit> {
        self.cluster(key).0.iter().find_map(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            let matches = entry.check.load(Ordering::Relaxed) ^ data == key;
            if matches { TableHit::unpack(data, ply) } else { None }
        })
    }

    /// Prefetches the cluster of `key` into the cache.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[expect(unsafe_code, reason = "waiting for memory in probes costs a seventh of the search time")]
    pub(super) fn prefetch(&self, key: u64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint without observable effect, at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.cluster(key)).cast()) }
    }

    /// Does nothing on this architecture.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn prefetch(&self, _key: u64) {}

    /// Stores an entry. It replaces the entry of the same position, or else the least valuable one of its cluster.
    pub(super) fn store(&self, key: u64, ply: usize, mut hit: TableHit) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut replaced = &self.cluster(key).0[0];
        let mut lowest = i32::MAX;
        for entry in &self.cluster(key).0 {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                let old_depth = i32::from((data >> 8) as u8);
                if hit.mv == PackedMove::NONE {
                    hit.mv = PackedMove((data >> 16) as u16);
                }
                let current = (data as u8) >> 3 == generation;
                if current && hit.bound != Bound::Exact && hit.depth + 4 < old_depth {
                    return;
                }
                replaced = entry;
                break;
            }
            let age = i32::from((GENERATIONS + generation - ((data as u8) >> 3)) % GENERATIONS);
            let quality = if data & 3 == 0 { -1000 } else { i32::from((data >> 8) as u8) - 8 * age };
            if quality < lowest {
                lowest = quality;
                replaced = entry;
            }
        }
        let data = hit.pack(ply, generation);
        replaced.data.store(data, Ordering::Relaxed);
        replaced.check.store(key ^ data, Ordering::Relaxed);
    }

    /// Returns how many of the first thousand entries were written by the current search.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = self.clusters.iter().take(250).flat_map(|cluster| &cluster.0);
        let written = sample.filter(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            data & 3 != 0 && (data as u8) >> 3 == generation
        });
        written.count() as u32
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &Cluster {
        // The high half of the product distributes keys evenly over any number of clusters, without a division.
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }
}

impl Cluster {
    fn clear(&mut self) {
        for entry in &mut self.0 {
            *entry.check.get_mut() = 0;
            *entry.data.get_mut() = 0;
        }
    }
}

#[expect(unsafe_code, reason = "the pages must be requested as huge ones before they are first written")]
fn zeroed(clusters: usize) -> Box<[Cluster]> {
    let mut memory = Box::new_uninit_slice(clusters);
    huge_pages::advise(memory.as_mut_ptr().cast(), size_of_val(&*memory));
    // SAFETY: the pointer and the length are those of the slice, and a cluster consists of atomic integers, for which all
    // bits zero is a valid value.
    unsafe {
        memory.as_mut_ptr().write_bytes(0, clusters);
        memory.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::score::mate_in;

    fn hit(value: Value, depth: i32) -> TableHit {
        TableHit { mv: PackedMove(0x1234), value, eval: Some(-31), depth, bound: Bound::Lower, on_pv: true }
    }

    #[test]
    fn a_probe_returns_every_stored_field() {
        let table = TranspositionTable::new(1);
        let entry = hit(-250, 17);
        table.store(0xdead_beef_0123_4567, 3, entry);
        assert_eq!(table.probe(0xdead_beef_0123_4567, 3), Some(entry));
        assert_eq!(table.probe(0xdead_beef_0123_4566, 3), None);
        let in_check = TableHit { eval: None, bound: Bound::Upper, on_pv: false, ..entry };
        table.store(77, 0, in_check);
        assert_eq!(table.probe(77, 0), Some(in_check));
    }

    #[test]
    fn an_empty_table_has_no_entry_even_for_key_zero() {
        assert_eq!(TranspositionTable::new(1).probe(0, 0), None);
    }

    #[test]
    fn a_mate_keeps_its_distance_when_probed_at_another_ply() {
        let table = TranspositionTable::new(1);
        table.store(5, 4, hit(mate_in(4 + 3), 9));
        assert_eq!(table.probe(5, 10).unwrap().value, mate_in(10 + 3));
    }

    #[test]
    fn a_full_cluster_replaces_its_oldest_and_shallowest_entry() {
        let table = TranspositionTable::new(1);
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key, 0, hit(0, depth));
        }
        table.store(5, 0, hit(0, 1));
        assert!(table.probe(2, 0).is_none() && table.probe(5, 0).is_some() && table.probe(1, 0).is_some());
        table.next_search();
        for key in [6, 7] {
            table.store(key, 0, hit(0, 6));
        }
        assert!(table.probe(1, 0).is_some() && table.probe(3, 0).is_some());
        assert!(
            table.probe(4, 0).is_none(),
            "depth 7 of the previous search is less valuable than depth 6 of the current one"
        );
    }

    #[test]
    fn a_store_without_a_move_keeps_the_stored_move() {
        let table = TranspositionTable::new(1);
        table.store(9, 0, hit(10, 5));
        table.store(9, 0, TableHit { mv: PackedMove::NONE, ..hit(10, 6) });
        assert_eq!(table.probe(9, 0).unwrap().mv, PackedMove(0x1234));
    }

    #[test]
    fn a_table_has_the_requested_size_and_is_empty_after_clearing() {
        let mut table = TranspositionTable::new(2);
        assert_eq!(table.clusters.len() * 64, 2 << 20);
        table.store(9, 0, hit(10, 5));
        assert!(table.hashfull() > 0);
        table.clear();
        assert_eq!((table.probe(9, 0), table.hashfull()), (None, 0));
    }
}
