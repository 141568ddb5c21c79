//! The six standard perft positions.

/// A position with its published perft counts.
#[derive(Clone, Copy, Debug)]
pub struct SuiteRow {
    /// The common name.
    pub name: &'static str,
    /// The FEN of the position.
    pub fen: &'static str,
    /// The depth of the count.
    pub depth: u32,
    /// The published number of leaves at `depth`.
    pub nodes: u64,
    /// The published number of leaves at `depth - 1`.
    pub shallower: u64,
}

/// The positions and depths of the perft table of u-chess, with the counts of the Chess Programming Wiki.
pub const SEED_SUITE: [SuiteRow; 6] = [
    SuiteRow {
        name: "startpos",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        depth: 6,
        nodes: 119_060_324,
        shallower: 4_865_609,
    },
    SuiteRow {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        depth: 5,
        nodes: 193_690_690,
        shallower: 4_085_603,
    },
    SuiteRow {
        name: "position3",
        fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        depth: 7,
        nodes: 178_633_661,
        shallower: 11_030_083,
    },
    SuiteRow {
        name: "position4",
        fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        depth: 6,
        nodes: 706_045_033,
        shallower: 15_833_292,
    },
    SuiteRow {
        name: "position5",
        fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        depth: 5,
        nodes: 89_941_194,
        shallower: 2_103_487,
    },
    SuiteRow {
        name: "position6",
        fen: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        depth: 5,
        nodes: 164_075_551,
        shallower: 3_894_594,
    },
];
