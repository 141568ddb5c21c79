//! Nodes per second of the search; checks that every round visits the same number of nodes.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use playself::engine::signature;

const DEPTH: u32 = 10;
const ROUNDS: usize = 3;

fn main() {
    let first = signature(DEPTH);
    let best = (1..ROUNDS).map(|_| signature(DEPTH)).fold(first, |best, round| {
        assert_eq!(round.nodes, first.nodes, "one thread at a fixed depth visits the same nodes");
        if round.time < best.time { round } else { best }
    });
    println!("search to depth {DEPTH}: {} nodes, {} nodes per second at best", best.nodes, best.nps());
}
