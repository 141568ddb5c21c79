//! How many positions a second the whole engine searches, and that it searches the same ones every time.
#![expect(clippy::print_stdout, reason = "a benchmark's figures are its output")]

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
