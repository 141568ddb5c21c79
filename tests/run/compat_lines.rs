//! The command lines of fastchess and cutechess-cli: their lines, files, faults and exit statuses.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use insta::assert_snapshot;
use playself::config::RunFile;

use crate::run::{Bench, FAKE, PLAYSELF};
use crate::signals::with_default_signals;

/// A command of `surface` for two fake engines from the eight openings of the bench.
pub(crate) fn command(bench: &Bench, surface: &str, flags: &[&str]) -> Command {
    let proto = if surface == "cutechess-cli" { "proto=uci" } else { "name=base" };
    let salt = |number: &str| match surface {
        "cutechess-cli" => format!("arg=--salt={number}"),
        _ => format!("args=--salt={number}"),
    };
    let (new, base, cmd) = (salt("1"), salt("2"), format!("cmd={FAKE}"));
    let words = [
        surface,
        "-engine",
        &cmd,
        proto,
        "name=new",
        &new,
        "-engine",
        &cmd,
        proto,
        "name=base",
        &base,
        "-each",
        "tc=inf",
        "depth=1",
    ];
    let mut command = Command::new(PLAYSELF);
    command.args(words).args(flags).current_dir(bench.folder.path()).env("TMPDIR", bench.folder.path());
    with_default_signals(&mut command);
    command
}

pub(crate) const BOOK: [&str; 4] = ["-openings", "file=book.epd", "format=epd", "order=sequential"];

pub(crate) fn finish(command: &mut Command) -> Output {
    command.output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    assert!(output.stdout.is_ascii());
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The lines without the total time.
fn stable(text: &str) -> String {
    let line = |line: &str| match line.split_once("Total Time: ") {
        Some((before, _)) => format!("{before}Total Time: T\n"),
        // The sign of what is not a number depends on the processor.
        None => format!("{}\n", line.replace("-nan", "nan")),
    };
    text.lines().map(line).collect()
}

pub(crate) fn finished_games(text: &str) -> Vec<u64> {
    let numbers =
        text.lines().filter_map(|line| line.strip_prefix("Finished game ")?.split(' ').next()?.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_match_prints_the_lines_of_fastchess_and_leaves_the_files_that_it_names() {
    let bench = Bench::new();
    let flags = [
        "-rounds",
        "3",
        "-repeat",
        "-maxmoves",
        "20",
        "-ratinginterval",
        "1",
        "-crc32",
        "pgn=true",
        "-pgnout",
        "file=g.pgn",
        "nodes=true",
        "-epdout",
        "file=e.epd",
        "-log",
        "file=l.txt",
        "engine=true",
    ];
    let output = finish(command(&bench, "fastchess", &flags).args(BOOK));
    let text = stdout(&output);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{text}");
    let without_crc: String = stable(&text)
        .lines()
        .filter(|line| !line.starts_with("File "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_snapshot!("fastchess", without_crc);
    assert_eq!(text.lines().filter(|line| line.starts_with("Started game ")).count(), 6);
    assert!(text.contains("Started game 2 of 6 (base vs new)\n"), "{text}");
    let pgn = fs::read(bench.path("g.pgn")).unwrap();
    let crc = format!("File g.pgn has CRC32: {:#x}", crc32(&pgn));
    assert!(text.lines().any(|line| line == crc), "{crc} not in\n{text}");
    let last = text.lines().position(|line| line.starts_with("Total Time")).unwrap();
    assert!(text.lines().take(last).all(|line| !line.is_empty()), "no empty line before the last result");
    let pgn = String::from_utf8(pgn).unwrap();
    assert_eq!(pgn.matches("[Event \"Fastchess Tournament\"]").count(), 6);
    for tag in [
        "[Round \"1\"]",
        "[Termination \"adjudication\"]",
        "[TimeControl \"-\"]",
        "[SetUp \"1\"]",
        "[GameDuration \"",
    ] {
        assert!(pgn.contains(tag), "{tag}\n{pgn}");
    }
    assert!(pgn.contains("s, n=") && pgn.contains(", Draw by adjudication} 1/2-1/2\n\n"), "{pgn}");
    assert_eq!(fs::read_to_string(bench.path("e.epd")).unwrap().matches(" hmvc ").count(), 6);
    let log = fs::read_to_string(bench.path("l.txt")).unwrap();
    assert!(log.contains(" new <--- uci\n") && log.contains(" base ---> uciok\n"), "{log}");
    let mut names: Vec<String> = fs::read_dir(bench.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["book.epd", "config.json", "e.epd", "g.pgn", "l.txt"]);
}

fn crc32(bytes: &[u8]) -> u32 {
    // Bit by bit, independent of the crate that the program uses.
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

#[test]
fn fastchess_prints_scores_in_the_format_of_cutechess() {
    let bench = Bench::new();
    let flags = ["-rounds", "2", "-games", "2", "-maxmoves", "20", "-output", "format=cutechess"];
    let output = finish(command(&bench, "fastchess", &flags).args(BOOK));
    assert_eq!(output.status.code(), Some(0));
    assert_snapshot!("fastchess_as_cutechess", stable(&stdout(&output)));
}

#[test]
fn cutechess_prints_its_lines() {
    let bench = Bench::new();
    let flags = ["-rounds", "2", "-games", "2", "-repeat", "-maxmoves", "20", "-debug", "-pgnout", "out.pgn"];
    let output = finish(command(&bench, "cutechess-cli", &flags).args(BOOK));
    let text = stdout(&output);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{text}");
    let debug = |line: &&str| !line.contains(" >new(") && !line.contains(" <new(") && !line.contains("base(");
    let plain: String = text.lines().filter(debug).map(|line| format!("{line}\n")).collect();
    assert_snapshot!("cutechess", stable(&plain));
    assert!(text.lines().any(|line| line.contains(" >new(") && line.ends_with(": uci")), "debug lines");
    assert_eq!(fs::read_to_string(bench.path("out.pgn")).unwrap().matches("[Event \"?\"]").count(), 4);
    assert!(!bench.path("config.json").exists());
}

#[test]
fn faults_cost_their_games_and_are_reported_in_the_words_of_fastchess() {
    for (rule, recover, expected, status) in [
        ("on go#2: exit 1", true, "Black disconnects}", 0),
        ("on go#2: exit 1", false, "Black disconnects}", 1),
        ("on go#2: reply bestmove a1a1", true, "Black makes an illegal move}", 0),
    ] {
        let bench = Bench::new();
        let args = format!("args=--on '{rule}'");
        let mut words = vec!["-rounds", "2", "-maxmoves", "5"];
        words.extend(recover.then_some("-recover"));
        let mut command = Command::new(PLAYSELF);
        command.current_dir(bench.folder.path()).args([
            "fastchess",
            "-engine",
            &format!("cmd={FAKE}"),
            "name=new",
        ]);
        command.args(["-engine", &format!("cmd={FAKE}"), "name=base", &args, "-each", "tc=inf", "depth=1"]);
        let output = finish(command.args(words).args(BOOK));
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(text.lines().any(|line| line.ends_with(expected)), "{rule}: {text}");
        assert_eq!(
            text.contains("\n\nPlayer: base\n  Timeouts: 0\n  Crashed: "),
            rule.contains("exit"),
            "{text}"
        );
        assert_eq!(
            text.contains("Warning; Illegal move a1a1 played by base"),
            rule.contains("a1a1"),
            "{text}"
        );
        let words = ["disconnect", "stall", "on time", "timeout"];
        let games = |line: &&str| !line.starts_with("Finished game");
        assert!(
            !text.lines().filter(games).any(|line| words.iter().any(|word| line.contains(word))),
            "{text}"
        );
    }
}

#[test]
fn a_time_loss_states_its_overrun_and_a_wrong_option_is_a_warning() {
    let bench = Bench::new();
    let slow = format!("cmd={FAKE}");
    let mut command = Command::new(PLAYSELF);
    command.current_dir(bench.folder.path()).args(["fastchess", "-engine", &slow, "name=new", "tc=10"]);
    command.args(["-engine", &slow, "name=base", "args=--on 'on go#2: delay 400; play'", "st=0.1"]);
    command.args(["-each", "option.Nonsense=3", "-rounds", "1", "-maxmoves", "4", "-recover"]);
    let output = finish(&mut command);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Warning; new doesn't have option Nonsense\n"), "{text}");
    let late = text.lines().find(|line| line.contains(" loses on time (")).expect("a time loss");
    assert!(late.ends_with("ms overrun)}"), "{late}");
    assert!(text.contains("Player: base\n  Timeouts: 1\n  Crashed: 0\n"), "{text}");
}

#[test]
fn a_link_has_the_command_line_of_its_name() {
    let bench = Bench::new();
    for (name, first) in [("fastchess-ob", "fastchess alpha 1.8.2"), ("cutechess-cli", "cutechess-cli 1.5.1")]
    {
        let link = bench.path(name);
        symlink(PLAYSELF, &link).unwrap();
        let output = finish(Command::new(&link).arg("-version"));
        assert!(stdout(&output).starts_with(first), "{output:?}");
        let output = finish(Command::new(&link).arg("-nonsense"));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let variable = "fastchess alpha 1.8.2 20260101-58072f23";
    let mut asked = Command::new(PLAYSELF);
    let output = finish(asked.args(["fastchess", "-version"]).env("PLAYSELF_FASTCHESS_VERSION", variable));
    assert_eq!(stdout(&output).lines().next(), Some(variable));
}

#[test]
fn explain_prints_a_run_file_that_means_the_same() {
    let bench = Bench::new();
    let rules = [
        "-srand",
        "7",
        "-games",
        "1",
        "-rounds",
        "9",
        "-noswap",
        "-reverse",
        "-wait",
        "5",
        "-concurrency",
        "3",
        "-force-concurrency",
        "-draw",
        "movenumber=30",
        "movecount=4",
        "score=8",
        "-resign",
        "movecount=3",
        "score=600",
        "twosided=true",
        "-sprt",
        "elo0=0",
        "elo1=5",
        "alpha=0.05",
        "beta=0.05",
        "-variant",
        "fischerandom",
        "-pgnout",
        "file=a.pgn",
        "pv=true",
        "match_line=^info",
        "--explain",
    ];
    let output = finish(command(&bench, "fastchess", &rules).args(BOOK));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let run =
        RunFile::parse(Path::new("explained.toml"), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!((run.seed, run.games.max_pairs, run.games.concurrency), (Some(7), Some(9), Some(3)));
    assert_eq!(run.engines.len(), 2);
    assert!(!bench.path("config.json").exists(), "nothing is played");
    for part in [
        "pair = \"half\"",
        "colours = \"same\"",
        "first_colour = \"black\"",
        "wait_ms = 5",
        "order = \"sequential\"",
        "style = \"fastchess\"",
        "count = \"games\"",
        "variant = \"chess960\"",
        "match_lines = [\"^info\"]",
    ] {
        assert!(text.contains(part), "{part} not in\n{text}");
    }
}

#[test]
fn engines_of_a_file_are_initialised_before_their_handshake() {
    let bench = Bench::new();
    let engine = |name: &str| {
        serde_json::json!({
            "name": name, "command": FAKE, "protocol": "uci", "workingDirectory": "",
            "initStrings": ["uci", "setoption name Hash value 2"],
        })
    };
    let engines = serde_json::json!([engine("engine1"), engine("engine2")]);
    fs::write(bench.path("engines.json"), engines.to_string()).unwrap();
    let mut command = Command::new(PLAYSELF);
    command.current_dir(bench.folder.path()).args(["cutechess-cli", "-concurrency", "2"]);
    command.args([
        "-engine",
        "conf=engine1",
        "tc=inf",
        "nodes=5",
        "-engine",
        "conf=engine2",
        "tc=inf",
        "nodes=5",
    ]);
    command.args([
        "-draw",
        "movenumber=1",
        "movecount=1",
        "score=5000",
        "-rounds",
        "3",
        "-games",
        "2",
        "-repeat",
    ]);
    let output = finish(command.args(["-recover", "-debug", "-pgnout", "out.pgn"]).args(BOOK));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("Score of engine1 vs engine2: ").count(), 6, "{text}");
}

#[test]
fn a_knockout_has_a_winner_of_every_meeting() {
    let bench = Bench::new();
    let mut command = Command::new(PLAYSELF);
    command.current_dir(bench.folder.path()).args([
        "cutechess-cli",
        "-tournament",
        "knockout",
        "-seeds",
        "3",
    ]);
    for name in ["one", "two", "three"] {
        let rule = match name {
            "one" => "arg=--salt=1",
            "two" => "arg=--on=on go#20+: reply bestmove a1a1",
            _ => "arg=--on=on go: reply bestmove a1a1",
        };
        command.args(["-engine", &format!("cmd={FAKE}"), &format!("name={name}"), "proto=uci", rule]);
    }
    let output =
        finish(command.args(["-each", "tc=inf", "depth=1", "-games", "2", "-repeat", "-recover"]).args(BOOK));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let games = finished_games(&text);
    assert_eq!(games, (1..=games.len() as u64).collect::<Vec<_>>(), "{text}");
    assert!(text.contains("one\n\t\tone\nbye\n"), "{text}");
    assert!(text.contains("\t\t\t\tone (") && text.ends_with("Finished match\n"), "{text}");
}
