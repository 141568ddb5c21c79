//! What careless users do with the saved runs and the files of fastchess: wrong, old and deleted ones, full disks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::compat_lines::{BOOK, command, finish, finished_games, stdout};
use crate::run::{Bench, PLAYSELF};

/// A run that stops after a few games, in a folder below that of the bench; returns what it printed.
fn stopped_run(bench: &Bench) -> String {
    let rule = "args=--on 'on go#40: exit 3'";
    let flags = ["-rounds", "6", "-maxmoves", "6", "-pgnout", "file=g.pgn", "-each", rule];
    let output = finish(command(bench, "fastchess", &flags).args(BOOK).env("TMPDIR", bench.folder.path()));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    text
}

fn continued(bench: &Bench, words: &[&str]) -> Output {
    let mut command = Command::new(PLAYSELF);
    command.args(["fastchess", "-config", "file=config.json"]).args(words);
    finish(command.current_dir(bench.folder.path()).env("TMPDIR", bench.folder.path()))
}

/// The run folder that `config.json` names.
fn saved_folder(bench: &Bench) -> PathBuf {
    let saved: serde_json::Value =
        serde_json::from_slice(&fs::read(bench.path("config.json")).unwrap()).unwrap();
    PathBuf::from(saved["playself"]["run"].as_str().unwrap())
}

/// Row 173.
#[test]
fn a_folder_that_a_saved_run_did_not_make_is_never_removed() {
    let bench = Bench::new();
    stopped_run(&bench);
    let made = saved_folder(&bench);
    // The run was moved to a folder with other files, and the saved run edited.
    let precious = bench.path("precious");
    fs::create_dir(&precious).unwrap();
    fs::set_permissions(&precious, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(precious.join("thesis.tex"), "text").unwrap();
    fs::rename(&made, precious.join("run")).unwrap();
    let config = fs::read_to_string(bench.path("config.json")).unwrap();
    let moved = precious.join("run").display().to_string();
    fs::write(bench.path("config.json"), config.replace(&made.display().to_string(), &moved)).unwrap();
    let output = continued(&bench, &["-recover"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(fs::read_to_string(precious.join("thesis.tex")).unwrap(), "text");
    assert!(precious.join("run/journal.ndjson").exists(), "the run stays, too");
}

/// Row 174.
#[test]
fn a_run_that_cannot_be_continued_is_refused_with_a_reason() {
    let bench = Bench::new();
    stopped_run(&bench);
    let folder = saved_folder(&bench);
    assert!(folder.starts_with(bench.folder.path()), "{}", folder.display());
    let output = continued(&bench, &["-recover"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(!folder.parent().unwrap().exists(), "a complete run leaves nothing");
    let output = continued(&bench, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("config.json: this run is complete."), "{output:?}");
    let output = continued(&bench, &["-config", "file=config.json", "stats=false", "-recover"]);
    assert_eq!(finished_games(&stdout(&output)).len(), 12, "{output:?}");

    stopped_run(&bench);
    fs::remove_dir_all(saved_folder(&bench).parent().unwrap()).unwrap();
    let output = continued(&bench, &[]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
    assert!(stdout(&output).contains("which no longer exists. Without -config"), "{output:?}");
}

#[test]
fn two_runs_in_one_folder_do_not_disturb_each_other() {
    let bench = Bench::new();
    let flags = ["-rounds", "20", "-maxmoves", "10", "-pgnout", "file=g.pgn", "-autosaveinterval", "1"];
    let children = [(); 2].map(|()| {
        let mut command = command(&bench, "fastchess", &flags);
        command.args(BOOK).stdout(std::process::Stdio::piped()).spawn().unwrap()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = stdout(&output);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{text}");
        assert_eq!(finished_games(&text), (1..=40).collect::<Vec<u64>>());
    }
    let pgn = fs::read_to_string(bench.path("g.pgn")).unwrap();
    assert_eq!(pgn.matches("\n\n[Event ").count(), 79, "whole games alternate");
}

/// Row 175.
#[test]
fn games_that_a_full_disk_does_not_take_are_kept_and_the_status_states_it() {
    for (surface, pgn, folder) in [
        ("fastchess", "file=/dev/full", "playself-fastchess-"),
        ("cutechess-cli", "/dev/full", "playself-cutechess-cli-"),
    ] {
        let bench = Bench::new();
        let flags = ["-rounds", "3", "-maxmoves", "6", "-pgnout", pgn];
        let output = finish(command(&bench, surface, &flags).args(BOOK).env("TMPDIR", bench.folder.path()));
        let (text, warnings) = (stdout(&output), String::from_utf8(output.stderr.clone()).unwrap());
        assert_eq!(output.status.code(), Some(1), "{text}{warnings}");
        let all = text.clone() + &warnings;
        assert_eq!(all.matches("games cannot be written").count(), 1, "{all}");
        let line = all
            .lines()
            .find(|line| line.contains("games are missing in a file: /dev/full: No space"))
            .unwrap();
        let kept = line.split('`').nth(1).unwrap().strip_prefix("playself verify ").unwrap();
        assert!(kept.contains(folder), "{line}");
        assert!(finish(Command::new(PLAYSELF).args(["verify", kept])).status.code().is_some());
        let pgn = fs::read_to_string(PathBuf::from(kept).join("games.pgn")).unwrap();
        assert_eq!(pgn.matches("[Result ").count(), finished_games(&text).len());
    }
}
