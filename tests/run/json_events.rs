//! Snapshot of the events of a small run: names and types of all fields that scripts read.

use insta::assert_snapshot;
use serde_json::{Map, Value};

use crate::run::{Bench, Match};

/// Rounds to six decimals, since the last bits depend on the mathematical library of the system.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = (number.as_f64().unwrap() * 1e6).round() / 1e6;
            // Without the sign of a negative zero.
            (rounded + 0.0).into()
        }
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

/// The lines of a run in an order that does not depend on how its records were grouped, without times.
fn stable(output: &str) -> String {
    let mut events: Vec<Map<String, Value>> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &mut events {
        if event["event"] == "progress" {
            // Its values depend on timing, so only the names of its fields are compared.
            event.iter_mut().filter(|(key, _)| *key != "event").for_each(|(_, value)| *value = Value::Null);
        } else if let Some(seconds) = event.get_mut("seconds") {
            *seconds = Value::Null;
        }
    }
    let order = |event: &Map<String, Value>| {
        let kinds = ["start", "warning", "game", "pair", "progress", "verdict"];
        let kind = kinds.iter().position(|kind| event["event"] == *kind);
        let number = |key: &str| event.get(key).and_then(Value::as_u64);
        (kind, number("pair"), number("game"))
    };
    events.sort_by_key(order);
    events.dedup();
    let lines = events.into_iter().map(|event| rounded(Value::Object(event)).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_small_test_reports_the_reviewed_events() {
    let bench = Bench::new();
    let wanted = Match {
        pairs: 3,
        baseline: &["--salt", "2", "--on", "on go#100: reply bestmove a1a1"],
        games: "concurrency = 1",
        rest: "[sprt]\nelo = [0.0, 5.0]",
        ..Match::default()
    };
    let config = bench.config("events", &wanted);
    let output = bench.start(&config, "run").arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_snapshot!("test", stable(&String::from_utf8(output.stdout).unwrap()));
}
