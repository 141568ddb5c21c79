//! The table of tuners: strength left to win on the standard landscapes, ours beside the others.
//!
//! `cargo bench --bench tuner -- [--runs N] [--games N] [--only L2] [--best] [--lengths]`; `--best` also searches the
//! others' gains by hand, on the landscape itself, which no user could do; `--lengths` also tries ours in runs of 10,000
//! and 160,000 games. Ends with an error if our tuner misses what it promises.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::process::ExitCode;
use std::time::Instant;

use playself::tuning::{
    Gain, GainSchedule, Lookahead, Method, SimulatedRun, SpsaPlan, StandardLandscape, TuneSimulation,
    standard_landscapes,
};

/// Elo that our tuner may leave on a landscape in 40,000 games.
const PROMISES: [(&str, f64); 2] = [("L2", 0.8), ("L7", 0.15)];
/// Landscapes on which it must not be worse than constant gains chosen by rule.
const NO_WORSE: [&str; 3] = ["L4", "L6", "L9"];

/// Landscapes whose intervals hold more optima than 97 in 100.
///
/// Intervals tell what is to be believed after the games, and are right 95 times in 100 over all that may be the case, not on
/// every landscape by itself. Where all starts are optima, games teach that starts are good, and
/// intervals around them are short and hold. Intervals without that lesson were tried: five times as wide, and they hold
/// no fewer optima, because 40,000 games alone can hardly exclude a place for eight parameters. Where half of
/// the optima lie beyond a bound, an interval that ends there cannot miss them, and the others' intervals
/// are wide because games teach that starts can be far off. Wider tails for all would spoil the turned landscape first.
const WIDE: [&str; 2] = ["L7", "L8"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (runs, games) = (number("--runs", 200), number("--games", 40_000));
    let (mut kept, mut all_ours) = (true, Vec::new());
    println!("{games} games, {runs} runs; mean Elo left, its 5 % quantile in brackets");
    print!("{:<32}{:>8}", "", "start");
    Method::NAMES.iter().for_each(|name| print!("{name:>18}"));
    println!("{:>10}{:>8}{:>8}", "coverage", "worse", "pairs");
    let only =
        arguments.iter().position(|argument| argument == "--only").and_then(|at| arguments.get(at + 1));
    for exhibit in
        standard_landscapes().into_iter().filter(|exhibit| only.is_none_or(|only| only == exhibit.name))
    {
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
        let worse = ours.iter().filter(|run| run.end.0 < run.start.0).count();
        let pairs = ours.iter().map(|run| run.pairs).sum::<u64>() / ours.len() as u64;
        print!("{:>9.1}%{worse:>8}{pairs:>8}", 100.0 * coverage(ours));
        println!("   {:.0} s", started.elapsed().as_secs_f64());
        kept &= keeps_promises(exhibit.name, mean(ours), mean(&results[1]), games);
        kept &= is_honest(exhibit.name, coverage(ours)) && is_harmless(exhibit.name, worse, ours.len());
        if arguments.iter().any(|argument| argument == "--best") {
            best_by_hand(&exhibit, games, runs.div_ceil(5));
        }
        if arguments.iter().any(|argument| argument == "--lengths") {
            other_lengths(&exhibit, runs.div_ceil(4));
        }
        all_ours.extend(results.into_iter().next());
    }
    if only.is_none() {
        let all_ours = all_ours.concat();
        println!("{:<32}coverage over all landscapes {:.1}%", "", 100.0 * coverage(&all_ours));
        kept &= is_honest("all", coverage(&all_ours));
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn simulate(exhibit: &StandardLandscape, method: Method, games: u64, runs: u64) -> Vec<SimulatedRun> {
    let (landscape, models) = (exhibit.landscape.clone(), exhibit.games.clone());
    let lookahead = Lookahead::of(32);
    TuneSimulation { landscape, games: models, method, pairs: games / 2, lookahead, seed: 1 }.run(runs)
}

fn mean(runs: &[SimulatedRun]) -> f64 {
    runs.iter().map(|run| run.end.0).sum::<f64>() / runs.len() as f64
}

/// The share of intervals that held their optimum.
fn coverage(runs: &[SimulatedRun]) -> f64 {
    let sum = |count: fn(&SimulatedRun) -> u32| f64::from(runs.iter().map(count).sum::<u32>());
    sum(|run| run.covering_intervals) / sum(|run| run.intervals).max(1.0)
}

fn is_honest(name: &str, coverage: f64) -> bool {
    let honest = coverage >= 0.9 && (coverage <= 0.97 || WIDE.contains(&name));
    if !honest {
        println!("     {name}: coverage {:.1}% is not that of 95 % intervals", 100.0 * coverage);
    }
    honest
}

fn is_harmless(name: &str, worse: usize, runs: usize) -> bool {
    let harmless = worse * 100 <= runs;
    if !harmless {
        println!("     {name}: {worse} of {runs} runs ended below their start");
    }
    harmless
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

/// The others at the best of many gains, found by trying them all on the landscape itself.
fn best_by_hand(exhibit: &StandardLandscape, games: u64, runs: u64) {
    for (rival, plans) in [("spsa", spsa_plans(exhibit, games)), ("weather-factory", factory_plans(exhibit))]
    {
        let mut best: Option<(Vec<SimulatedRun>, String)> = None;
        for (gains, plan) in plans {
            let tried = simulate(exhibit, Method::Spsa(plan), games, runs);
            if best.as_ref().is_none_or(|(best, _)| mean(&tried) > mean(best)) {
                best = Some((tried, gains));
            }
        }
        let (best, gains) = best.expect("there is a plan to try");
        println!("     {rival} at its best gains: {:.2} [{:.2}] with {gains}", mean(&best), low(&best));
    }
}

/// fishtest's and OpenBench's kind: perturbations from a twentieth of the range to a quarter, and every rate worth trying.
fn spsa_plans(exhibit: &StandardLandscape, games: u64) -> Vec<(String, SpsaPlan)> {
    let (space, pairs) = (exhibit.landscape.space(), games as f64 / 2.0);
    let mut plans = Vec::new();
    for parts in [20.0, 10.0, 6.0, 4.0, 3.0] {
        for rate in [0.001, 0.002, 0.004, 0.008, 0.016, 0.032] {
            for (name, schedule) in
                [("decaying", GainSchedule::fishtest(pairs)), ("constant", GainSchedule::constant(pairs))]
            {
                let gain = |range: f64| Gain { perturbation: range / parts, rate };
                let gains = space.parameters().iter().map(|parameter| gain(parameter.range())).collect();
                let plan = SpsaPlan { schedule, ..SpsaPlan::fishtest(gains, games / 2) };
                plans.push((format!("range/{parts}, rate {rate}, {name}"), plan));
            }
        }
    }
    plans
}

/// weather-factory's kind: steps, and the scale of its learning.
fn factory_plans(exhibit: &StandardLandscape) -> Vec<(String, SpsaPlan)> {
    let space = exhibit.landscape.space();
    let mut plans = Vec::new();
    for parts in [20.0, 8.0, 4.0, 2.0] {
        for speed in [1.0, 3.0, 10.0, 30.0] {
            let gain = |range: f64| Gain { perturbation: range / parts, rate: 0.0 };
            let gains = space.parameters().iter().map(|parameter| gain(parameter.range())).collect();
            let mut plan = SpsaPlan::weather_factory(gains);
            if let GainSchedule::InitialGains { a, .. } = &mut plan.schedule {
                *a = speed;
            }
            plans.push((format!("step range/{parts}, a {speed}"), plan));
        }
    }
    plans
}

/// Our tuner in runs of other lengths.
fn other_lengths(exhibit: &StandardLandscape, runs: u64) {
    for games in [10_000, 160_000] {
        let method =
            Method::named(Method::NAMES[0], exhibit.landscape.space(), games / 2).expect("a known name");
        let ended = simulate(exhibit, method, games, runs);
        let (mean, low, right) = (mean(&ended), low(&ended), 100.0 * coverage(&ended));
        println!("     ours in {games} games: {mean:.2} [{low:.2}], coverage {right:.1}%");
    }
}
