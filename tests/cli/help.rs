//! The help text of every program and command, as reviewed.
//!
//! `INSTA_UPDATE=always cargo test --test cli help::` accepts changed texts; the difference is then reviewed in git.

use std::process::Command;

use insta::assert_snapshot;

/// Output of `program arguments --help`, wrapped at the default width of a pipe.
fn help(program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments).arg("--help").env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names under `Commands:` in a help text, without `help`, which repeats the others.
fn commands_in(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // A wrapped description continues further to the right.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    names
        .filter_map(|rest| rest.split(' ').next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Compares the help of a command, and of every command below it, with the reviewed texts.
fn assert_help(program: &str, name: &str, arguments: &[&str]) {
    let text = help(program, arguments);
    assert_snapshot!([&[name], arguments].concat().join("-"), text);
    for command in commands_in(&text) {
        assert_help(program, name, &[arguments, &[command.as_str()]].concat());
    }
}

#[test]
fn every_command_of_playself_prints_its_reviewed_help() {
    assert_help(env!("CARGO_BIN_EXE_playself"), "playself", &[]);
}

#[test]
fn every_other_program_prints_its_reviewed_help() {
    for (name, program) in [
        ("benchmark", env!("CARGO_BIN_EXE_benchmark")),
        ("chess", env!("CARGO_BIN_EXE_chess")),
        ("chess-uci", env!("CARGO_BIN_EXE_chess-uci")),
        ("fake-engine", env!("CARGO_BIN_EXE_fake-engine")),
        ("generate_magic", env!("CARGO_BIN_EXE_generate_magic")),
        ("perft", env!("CARGO_BIN_EXE_perft")),
        ("score", env!("CARGO_BIN_EXE_score")),
    ] {
        assert_help(program, name, &[]);
    }
}

#[test]
fn commands_are_read_from_a_help_text_with_wrapped_descriptions() {
    let text =
        "Usage: x\n\nCommands:\n  one  First\n       more\n  two  Second\n  help  Print\n\nOptions:\n  -h\n";
    assert_eq!(commands_in(text), ["one", "two"]);
    assert!(commands_in("Usage: x\n\nOptions:\n  -h\n").is_empty());
}
