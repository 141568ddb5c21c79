//! Arguments of the benchmark: speed of the engine, and the signature of its play.

use std::process::ExitCode;

use crate::commands::{Failure, answer};
use crate::engine::{BENCH_DEPTH, signature};

/// Search fixed positions to a fixed depth and print node count and speed.
///
/// The node count does not depend on the machine: it is the signature of how the engine plays.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Depth of each search in plies
    #[arg(long, value_name = "N", default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    /// Runs the benchmark and prints nodes, speed and signature.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let depth = self.depth;
        let counted = signature(depth);
        let (nodes, seconds, nps) = (counted.nodes, counted.time.as_secs_f64(), counted.nps());
        if self.json {
            answer(format_args!(
                "{{\"nodes\":{nodes},\"seconds\":{seconds:.3},\"nps\":{nps},\"signature\":{nodes}}}"
            ))?;
        } else {
            answer(format_args!("depth {depth}: {nodes} nodes in {seconds:.3} s ({nps} nodes per second)"))?;
            answer(format_args!("signature {nodes}"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
