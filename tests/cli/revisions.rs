//! `playself sprt` between two revisions of a repository.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PLAYSELF: &str = env!("CARGO_BIN_EXE_playself");

fn git(repo: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    let output = Command::new("git").arg("-C").arg(repo).args(identity).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with an engine in two revisions that differ in the value of a knight.
fn repository(place: &Path) {
    git(place, &["init", "--quiet"]);
    for value in [300, 320] {
        let script = format!("#!/bin/sh\nexec {PLAYSELF} engine uci --set knight_value={value}\n");
        fs::write(place.join("engine.sh"), script).unwrap();
        git(place, &["add", "engine.sh"]);
        git(place, &["commit", "--quiet", "--message", "Value the knight"]);
    }
}

fn sprt(folder: &Path, run: &str, more: &[&str]) -> Output {
    let [repo, cache, place] = ["repo", "cache", run].map(|name| folder.join(name).display().to_string());
    let build = "echo building; mkdir -p made && cp engine.sh made/engine && chmod +x made/engine";
    let mut command = Command::new(PLAYSELF);
    command.args(["sprt", "--candidate-rev", "HEAD", "--baseline-rev", "HEAD~1", "--program", "made/engine"]);
    command.args(["--repo", &repo, "--build", build, "--build-cache", &cache, "--run-dir", &place]);
    command.args(["--nodes", "50", "--games", "2", "--max-moves", "10", "--seed", "1", "--json"]).args(more);
    command.output().unwrap()
}

#[test]
fn two_revisions_are_built_once_and_only_events_are_written_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    for (run, builds, more) in [("first", 2, &[][..]), ("second", 0, &["--preset", "non-regression"][..])] {
        let output = sprt(folder.path(), run, more);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "undecided after a pair: {printed}");
        assert_eq!(printed.matches("building").count(), builds, "{printed}");
        let events: Vec<Value> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
            .collect();
        assert_eq!(events.last().unwrap()["event"], "verdict");
    }
    let plan = fs::read_to_string(folder.path().join("second/plan.toml")).unwrap();
    assert!(plan.contains("-1.75") && plan.contains("0.25"), "the plan has the bounds of the preset: {plan}");
}

#[test]
fn a_revision_that_does_not_exist_or_build_is_reported_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    for (more, expected) in [
        (&["--candidate-rev", "no-such-branch"][..], "no revision `no-such-branch`"),
        (&["--build", "false"][..], "`false` ended with"),
    ] {
        let mut command = Command::new(PLAYSELF);
        let repo = folder.path().join("repo").display().to_string();
        let cache = folder.path().join("cache").display().to_string();
        let mut call = vec!["sprt", "--baseline-rev", "HEAD", "--repo", &repo, "--program", "made/engine"];
        call.extend(["--build-cache", &cache, "--nodes", "50"]);
        if more[0] == "--build" {
            call.extend(["--candidate-rev", "HEAD~1"]);
        } else {
            call.extend(["--build", "true"]);
        }
        call.extend(more);
        let output = command.args(call).current_dir(folder.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains(expected), "{printed}");
        assert!(!folder.path().join("results").exists(), "a run folder was created");
    }
}
