//! `playself sprt` between two revisions of a repository.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use serde_json::Value;

use crate::signals::with_default_signals;

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
    // The last process would keep standard error open for a minute.
    let build =
        "echo building; mkdir -p made && cp engine.sh made/engine && chmod +x made/engine; sleep 60 &";
    let mut command = Command::new(PLAYSELF);
    command.args(["sprt", "--candidate-rev", "HEAD", "--baseline-rev", "HEAD~1", "--program", "made/engine"]);
    command.args(["--repo", &repo, "--build", build, "--build-cache", &cache, "--run-dir", &place]);
    command.args(["--nodes", "50", "--games", "2", "--max-moves", "10", "--seed", "1", "--json"]).args(more);
    // In a hook of another repository, git puts that one into the environment.
    command.env("GIT_DIR", folder.join("hook/.git")).env("GIT_INDEX_FILE", folder.join("hook/index"));
    command.output().unwrap()
}

#[test]
fn row_200_two_revisions_are_built_once_also_in_a_hook_and_only_events_are_written_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    let begun = Instant::now();
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
    assert!(begun.elapsed() < Duration::from_secs(60), "a process of the build was left");
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

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a test of two revisions whose build runs `build`.
fn start_building(folder: &Path, run: &str, build: &str) -> Child {
    let [repo, cache, place] = ["repo", "cache", run].map(|name| folder.join(name).display().to_string());
    let mut command = Command::new(PLAYSELF);
    command.args(["sprt", "--candidate-rev", "HEAD", "--baseline-rev", "HEAD~1", "--program", "made/engine"]);
    command.args(["--repo", &repo, "--build", build, "--build-cache", &cache, "--run-dir", &place]);
    command.args(["--nodes", "50", "--games", "2", "--max-moves", "10", "--seed", "1"]);
    with_default_signals(&mut command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Checkouts and unfinished copies in the cache.
fn leftovers(folder: &Path) -> Vec<String> {
    let commits = fs::read_dir(folder.join("cache")).into_iter().flatten().flatten();
    let files = commits.flat_map(|commit| fs::read_dir(commit.path()).into_iter().flatten().flatten());
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains("checkout") || name.contains("draft")).collect()
}

#[test]
fn row_139_a_signal_ends_a_build_with_everything_it_started_and_leaves_no_checkout() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let pids = folder.path().join(format!("pids-{signal}"));
        // A shell that ignores SIGTERM, with a child of its own.
        let build = format!("trap '' TERM; sleep 300 & echo $$ $! > {}; wait; sleep 300", pids.display());
        let child = start_building(folder.path(), "run", &build);
        wait_until("the build", || fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n')));
        assert_eq!(leftovers(folder.path()).len(), 1, "{signal}: the build has a checkout");
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {printed}");
        assert!(printed.contains("the build was interrupted"), "{signal}: {printed}");
        let text = fs::read_to_string(&pids).unwrap();
        for pid in text.split_whitespace() {
            let pid = Pid::from_raw(pid.parse().unwrap());
            wait_until("the end of the build", || kill(pid, None).is_err());
        }
        assert_eq!(leftovers(folder.path()), [""; 0], "{signal}");
        let list =
            Command::new("git").arg("-C").arg(folder.path().join("repo")).args(["worktree", "list"]).output();
        let list = String::from_utf8_lossy(&list.unwrap().stdout).into_owned();
        assert_eq!(list.lines().count(), 1, "{signal}: {list}");
    }
}

#[test]
fn row_140_processes_that_build_the_same_revisions_at_once_share_the_result() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    let log = folder.path().join("builds");
    let build = format!(
        "echo built >> {}; sleep 0.5; mkdir -p made && cp engine.sh made/engine && chmod +x made/engine",
        log.display()
    );
    let children: Vec<Child> =
        (0..4).map(|number| start_building(folder.path(), &format!("run-{number}"), &build)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "undecided after a pair: {printed}");
    }
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 2, "each revision is built once");
    assert_eq!(leftovers(folder.path()), [""; 0]);
}

#[test]
fn row_140_a_checkout_of_a_killed_build_is_removed_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("repo")).unwrap();
    repository(&folder.path().join("repo"));
    let (pids, gate) = (folder.path().join("pids"), folder.path().join("gate"));
    // The build waits for the gate only the first time.
    let build = format!(
        "echo $$ >> {}; test -e {} || sleep 300; mkdir -p made && cp engine.sh made/engine && chmod +x made/engine",
        pids.display(),
        gate.display()
    );
    let mut child = start_building(folder.path(), "run", &build);
    wait_until("the build", || fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n')));
    child.kill().unwrap();
    child.wait().unwrap();
    let orphan = fs::read_to_string(&pids).unwrap().trim().parse().unwrap();
    let _ = nix::sys::signal::killpg(Pid::from_raw(orphan), Signal::SIGKILL);
    assert_eq!(leftovers(folder.path()).len(), 1);
    fs::write(&gate, "").unwrap();
    let output = start_building(folder.path(), "again", &build).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(leftovers(folder.path()), [""; 0]);
}
