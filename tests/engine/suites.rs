//! Well-known positions solved with a fixed number of nodes: a report, with a minimum for each suite.
#![expect(clippy::print_stdout, reason = "the recipe is run for this report")]

use playself::chess::{GameLine, Position};
use playself::engine::{Limits, Searcher, StopFlag, Unobserved};

/// Nodes per position.
const NODES: u64 = 200_000;

/// A name, a position, and the moves that solve it.
type Case = (&'static str, &'static str, &'static str);

/// Mates in two.
const MATES: [Case; 9] = [
    ("Morphy, a rook offers itself", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6"),
    (
        "a queen draws the king out",
        "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
        "Qh6+",
    ),
    ("Legal's pattern", "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 0 1", "Nf6+"),
    ("an underpromotion", "1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 0 1", "Qd5+"),
    ("the end of the opera game", "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 1", "Qb8+"),
    ("a queen clears the back rank", "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 0 1", "Qd8+"),
    ("a queen opens the seventh", "5rkr/pp2Rp2/1b1p1Pb1/3P2Q1/2n3P1/2p5/P4P2/4R1K1 w - - 0 1", "Qxg6+"),
    ("two rooks and a bishop", "1r1kr3/Nbppn1pp/1b6/8/6Q1/3B1P2/Pq3P1P/3RR1K1 w - - 0 1", "Qxd7+"),
    ("knight and bishop in a net", "5rk1/1p1q2bp/p2pN1p1/2pP2Bn/2P3P1/1P6/P4QKP/5R2 w - - 0 1", "Qxf8+"),
];

/// The Bratko-Kopec test, 1982: twelve tactical positions, twelve pawn levers.
const BRATKO_KOPEC: [Case; 24] = [
    ("BK.01", "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", "Qd1+"),
    ("BK.02", "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1", "d5"),
    ("BK.03", "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1", "f5"),
    ("BK.04", "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1", "e6"),
    ("BK.05", "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1", "Nd5 a4"),
    ("BK.06", "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1", "g6"),
    ("BK.07", "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1", "Nf6"),
    ("BK.08", "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1", "f5"),
    ("BK.09", "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1", "f5"),
    ("BK.10", "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1", "Ne5"),
    ("BK.11", "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1", "f4"),
    ("BK.12", "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1", "Bf5"),
    ("BK.13", "r2q1rk1/4bppp/p2p4/2pP4/3pP3/3Q4/PP1B1PPP/R3R1K1 w - - 0 1", "b4"),
    ("BK.14", "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1", "Qd2 Qe1"),
    ("BK.15", "2r3k1/1p2q1pp/2b1pr2/p1pp4/6Q1/1P1PP1R1/P1PN2PP/5RK1 w - - 0 1", "Qxg7+"),
    ("BK.16", "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1", "Ne4"),
    ("BK.17", "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1", "h5"),
    ("BK.18", "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1", "Nb3"),
    ("BK.19", "3rr3/2pq2pk/p2p1pnp/8/2QBPP2/1P6/P5PP/4RRK1 b - - 0 1", "Rxe4"),
    ("BK.20", "r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1", "g4"),
    ("BK.21", "3rn2k/ppb2rpp/2ppqp2/5N2/2P1P3/1P5Q/PB3PPP/3RR1K1 w - - 0 1", "Nh6"),
    ("BK.22", "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1", "Bxe4"),
    ("BK.23", "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 1", "f6"),
    ("BK.24", "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1", "f4"),
];

/// Studies and zugzwangs, which null-move pruning may miss.
const ENDINGS: [Case; 8] = [
    ("Reti 1921", "7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "Kg7"),
    ("Lasker and Reichhelm 1901", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "Kb1"),
    ("Saavedra 1895", "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", "c7"),
    ("zugzwang 1", "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", "Rf1"),
    ("zugzwang 2", "1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1", "Kh6"),
    ("zugzwang 3", "7k/5K2/5P1p/3p4/6P1/3p4/8/8 w - - 0 1", "g5"),
    ("zugzwang 4", "8/6B1/p5p1/Pp4kp/1P5r/5P1Q/4q1PK/8 w - - 0 1", "Qxh4"),
    ("zugzwang 5", "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1", "Nxd5"),
];

/// Returns the number of solved cases and prints the others.
fn solved(suite: &str, cases: &[Case]) -> usize {
    let mut searcher = Searcher::new(16);
    let mut count = 0;
    for (name, fen, wanted) in cases {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{name}: {error}"));
        let wanted: Vec<_> = wanted
            .split(' ')
            .map(|san| position.parse_san(san).expect("a solution is a legal move"))
            .collect();
        searcher.new_game();
        let line = GameLine::new(position);
        let report = searcher.search(&line, &Limits::nodes(NODES), &StopFlag::new(), &mut Unobserved);
        let best = report.best.expect("no position of a suite is over");
        if wanted.contains(&best) {
            count += 1;
        } else {
            println!("{suite}: {name}: {} instead ({:?})", position.san(best), report.score);
        }
    }
    println!("{suite}: {count} of {} solved with {NODES} nodes each", cases.len());
    count
}

#[test]
#[ignore = "seconds of search in a release build: `just suites`"]
fn known_positions_are_solved_at_fixed_nodes() {
    assert!(solved("mates", &MATES) >= 8);
    assert!(solved("Bratko-Kopec", &BRATKO_KOPEC) >= 17);
    assert!(solved("endings", &ENDINGS) >= 5);
}
