//! The help text of every program and command, as reviewed.
//!
//! `INSTA_UPDATE=always cargo test --test cli help::` accepts changed texts; the difference is then reviewed in git.

use std::process::Command;

use insta::assert_snapshot;

const PLAYSELF: &str = env!("CARGO_BIN_EXE_playself");

/// Output of `program arguments --help`, wrapped at the default width of a pipe.
fn help(program: &str, arguments: &[&str]) -> String {
    printed_help(Command::new(program).env_remove("COLUMNS"), arguments)
}

fn printed_help(command: &mut Command, arguments: &[&str]) -> String {
    let output = command.args(arguments).arg("--help").output().unwrap();
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
    assert_help(PLAYSELF, "playself", &[]);
}

/// Fails if a line of the help of a command, or of one below it, is wider than a terminal of 80 columns, or if an example is
/// broken there.
fn assert_fits_80_columns(arguments: &[&str]) {
    let text = printed_help(Command::new(PLAYSELF).env("COLUMNS", "80"), arguments);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
    }
    for line in examples_in(&help(PLAYSELF, arguments)) {
        assert!(text.lines().any(|shown| shown == line), "{arguments:?}: `{line}` is broken:\n{text}");
    }
    // The help of the other match runners is in their own form.
    let others = ["fastchess", "cutechess-cli"];
    for command in commands_in(&text).iter().filter(|command| !others.contains(&command.as_str())) {
        assert_fits_80_columns(&[arguments, &[command.as_str()]].concat());
    }
}

/// The lines below `Example:` or `Examples:`.
fn examples_in(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example"));
    lines.skip(1).take_while(|line| line.starts_with("  ")).map(str::to_owned).collect()
}

#[test]
fn help_fits_a_terminal_of_80_columns() {
    assert_fits_80_columns(&[]);
}

/// Examples that need neither another engine nor a run of the reader are tried as they are printed.
#[test]
fn examples_of_runs_work_in_this_repository() {
    let mut tried = 0;
    for command in ["match", "sprt", "tune"] {
        let lines = examples_in(&help(PLAYSELF, &[command])).join("\n").replace("\\\n", "");
        for line in lines.lines() {
            let words = shlex::split(line).unwrap();
            if words
                .iter()
                .any(|word| ["RUN", "./new", "-rev", "toga2"].iter().any(|other| word.contains(other)))
            {
                continue;
            }
            let mut call = Command::new(PLAYSELF);
            call.args(&words[1..]).arg("--dry-run").current_dir(env!("CARGO_MANIFEST_DIR"));
            let output = call.output().unwrap();
            assert!(output.status.success(), "{line}: {output:?}");
            tried += 1;
        }
    }
    assert!(tried >= 6, "{tried}");
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
