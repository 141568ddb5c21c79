//! The engine against itself at fixed depth: its speed, and the signature of how it plays.

use crate::engine::{BENCH_DEPTH, signature};

/// Searches fixed positions and plays against itself at a fixed depth.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Plies to search each position.
    #[arg(long, default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    /// Runs the benchmark and prints nodes, speed and signature.
    #[expect(clippy::print_stdout, reason = "printing the figures is what the command is for")]
    pub fn run(&self) {
        let depth = self.depth;
        let counted = signature(depth);
        let (nodes, seconds, nps) = (counted.nodes, counted.time.as_secs_f64(), counted.nps());
        if self.json {
            println!("{{\"nodes\":{nodes},\"seconds\":{seconds:.3},\"nps\":{nps},\"signature\":{nodes}}}");
        } else {
            println!("depth {depth}: {nodes} nodes in {seconds:.3} s ({nps} nodes per second)");
            println!("signature {nodes}");
        }
    }
}
