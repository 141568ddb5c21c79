//! How long `playself stats` takes to answer, start of the program included: counts from nothing to 10^9, every model,
//! hypotheses near and far. The bar is 50 ms for each; `playself --version` in the same run is what starting alone costs.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::process::Command;
use std::time::{Duration, Instant};

/// Counts that have broken solvers: nothing on one side, everything in one cell, as many as anyone will ever play.
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

/// The wall time of a call, once its answer has proved to be one.
fn answered(arguments: &[&str]) -> Duration {
    let asked = Instant::now();
    let output =
        Command::new(env!("CARGO_BIN_EXE_playself")).args(arguments).output().expect("the program starts");
    let taken = asked.elapsed();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    if arguments[0] == "stats" {
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert!(answer["llr"].is_f64() && answer["elo"].is_f64(), "{arguments:?}: {answer}");
    }
    taken
}

/// The best of a few rounds: what the machine did meanwhile is not the program's time.
fn best(arguments: &[&str]) -> Duration {
    (0..ROUNDS).map(|_| answered(arguments)).min().expect("there are rounds")
}

fn main() {
    let start = best(&["--version"]);
    let mut slowest = (Duration::ZERO, String::new());
    let mut total = Duration::ZERO;
    let mut calls = 0;
    for counts in COUNTS {
        for [elo0, elo1] in HYPOTHESES {
            for model in ["logistic", "normalized", "bayesian"] {
                let asked = ["--pentanomial", counts, "--elo0", elo0, "--elo1", elo1, "--model", model];
                let taken = best(&[&["stats", "--json"], &asked[..]].concat());
                total += taken;
                calls += 1;
                if taken > slowest.0 {
                    slowest = (taken, asked.join(" "));
                }
            }
        }
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("playself --version   {:>7.2} ms (best of {ROUNDS})", ms(start));
    println!("playself stats, mean {:>7.2} ms over {calls} questions", ms(total) / f64::from(calls));
    println!("slowest              {:>7.2} ms: {}", ms(slowest.0), slowest.1);
    println!("slowest / --version  {:>7.2}", slowest.0.as_secs_f64() / start.as_secs_f64());
}
