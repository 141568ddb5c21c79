//! `playself check`.

use std::process::{Command, Output};

use serde_json::Value;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_playself")).arg("check").args(args).output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn grade<'a>(report: &'a Value, check: &str) -> &'a str {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["check"] == check).unwrap()["grade"].as_str().unwrap()
}

#[test]
fn the_built_in_engine_passes_every_check() {
    let output = check(&["builtin", "--quick", "--json"]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.len() >= 20, "{report:#}");
    // Times depend on the load of the machine; everything else is certain.
    let timed = ["go movetime", "go infinite", "isready in search", "tiny clock", "ponder", "idle"];
    for finding in findings {
        let name = finding["check"].as_str().unwrap();
        assert!(finding["grade"] == "pass" || timed.contains(&name), "{finding:#}");
    }
    assert_eq!(report["engine"], "builtin");
    assert!(report["id_name"].as_str().is_some_and(|name| !name.is_empty()), "{report:#}");
}

#[test]
fn every_breach_is_found_and_none_spoils_the_checks_after_it() {
    let rules =
        ["--score", "10", "--on", "on start: block-term", "--on", "on quit: ignore", "--on", "on eof: hang"];
    let output = check(&[&[FAKE, "--quick", "--json", "--"][..], &rules].concat());
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    for (name, expected) in [
        ("handshake", "pass"),
        ("options", "pass"),
        ("unknown commands", "pass"),
        ("go depth", "warn"),
        ("go nodes", "fail"),
        ("go infinite", "fail"),
        ("ponder", "fail"),
        ("principal variation", "fail"),
        ("mate and stalemate", "pass"),
        ("Chess960", "pass"),
        ("long game", "pass"),
        ("quit", "fail"),
        ("end of input", "warn"),
        ("SIGTERM", "warn"),
    ] {
        assert_eq!(grade(&report, name), expected, "{name}: {report:#}");
    }
}

#[test]
fn an_engine_that_crashes_in_a_check_fails_it_and_is_started_again() {
    let output = check(&[FAKE, "--quick", "--", "--on", "on go#1: exit 3"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let line =
        |name: &str| printed.lines().find(|line| line[6..].starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("go depth").starts_with("fail") && line("go depth").contains("it ended"), "{printed}");
    assert!(line("set options").starts_with("pass") && line("SIGTERM").starts_with("pass"), "{printed}");
    assert!(printed.lines().last().unwrap().contains("passed"), "{printed}");
}

#[test]
fn what_cannot_be_examined_is_refused_or_fails_its_handshake() {
    assert_eq!(check(&["/no/such/engine"]).status.code(), Some(2));
    assert_eq!(check(&[&format!("xboard:{FAKE}")]).status.code(), Some(2));
    let output = check(&["/bin/true", "--json"]);
    let report = report(&output);
    assert_eq!(
        (output.status.code(), report["findings"].as_array().unwrap().len()),
        (Some(1), 1),
        "{report:#}"
    );
}
