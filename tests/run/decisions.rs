//! Tests of several candidates, bounded tests, forecasts with a prior, and tuning runs that learn from earlier ones.

use std::fs;
use std::process::Command;

use crate::run::{Bench, FAKE, Match, PLAYSELF, finish};

fn play(bench: &Bench, args: &[&str]) -> (i32, String) {
    finish(Command::new(PLAYSELF).args(args).current_dir(bench.folder.path()))
}

#[test]
fn several_candidates_are_tested_one_after_the_other_with_one_share_of_errors() {
    let bench = Bench::new();
    // The second candidate loses every game, so its test is over after a few pairs.
    let resigns = ["--on", "on go#2: exit"];
    let rest = "[sprt]\nelo = [0.0, 100.0]\n";
    bench.config("one", &Match { pairs: 6, rest, ..Match::default() });
    bench.config(
        "two",
        &Match { pairs: 6, candidate: &resigns, games: "breaker = \"off\"", rest, ..Match::default() },
    );
    let (status, printed) = play(&bench, &["sprt", "one.toml", "two.toml", "--fdr", "0.1"]);
    let table = printed.split("stronger\n").nth(1).unwrap_or_default();
    assert!(table.contains("one ") && table.contains("two "), "{printed}");
    assert!(table.contains("0 of 2 candidates are stronger; at most 10 % of such calls"), "{printed}");
    assert!([1, 3].contains(&status), "{status}: {printed}");
    let runs: Vec<_> =
        fs::read_dir(bench.path("results")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(runs.len(), 2, "every candidate has a run of its own");
    let plan = fs::read_to_string(runs[0].join("plan.toml")).unwrap();
    assert!(plan.contains("alpha = 0.05"), "half of 0.1: {plan}");
    let again: Vec<&str> = runs.iter().map(|path| path.to_str().unwrap()).collect();
    let (status, printed) = play(&bench, &[&["report", "--fdr", "0.1"], &again[..]].concat());
    assert_eq!((status, printed.contains("0 of 2 candidates are stronger")), (0, true), "{printed}");
    for wrong in [["--run-dir", "x"], ["--candidate", FAKE]] {
        let (status, printed) = play(&bench, &[&["sprt", "one.toml", "two.toml"], &wrong[..]].concat());
        assert_eq!(status, 2, "{printed}");
    }
}

#[test]
fn a_bounded_test_shows_bounds_that_narrow_and_is_forecast_with_its_longest_length() {
    let bench = Bench::new();
    let rest = "[sprt]\nelo = [0.0, 60.0]\ntest = \"bounded\"\nat_limit = \"undecided\"\n";
    let config = bench.config("bounded", &Match { pairs: 8, rest, ..Match::default() });
    let (status, printed) = finish(&mut bench.start(&config, "run"));
    assert!([0, 1, 3].contains(&status), "{printed}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("run", "summary.json")).unwrap();
    let bound = |key: &str| summary[key].as_f64().unwrap();
    assert!(bound("llr_upper") < 4.6 && bound("llr_upper") > 0.0, "{summary}");
    assert!((bound("llr_upper") + bound("llr_lower")).abs() < 1e-9, "{summary}");
    assert!(bench.read("run", "report.html").contains("bounded test [0, 60] normalized Elo"));
    assert!(bench.verify("run").status.success(), "the files follow from the journal");
    let plan = ["plan", "bounded.toml", "--pilot-pairs", "8", "--prior", "-1,2"];
    let (status, printed) = play(&bench, &plan);
    assert_eq!(status, 0, "{printed}");
    for part in
        ["The test never takes more than about", "games of the pilot were drawn", "planned", "best bounded"]
    {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (_, printed) = play(&bench, &[&plan[..], &["--json"]].concat());
    let line = printed.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(json["patches"].as_array().map(Vec::len), Some(3), "{printed}");
    assert!(json["last_pair"].as_f64().is_some_and(|pairs| pairs > 50.0), "{printed}");
}

#[test]
fn a_tuning_run_learns_from_an_earlier_one_of_the_same_engine_at_the_same_limits() {
    let bench = Bench::new();
    let tune = |name: &str, parameters: &str, depth: u32, rest: &str| {
        let text = format!(
            "name = \"{name}\"\nseed = 3\nengine = \"{FAKE}\"\n[tune]\ngames = 12\nparameters = {parameters}\n{rest}\n\
             [games]\ndepth = {depth}\nopenings = \"book.epd\"\n[adjudicate]\nmax_moves = 8\n"
        );
        fs::write(bench.path(&format!("{name}.toml")), text).unwrap();
    };
    tune("first", "[\"Weight\"]", 1, "");
    assert_eq!(play(&bench, &["tune", "first.toml", "--run-dir", "first"]).0, 0);
    // Another range, and a switch that the first run did not tune.
    tune("second", "[\"Weight\", \"Ponder\"]", 1, "[tune.bounds.Weight]\nmin = 1\nmax = 50");
    let learn = ["tune", "second.toml", "--run-dir", "second", "--learn-from", "first"];
    let (status, printed) = play(&bench, &learn);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("Learning from 6 pairs of earlier runs"), "{printed}");
    assert!(bench.read("second", "plan.toml").contains("earlier = "));
    assert!(
        bench.read("second", "weights.toml").contains("Ponder = "),
        "{}",
        bench.read("second", "weights.toml")
    );
    assert!(bench.verify("second").status.success(), "the files follow from the journal");
    tune("deeper", "[\"Weight\"]", 2, "");
    tune("other", "[\"Ponder\"]", 1, "");
    for (config, problem) in [
        ("deeper.toml", "its engine played with depth=1, this one plays with depth=2"),
        ("other.toml", "it also tuned `Weight`, which this run does not"),
    ] {
        let (status, printed) = play(&bench, &["tune", config, "--run-dir", "none", "--learn-from", "first"]);
        assert_eq!((status, printed.contains(problem)), (2, true), "{config}: {printed}");
    }
}
