//! `playself stats` and `playself simulate`.

use std::process::{Command, Output};

use serde_json::Value;

fn playself(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_playself")).args(arguments).output().expect("the program can be started")
}

fn json_lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

#[test]
fn stats_prints_every_documented_key_and_a_verdict() {
    let counts = "365,16618,36229,17050,390";
    let output = playself(&["stats", "--pentanomial", counts, "--elo0", "0", "--elo1", "2", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let answer = json_lines(&output).remove(0);
    let keys = [
        "games",
        "score",
        "elo",
        "elo_error",
        "los",
        "nelo",
        "nelo_error",
        "draw_ratio",
        "pairs_ratio",
        "llr",
        "llr_lower",
        "llr_upper",
        "verdict",
        "elo_corrected",
        "elo_corrected_lower",
        "elo_corrected_upper",
    ];
    for key in keys {
        assert!(!answer[key].is_null(), "{key} is missing in {answer}");
    }
    assert_eq!(answer["verdict"], "H1");
    let elo = |key: &str| answer[key].as_f64().expect("a number");
    assert!(
        elo("elo_corrected_lower") < elo("elo_corrected")
            && elo("elo_corrected") < elo("elo_corrected_upper")
    );
    // The plain estimate of a test that passed early is too high.
    assert!(elo("elo_corrected") < elo("elo"));
}

#[test]
fn without_a_test_the_verdict_is_none_and_without_games_estimates_are_null() {
    let output = playself(&["stats", "--wdl", "0,0,0", "--json"]);
    let answer = json_lines(&output).remove(0);
    assert_eq!(answer["verdict"], "none");
    assert!(answer["elo"].is_null() && answer["llr"].is_null() && answer["pairs_ratio"].is_null());
}

#[test]
fn invalid_counts_are_reported_in_one_line() {
    for (counts, expected) in [
        ("1,2,3", "expected 5 comma-separated non-negative integers, got `1,2,3`"),
        ("1,2,x,4,5", "integers, got `1,2,x,4,5`"),
        ("1,2,-3,4,5", "integers, got `1,2,-3,4,5`"),
        ("1,2,3,4,99999999999999999", "is too large"),
    ] {
        let output = playself(&["stats", "--pentanomial", counts]);
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{counts}");
        assert!(printed.contains(expected) && printed.lines().count() == 1, "{printed}");
        assert!(output.stdout.is_empty());
    }
    let output = playself(&["stats", "--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn huge_and_one_sided_counts_give_finite_numbers() {
    for counts in
        ["1000000000,0,0,0,0", "0,0,1000000000,0,0", "1000000000,1000000000,1,0,1000000000", "0,0,0,0,1"]
    {
        for (elo0, elo1) in [("0", "5"), ("-2000", "2000"), ("400", "401")] {
            let output =
                playself(&["stats", "--pentanomial", counts, "--elo0", elo0, "--elo1", elo1, "--json"]);
            assert_eq!(output.status.code(), Some(0));
            let answer = json_lines(&output).remove(0);
            // A clean sweep has no finite estimate, but one end of its interval.
            let has_end = answer["elo_lower"].is_f64() || answer["elo_upper"].is_f64();
            assert!(answer["llr"].is_f64() && has_end, "{answer}");
        }
    }
}

#[test]
fn a_simulated_test_gives_the_same_counts_at_any_concurrency() {
    let simulate = |concurrency: &str| {
        let fixed =
            ["simulate", "sprt", "--elo", "20", "--elo0", "0", "--elo1", "30", "--runs", "40", "--seed", "7"];
        let output = playself(&[&fixed[..], &["--concurrency", concurrency, "--json"]].concat());
        assert_eq!(output.status.code(), Some(0));
        json_lines(&output).remove(0)
    };
    let alone = simulate("1");
    assert_eq!(alone["runs"], 40);
    assert_eq!(
        alone["accepted_h1"].as_u64().zip(alone["accepted_h0"].as_u64()).map(|(h1, h0)| h1 + h0),
        Some(40)
    );
    assert_eq!(simulate("8"), alone);
    assert_eq!(simulate("128"), alone);
}

#[test]
fn a_landscape_file_is_tuned_and_an_invalid_one_is_reported() {
    let file = "configs/landscapes/rugged.toml";
    let output =
        playself(&["simulate", "tune", "--landscape", file, "--games", "20000", "--runs", "3", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let mut lines = json_lines(&output);
    let summary = lines.pop().expect("a last line");
    assert_eq!((lines.len(), &summary["runs"]), (3, &Value::from(3)));
    assert_eq!(lines[2]["run"], 2);
    let elo = |key: &str| summary[key].as_f64().expect("a number");
    assert!(elo("mean_final_elo") > elo("mean_start_elo"), "{summary}");

    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("wrong.toml");
    for (text, expected) in [
        ("draw_ratio = 0.5\ncolour = 3\nparameter = []", "colour"),
        ("draw_ratio = 0.5\nparameter = []", "no parameter to tune"),
        (
            "draw_ratio = 0.999\nbias = 300\nparameter = [{name='a',min=0,max=9,start=5,optimum=4,curvature=1}]",
            "a draw ratio of 0.999 is impossible",
        ),
    ] {
        std::fs::write(&wrong, text).expect("a file can be written");
        let output = playself(&["simulate", "tune", "--landscape", &wrong.to_string_lossy(), "--runs", "1"]);
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(printed.contains(expected), "{printed}");
    }
    let output = playself(&["simulate", "tune", "--landscape", "L2", "--method", "guess", "--runs", "1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose one of bayes, spsa"));
}
