//! Time of `playself stats`, including the start of the program, for counts from 0 to 10^9, every model, and close and
//! distant hypotheses. The bar is 50 ms per call. `playself --version` measures the start of the program alone.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::process::Command;
use std::time::{Duration, Instant};

/// Counts that are difficult for numeric solvers: zeros on one side, everything in one cell, very large numbers.
const COUNTS: [&str; 8] = [
    "0,0,0,0,1",
    "1,0,0,0,0",
    "0,0,1000000000,0,0",
    "1000000000,0,0,0,0",
    "0,1000000000,0,1000000000,0",
    "1000000000,1000000000,1,0,1000000000",
    "365,16618,36229,16974,390",
    "199999999,200000001,200000000,200000002,199999998",
];

const HYPOTHESES: [[&str; 2]; 4] = [["0", "2"], ["-2000", "2000"], ["400", "401"], ["-3", "0"]];

const ROUNDS: usize = 5;

/// Runs the program, checks its output, and returns the elapsed time.
fn time_of(arguments: &[&str]) -> Duration {
    let started = Instant::now();
    let output =
        Command::new(env!("CARGO_BIN_EXE_playself")).args(arguments).output().expect("the program starts");
    let elapsed = started.elapsed();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    if arguments[0] == "stats" {
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert!(answer["llr"].is_f64() && answer["elo"].is_f64(), "{arguments:?}: {answer}");
    }
    elapsed
}

/// Returns the shortest time of several rounds, to exclude the load of other programs.
fn best(arguments: &[&str]) -> Duration {
    (0..ROUNDS).map(|_| time_of(arguments)).min().expect("there is at least one round")
}

fn main() {
    let start = best(&["--version"]);
    let mut slowest = (Duration::ZERO, String::new());
    let mut total = Duration::ZERO;
    let mut calls = 0;
    for counts in COUNTS {
        for [elo0, elo1] in HYPOTHESES {
            for model in ["logistic", "normalized", "bayesian"] {
                let arguments = ["--pentanomial", counts, "--elo0", elo0, "--elo1", elo1, "--model", model];
                let elapsed = best(&[&["stats", "--json"], &arguments[..]].concat());
                total += elapsed;
                calls += 1;
                if elapsed > slowest.0 {
                    slowest = (elapsed, arguments.join(" "));
                }
            }
        }
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("playself --version   {:>7.2} ms (best of {ROUNDS})", ms(start));
    println!("playself stats, mean {:>7.2} ms over {calls} calls", ms(total) / f64::from(calls));
    println!("slowest              {:>7.2} ms: {}", ms(slowest.0), slowest.1);
    println!("slowest / --version  {:>7.2}", slowest.0.as_secs_f64() / start.as_secs_f64());
}
