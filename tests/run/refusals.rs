//! Calls that are refused before the first game: exit status, message, and no files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::run::{Bench, FAKE, Match, PLAYSELF, finish};

/// Runs a call that must not create a run, and returns its status and output.
fn refused(bench: &Bench, args: &[&str]) -> (i32, String) {
    let (status, printed) = finish(Command::new(PLAYSELF).args(args).current_dir(bench.folder.path()));
    assert!(!bench.path("results").exists(), "{args:?} left a folder: {printed}");
    assert!(!printed.contains("Started game") && !printed.contains("resume"), "{args:?}: {printed}");
    (status, printed)
}

#[test]
fn an_option_that_an_engine_does_not_take_is_refused_before_the_first_game() {
    let bench = Bench::new();
    for (white, black, option, expected) in [
        ("builtin", "builtin", "NoSuch=3", "playself: engine builtin: it has no option `NoSuch`"),
        (
            "builtin",
            FAKE,
            "Hsah=3",
            "engines builtin, fake-engine: each has no option `Hsah`; did you mean `Hash`?",
        ),
        (FAKE, "builtin", "Hash=abc", "engine fake-engine: it does not accept `abc` for its option `Hash`"),
        (FAKE, FAKE, "Hash=0", "expected an integer from 1 to 1024"),
    ] {
        let call = ["--white", white, "--black", black, "--depth", "1", "--option", option];
        let (status, printed) = refused(&bench, &call);
        assert_eq!((status, printed.contains(expected)), (2, true), "{option}: {printed}");
    }
}

#[test]
fn every_invalid_option_of_a_config_is_reported_in_its_own_line() {
    let bench = Bench::new();
    let config = bench.config("options", &Match { pairs: 1, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap();
    let options = "name = \"old\"\noptions = { Weight = 500, Wight = 5, Hash = 8 }";
    fs::write(&config, text.replace("name = \"old\"", options)).unwrap();
    let (status, printed) = refused(&bench, &["match", "options.toml"]);
    assert_eq!(status, 2, "{printed}");
    for expected in [
        "engine old: it does not accept `500` for its option `Weight`: expected an integer from 0 to 100",
        "engine old: it has no option `Wight`; did you mean `Weight`?",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    assert_eq!(printed.lines().count(), 2, "{printed}");
}

#[test]
fn a_tuning_run_is_refused_for_invalid_options_and_parameters() {
    let bench = Bench::new();
    let tune = |parameters: &str, flags: &[&str]| {
        let text = format!("engine = \"{FAKE}\"\n[tune]\ngames = 4\nparameters = {parameters}\n");
        fs::write(bench.path("tune.toml"), text).unwrap();
        refused(&bench, &[&["tune", "tune.toml"], flags].concat())
    };
    for (parameters, flags, expected) in [
        ("[\"Weight\"]", ["--option", "NoSuch=1"].as_slice(), "has no option `NoSuch`"),
        ("[\"Wieght\"]", &[], "tune.toml:4: tune.parameters: "),
        ("[\"Wieght\"]", &[], "has no number `Wieght` to tune; did you mean `Weight`?"),
        (
            "[\"Weight\"]\n[tune.bounds.Weight]\nmin = 7",
            &[],
            "tune.toml:5: parameter `Weight` starts at 5, outside its range 7 to 100",
        ),
        (
            "[\"Weight\"]\n[tune.bounds.Weight]\nmax = 700",
            &[],
            "tune.toml:5: [tune.bounds.Weight] max = 700: the engine takes 0 to 100",
        ),
    ] {
        let (status, printed) = tune(parameters, flags);
        assert_eq!((status, printed.contains(expected)), (2, true), "{parameters} {flags:?}: {printed}");
    }
    let silent = "engine = \"/bin/true\"\n[tune]\ngames = 4\nparameters = [\"Weight\"]\n";
    fs::write(bench.path("tune.toml"), silent).unwrap();
    let (status, printed) = refused(&bench, &["tune", "tune.toml"]);
    assert_eq!((status, printed.contains("does not declare its options: ")), (2, true), "{printed}");
}

#[test]
fn an_engine_that_is_missing_twice_is_reported_once() {
    let bench = Bench::new();
    let (status, printed) = refused(&bench, &["--white", "/no/such", "--black", "/no/such"]);
    assert_eq!((status, printed.matches("there is no engine").count()), (2, 1), "{printed}");
}

#[test]
fn invalid_calls_are_refused_with_the_reason() {
    let bench = Bench::new();
    let engines = ["--white", FAKE, "--black", FAKE];
    let sprt = ["simulate", "sprt", "--elo", "0", "--elo0", "0", "--elo1", "5", "--runs", "0"];
    let tune = ["simulate", "tune", "--landscape", "L1", "--runs", "0"];
    let data = ["data", "make", "--out", "data.bin"];
    for (args, expected) in [
        ([engines.as_slice(), &["--name", ""]].concat(), "--name"),
        ([engines.as_slice(), &["--resign", "0,600"]].concat(), "COUNT must be at least 1, got 0"),
        ([engines.as_slice(), &["--resign", "3,0"]].concat(), "CP must be at least 1, got 0"),
        ([engines.as_slice(), &["--draw", "1,0,20"]].concat(), "COUNT must be at least 1, got 0"),
        (vec!["--white", "ace:/no/such", "--black", FAKE], "`ace:/no/such`: there is no file /no/such"),
        (sprt.to_vec(), "--runs"),
        (tune.to_vec(), "--runs"),
        ([data.as_slice(), &["--threads", "0"]].concat(), "--threads"),
        ([data.as_slice(), &["--threads", "100000"]].concat(), "--threads"),
        ([data.as_slice(), &["--random-plies", "400"]].concat(), "--random-plies"),
    ] {
        let (status, printed) = refused(&bench, &args);
        assert_eq!((status, printed.contains(expected)), (2, true), "{args:?}: {printed}");
    }
    assert!(!bench.path("data.bin").exists());
}

#[test]
fn differences_between_the_call_and_what_is_played_are_reported() {
    let bench = Bench::new();
    let play = |args: &[&str]| {
        let mut command = Command::new(PLAYSELF);
        finish(command.args(args).args(["--max-moves", "5"]).current_dir(bench.folder.path()))
    };
    let (status, printed) = play(&["--white", FAKE, "--black", FAKE, "--depth", "1", "--games", "3"]);
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("pairs are played whole: --games 3 plays 4 games"), "{printed}");
    assert!(printed.contains("PairsRatio: –") && !printed.contains("-0.0"), "{printed}");

    let config = bench.config("test", &Match { pairs: 2, ..Match::default() });
    let text = fs::read_to_string(&config).unwrap().replace("name = \"old\"", "name = \"old\"\ndepth = 2");
    fs::write(&config, text).unwrap();
    let (status, printed) = play(&["sprt", "test.toml"]);
    assert_eq!(status, 3, "{printed}");
    assert!(printed.contains("Testing [0, 5] normalized Elo"), "{printed}");
    assert!(printed.contains("Results of new vs old (new depth=1, old depth=2, book.epd)"), "{printed}");

    let (status, printed) = play(&["plan", "test.toml", "--pilot-pairs", "1"]);
    assert!(printed.contains("Testing [0, 5] normalized Elo by default"), "{printed}");
    assert_eq!((status, printed.contains("The run ends at pair 2")), (0, true), "{printed}");

    let tune = format!(
        "engine = \"{FAKE}\"\n[tune]\ngames = 40\nparameters = [\"Weight\"]\n[games]\ndepth = 1\nmax_pairs = 3\n"
    );
    fs::write(bench.path("tune.toml"), tune).unwrap();
    let (status, printed) = play(&["tune", "tune.toml"]);
    assert_eq!((status, printed.matches("Finished game").count()), (0, 6), "{printed}");
}

/// Row 97 of `docs/faults.md`.
#[test]
fn options_that_cannot_be_sent_to_an_engine_are_refused_before_the_first_game() {
    let bench = Bench::new();
    let ace = format!("ace:{FAKE}");
    let call = |white, option| vec!["--white", white, "--black", FAKE, "--depth", "1", "--option", option];
    let (status, printed) = refused(&bench, &call(&ace, "Hash=16"));
    assert_eq!(status, 2, "{printed}");
    assert!(
        printed.contains("engine fake-engine uses the ACE protocol, which has no options (here Hash)"),
        "{printed}"
    );
    let (status, printed) = refused(&bench, &call(FAKE, "Hash=16\nquit"));
    assert_eq!((status, printed.contains("must be one line of text")), (2, true), "{printed}");
}

#[test]
fn completions_into_a_closed_pipe_succeed_silently() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(PLAYSELF).args(["completions", "bash"]).stdout(writer).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), printed.as_ref()), (Some(0), ""));
}

/// Mistakes of a first hour. Each message names what is wrong, and most what to do.
#[test]
fn programs_that_cannot_be_run_are_refused_with_the_reason() {
    let bench = Bench::new();
    let write = |name: &str, text: &[u8], mode: u32| {
        fs::write(bench.path(name), text).unwrap();
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    write("python", b"#!/no/such/python -u\nprint()\n", 0o755);
    write("windows", b"#!/bin/sh\r\necho uciok\r\n", 0o755);
    write("plain", b"#!/bin/sh\necho uciok\n", 0o644);
    write("my-engine", b"#!/bin/sh\necho uciok\n", 0o755);
    write("cut", &fs::read(FAKE).unwrap()[..5000], 0o755);
    write("empty", b"", 0o755);
    write("run.toml", b"name = \"a run\"\n", 0o644);
    fs::create_dir(bench.path("folder")).unwrap();
    for (engine, expected) in [
        ("./python", "python cannot be run: its first line names `/no/such/python`, which does not exist"),
        ("windows", "windows is a script with the line ends of Windows"),
        ("plain", "plain is not executable; `chmod +x "),
        ("./cut", "cut is an incomplete program: it has 5000 of at least "),
        ("./empty", "empty is an empty file"),
        ("builtin:", "there is no file after the colon"),
        ("builtin:nosuch.toml", "there is no engine `builtin:nosuch.toml`: there is no file nosuch.toml"),
        ("run.toml", "run.toml is a configuration file, not an engine"),
        ("folder", "it is a folder; name the program in it"),
        ("~/engine", "there is no file ~/engine; a shell replaces `~` only outside of quotes"),
        ("my-engin", "did you mean `./my-engine`?"),
    ] {
        let (status, printed) = refused(&bench, &["--white", engine, "--black", "builtin", "--nodes", "50"]);
        assert_eq!((status, printed.contains(expected)), (2, true), "{engine}: {printed}");
    }
}

#[test]
fn calls_that_belong_to_another_command_name_it() {
    let bench = Bench::new();
    let config = bench.config("match", &Match { pairs: 1, ..Match::default() });
    fs::write(
        bench.path("tune.toml"),
        "engine = \"builtin\"\n[tune]\ngames = 4\nparameters = [\"tempo_mg\"]\n",
    )
    .unwrap();
    fs::write(bench.path("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();
    for (call, expected) in [
        ("sprt --white builtin --black builtin", "named by --candidate and --baseline"),
        ("match --candidate builtin --baseline builtin", "`playself sprt`; a match has --white and --black"),
        ("sprt --candidate builtin --baseline builtin --elo0 0 --elo1 5", "--sprt ELO0,ELO1"),
        ("stockfish toga2", "`playself --white stockfish --black toga2` plays two engines"),
        ("match tune.toml", "the file has a [tune]: `playself tune` plays it"),
        ("tune match.toml", "there is no [tune]: `playself match` and `playself sprt` play such a file"),
        ("match binary.toml", "binary.toml: cannot be read: it is not a text in UTF-8"),
        (
            "--white builtin --black builtin --games abc",
            "invalid value 'abc' for '--games <N>': expected a whole number",
        ),
        ("--white builtin --black builtin --nodes 5 --run-dir match.toml", "there is a file of that name"),
        ("serve nowhere", "there is no folder nowhere: play a run first"),
    ] {
        let (status, printed) = refused(&bench, &call.split(' ').collect::<Vec<_>>());
        assert_eq!((status, printed.contains(expected)), (2, true), "{call}: {printed}");
    }
    assert_eq!(finish(&mut bench.start(&config, "done")).0, 0);
    let (status, printed) = refused(&bench, &["report", "done/plan.toml"]);
    assert_eq!((status, printed.contains("but a file in one: name done")), (2, true), "{printed}");
    // A page that cannot be written does not hide the result.
    fs::remove_file(bench.path("done/report.html")).unwrap();
    fs::create_dir_all(bench.path("done/report.html/taken")).unwrap();
    let (status, printed) = refused(&bench, &["report", "done"]);
    assert_eq!(status, 4, "{printed}");
    assert!(
        printed.contains("Results of new vs old") && printed.contains("the page cannot be written"),
        "{printed}"
    );
}
