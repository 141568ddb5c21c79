//! The bench signature: a node count that changes if and only if the engine searches differently.

use std::time::{Duration, Instant};

use crate::chess::{GameLine, Position};
use crate::engine::{Limits, Searcher, StopFlag, Unobserved};

/// The default depth, for which a release build takes a few seconds.
pub const BENCH_DEPTH: u32 = 12;

/// Length of the game of the engine against itself, in plies.
const SELF_PLAY_PLIES: usize = 24;

/// Openings, middlegames, endings and mates: together they use every part of the evaluation and of the search.
const POSITIONS: [&str; 20] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "2rq1rk1/pb1nbppp/1p2pn2/2pp4/2PP1B2/1PN1PN2/P2QBPPP/2R2RK1 b - - 3 12",
    "r2q1rk1/1b2bppp/p2p1n2/1p1Pp3/4P3/1BN1BP2/PPPQ2PP/2KR3R b - - 0 14",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "3r1rk1/p3qppp/2bb4/2p5/3p4/1P2P3/PBQN1PPP/2R2RK1 w - - 0 18",
    "6k1/5pp1/4p2p/1p1bP3/1P1B1P1P/1K4P1/8/8 w - - 3 45",
    "8/5pk1/4p1p1/1R5p/r4P1P/6P1/5PK1/8 w - - 4 38",
    "8/1p3k2/p1p2p2/P1P2Pp1/1P4P1/4K3/8/8 w - - 0 50",
    "5k2/1p4p1/p4q1p/3Q4/1P4P1/P6P/5PK1/8 b - - 0 40",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "8/8/8/5k2/8/8/3PK3/8 w - - 0 1",
    "8/8/8/3k4/8/8/8/R3K3 w Q - 0 1",
    "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 0 1",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
];

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Nodes visited; this number is the signature.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
}

impl Signature {
    /// Returns the nodes per second.
    pub fn nps(&self) -> u64 {
        (u128::from(self.nodes) * 1_000_000 / self.time.as_micros().max(1)) as u64
    }
}

/// Searches fixed positions, then plays a short game of the engine against itself, at fixed depth and with one thread.
///
/// The node count is the same on every run and on every machine.
pub fn signature(depth: u32) -> Signature {
    let started = Instant::now();
    let mut searcher = Searcher::new(16);
    let (limits, stop) = (Limits::depth(depth), StopFlag::new());
    let mut nodes = 0;
    for fen in POSITIONS {
        searcher.new_game();
        let position = Position::from_fen(fen).expect("the bench positions are legal");
        nodes += searcher.search(&GameLine::new(position), &limits, &stop, &mut Unobserved).nodes;
    }
    searcher.new_game();
    let limits = Limits::depth(depth.saturating_sub(2).max(1));
    let mut line = GameLine::new(Position::startpos());
    for _ in 0..SELF_PLAY_PLIES {
        let report = searcher.search(&line, &limits, &stop, &mut Unobserved);
        nodes += report.nodes;
        match report.best {
            Some(mv) => line.push(mv),
            None => break,
        }
    }
    Signature { nodes, time: started.elapsed() }
}
