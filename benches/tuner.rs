//! The table of tuners: strength left to win on the standard landscapes, ours beside the others.
//!
//! `cargo bench --bench tuner -- [--runs N] [--games N] [--only L2] [--best]`; `--best` also searches the others' gains by hand, on
//! the landscape itself, which no user could do. Ends with an error if our tuner misses what it promises.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::process::ExitCode;
use std::time::Instant;

use playself::tuning::{
    Exhibit, Gain, Lookahead, Method, Schedule, SimulatedRun, SpsaPlan, TuneSimulation, gallery,
};

/// Elo that our tuner may leave on a landscape in 40,000 games.
const PROMISES: [(&str, f64); 2] = [("L2", 0.8), ("L7", 0.15)];
/// Landscapes on which it must not be worse than constant gains chosen by rule.
const NO_WORSE: [&str; 3] = ["L4", "L6", "L9"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (runs, games) = (number("--runs", 200), number("--games", 40_000));
    let mut kept = true;
    println!("{games} games, {runs} runs; mean Elo left, its 5 % quantile in brackets");
    print!("{:<32}{:>8}", "", "start");
    Method::NAMES.iter().for_each(|name| print!("{name:>18}"));
    println!("{:>10}{:>8}{:>8}", "coverage", "worse", "pairs");
    let only =
        arguments.iter().position(|argument| argument == "--only").and_then(|at| arguments.get(at + 1));
    for exhibit in gallery().into_iter().filter(|exhibit| only.is_none_or(|only| only == exhibit.name)) {
        let started = Instant::now();
        let results: Vec<Vec<SimulatedRun>> = Method::NAMES
            .iter()
            .map(|name| {
                let method = Method::named(name, exhibit.landscape.space(), games / 2).expect("a known name");
                simulate(&exhibit, method, games, runs)
            })
            .collect();
        print!("{:<5}{:<27}{:>8.2}", exhibit.name, exhibit.about, results[0][0].start.0);
        results.iter().for_each(|runs| print!("{:>18}", format!("{:.2} [{:.2}]", mean(runs), low(runs))));
        let ours = &results[0];
        let intervals: u32 = ours.iter().map(|run| run.intervals).sum();
        let right: u32 = ours.iter().map(|run| run.intervals_right).sum();
        let worse = ours.iter().filter(|run| run.end.0 < run.start.0).count();
        let pairs = ours.iter().map(|run| run.pairs).sum::<u64>() / ours.len() as u64;
        print!("{:>9.1}%{worse:>8}{pairs:>8}", 100.0 * f64::from(right) / f64::from(intervals.max(1)));
        println!("   {:.0} s", started.elapsed().as_secs_f64());
        kept &= keeps_promises(exhibit.name, mean(ours), mean(&results[1]), games);
        if arguments.iter().any(|argument| argument == "--best") {
            best_by_hand(&exhibit, games, runs.div_ceil(5));
        }
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn simulate(exhibit: &Exhibit, method: Method, games: u64, runs: u64) -> Vec<SimulatedRun> {
    let (landscape, models) = (exhibit.landscape.clone(), exhibit.games.clone());
    let lookahead = Lookahead::of(32);
    TuneSimulation { landscape, games: models, method, pairs: games / 2, lookahead, seed: 1 }.run(runs)
}

fn mean(runs: &[SimulatedRun]) -> f64 {
    runs.iter().map(|run| run.end.0).sum::<f64>() / runs.len() as f64
}

fn low(runs: &[SimulatedRun]) -> f64 {
    let mut ends: Vec<f64> = runs.iter().map(|run| run.end.0).collect();
    ends.sort_by(f64::total_cmp);
    ends[runs.len() / 20]
}

fn keeps_promises(name: &str, ours: f64, automatic: f64, games: u64) -> bool {
    let promised =
        PROMISES.iter().all(|(landscape, loss)| *landscape != name || games != 40_000 || ours >= -loss);
    let compared = !NO_WORSE.contains(&name) || ours >= automatic;
    if !(promised && compared) {
        println!("     {name}: {ours:.2} misses the promise");
    }
    promised && compared
}

/// Simultaneous perturbation at the best of many gains, found by trying them all.
fn best_by_hand(exhibit: &Exhibit, games: u64, runs: u64) {
    let space = exhibit.landscape.space();
    let mut best = (f64::NEG_INFINITY, String::new());
    for parts in [20.0, 6.0, 4.0] {
        for rate in [0.001, 0.002, 0.004, 0.008, 0.016] {
            for (name, schedule) in [
                ("decaying", Schedule::ends(games as f64 / 2.0)),
                ("constant", Schedule::constant(games as f64 / 2.0)),
            ] {
                let gains = space
                    .parameters()
                    .iter()
                    .map(|parameter| Gain { perturbation: parameter.range() / parts, rate });
                let plan = SpsaPlan { schedule, ..SpsaPlan::fishtest(gains.collect(), games / 2) };
                let left = mean(&simulate(exhibit, Method::Spsa(plan), games, runs));
                if left > best.0 {
                    best = (left, format!("range/{parts}, rate {rate}, {name}"));
                }
            }
        }
    }
    println!("     best gains by hand: {:.2} with {}", best.0, best.1);
}
