//! Multi-threaded perft with a hash table and counts by root move.

use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{LeafStats, PerftTable, perft};
use crate::chess::{Move, Position, SliderTechnique};

/// Configuration of a perft run.
#[derive(Debug)]
pub struct Perft {
    /// The slider technique.
    pub technique: SliderTechnique,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The table of known counts, if one is used.
    pub table: Option<PerftTable>,
}

/// A subtree that one thread counts.
struct Subtree {
    root_move: usize,
    position: Position,
    depth: u32,
}

impl Perft {
    /// Returns the number of leaves at `depth`.
    pub fn count(&self, position: &Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.divide(position, depth).iter().map(|&(_, leaves)| leaves).sum()
    }

    /// Returns the number of leaves below each root move, in the order of generation; empty at depth 0.
    pub fn divide(&self, position: &Position, depth: u32) -> Vec<(Move, u64)> {
        self.sum_by_root_move(position, depth, |position, depth| self.leaves(position, depth))
    }

    /// Returns the statistics of the last moves.
    pub fn stats(&self, position: &Position, depth: u32) -> LeafStats {
        // A subtree does not know the move that leads to it, so depth 1 cannot be split.
        if depth < 2 {
            return LeafStats::of(position, depth);
        }
        let mut total = LeafStats::default();
        for (_, stats) in self.sum_by_root_move(position, depth, LeafStats::of) {
            total += stats;
        }
        total
    }

    /// Evaluates every subtree with `count` on all threads and sums the results by root move.
    fn sum_by_root_move<T: AddAssign + Copy + Default + Send>(
        &self,
        position: &Position,
        depth: u32,
        count: impl Fn(&Position, u32) -> T + Sync,
    ) -> Vec<(Move, T)> {
        let moves: Vec<Move> =
            if depth == 0 { Vec::new() } else { position.legal_moves().iter().copied().collect() };
        let subtrees = self.subtrees(position, &moves, depth);
        let next = AtomicUsize::new(0);
        let totals = Mutex::new(vec![T::default(); moves.len()]);
        let work = || {
            while let Some(subtree) = subtrees.get(next.fetch_add(1, Ordering::Relaxed)) {
                let part = count(&subtree.position, subtree.depth);
                let mut totals = totals.lock().expect("no thread panics while holding the lock");
                totals[subtree.root_move] += part;
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.get() {
                scope.spawn(work);
            }
            work();
        });
        let totals = totals.into_inner().expect("no thread panics while holding the lock");
        moves.into_iter().zip(totals).collect()
    }

    /// Returns the subtrees of the root moves or, with several threads, of the replies to them. Small subtrees keep
    /// all threads busy until the end.
    fn subtrees(&self, position: &Position, moves: &[Move], depth: u32) -> Vec<Subtree> {
        let roots = moves.iter().enumerate().map(|(root_move, &mv)| Subtree {
            root_move,
            position: position.play(mv),
            depth: depth - 1,
        });
        if self.threads.get() == 1 || depth < 3 {
            return roots.collect();
        }
        let replies = |root: Subtree| {
            let moves = root.position.legal_moves();
            let after = |&mv: &Move| Subtree {
                root_move: root.root_move,
                position: root.position.play(mv),
                depth: root.depth - 1,
            };
            moves.iter().map(after).collect::<Vec<_>>()
        };
        roots.flat_map(replies).collect()
    }

    fn leaves(&self, position: &Position, depth: u32) -> u64 {
        // A lookup costs about as much as a count of depth 2.
        let Some(table) = self.table.as_ref().filter(|_| depth > 2) else {
            return perft(position, depth, self.technique);
        };
        if let Some(known) = table.get(position.key(), depth) {
            return known;
        }
        let moves = position.legal_moves();
        let leaves = moves.iter().map(|&mv| self.leaves(&position.play(mv), depth - 1)).sum();
        table.put(position.key(), depth, leaves);
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::SEED_SUITE;

    #[test]
    fn threads_and_table_do_not_change_the_count() {
        for row in SEED_SUITE {
            let position = Position::from_fen(row.fen).unwrap();
            let plain = perft(&position, 4, SliderTechnique::Magic);
            for (threads, megabytes) in [(1, None), (3, None), (1, Some(1)), (2, Some(0))] {
                let run = Perft {
                    technique: SliderTechnique::fastest(),
                    threads: NonZeroUsize::new(threads).unwrap(),
                    table: megabytes.map(PerftTable::new),
                };
                assert_eq!(run.count(&position, 4), plain, "{} {threads} threads", row.name);
            }
        }
    }

    /// Columns of the Chess Programming Wiki, for depths at which no source disputes them.
    #[test]
    fn leaf_statistics_match_the_published_values() {
        let run = Perft { technique: SliderTechnique::fastest(), threads: NonZeroUsize::MIN, table: None };
        for (row, depth, [captures, en_passants, castles, promotions, checks]) in [
            (0, 3, [34, 0, 0, 0, 12]),
            (0, 4, [1576, 0, 0, 0, 469]),
            (1, 1, [8, 0, 2, 0, 0]),
            (1, 2, [351, 1, 91, 0, 3]),
            (1, 3, [17_102, 45, 3162, 0, 993]),
            (2, 3, [209, 2, 0, 0, 267]),
            (2, 4, [3348, 123, 0, 0, 1680]),
            (2, 5, [52_051, 1165, 0, 0, 52_950]),
            (3, 2, [87, 0, 6, 48, 10]),
            (3, 3, [1021, 4, 0, 120, 38]),
            (3, 4, [131_393, 0, 7795, 60_032, 15_492]),
        ] {
            let row = SEED_SUITE[row];
            let position = Position::from_fen(row.fen).unwrap();
            let nodes = run.count(&position, depth);
            let expected = LeafStats { nodes, captures, en_passants, castles, promotions, checks };
            assert_eq!(run.stats(&position, depth), expected, "{} at depth {depth}", row.name);
        }
    }

    #[test]
    fn depth_zero_is_one_line_without_moves() {
        let run = Perft { technique: SliderTechnique::fastest(), threads: NonZeroUsize::MIN, table: None };
        assert_eq!(run.count(&Position::startpos(), 0), 1);
        assert!(run.divide(&Position::startpos(), 0).is_empty());
        assert_eq!(run.stats(&Position::startpos(), 0).nodes, 1);
    }
}
