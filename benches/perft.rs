//! Perft with each slider technique, compared with cozy-chess: one thread, both with bulk counting.
//!
//! Rounds are interleaved, and the best of each counts. Times are processor times of the thread, to exclude the load of
//! other programs. `--quick` searches one ply less. Every count is compared with the published one.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use nix::time::{ClockId, clock_gettime};
use playself::chess::{Position, SEED_SUITE, SliderTechnique, perft};

/// Perft with cozy-chess: adds up the lengths of its move sets at depth 1, copies the board and makes the moves above. A
/// separate callback for each case is considerably faster than one that checks the depth.
fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += cozy_perft(&child, depth - 1);
            }
            false
        });
    }
    leaves
}

/// Returns the processor time of this thread, in seconds.
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has this clock");
    time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
}

/// Returns the seconds that `count` takes, and checks its result.
fn seconds(expected: u64, count: impl FnOnce() -> u64) -> f64 {
    let start = thread_time();
    let found = count();
    let seconds = thread_time() - start;
    assert_eq!(found, expected, "the count is the published one");
    seconds
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let rounds = if quick { 9 } else { 3 };
    let mut ratios = [0.0; 3];
    println!("Mnps, best of {rounds} interleaved rounds; x: times cozy-chess (pext)");
    println!("{:<10} {:>5} {:>8} {:>16} {:>16} {:>16}", "position", "depth", "cozy", "ab", "magic", "pext");
    for row in SEED_SUITE {
        let (depth, nodes) = if quick { (row.depth - 1, row.shallower) } else { (row.depth, row.nodes) };
        let position = Position::from_fen(row.fen).expect("the seed positions are legal");
        let board: cozy_chess::Board = row.fen.parse().expect("the seed positions are legal");
        let mut theirs = f64::MAX;
        let mut ours = [f64::MAX; 3];
        for _ in 0..rounds {
            theirs = theirs.min(seconds(nodes, || cozy_perft(&board, depth)));
            for (best, technique) in ours.iter_mut().zip(SliderTechnique::ALL) {
                *best = best.min(seconds(nodes, || perft(&position, depth, technique)));
            }
        }
        let mnps = |seconds: f64| nodes as f64 / 1e6 / seconds;
        let cells = ours.map(|best| format!("{:.1} ({:.2}x)", mnps(best), theirs / best));
        let [ab, magic, pext] = &cells;
        println!("{:<10} {depth:>5} {:>8.1} {ab:>16} {magic:>16} {pext:>16}", row.name, mnps(theirs));
        for (sum, best) in ratios.iter_mut().zip(ours) {
            *sum += (theirs / best).ln();
        }
    }
    let [ab, magic, pext] = ratios.map(|sum| format!("{:.2}x", (sum / SEED_SUITE.len() as f64).exp()));
    println!("{:<25} {ab:>16} {magic:>16} {pext:>16}", "geometric mean");
}
