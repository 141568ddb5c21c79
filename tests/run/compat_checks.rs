//! What the command lines of fastchess and cutechess-cli check, log and refuse, and what they do with odd input.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use flate2::read::GzDecoder;

use crate::run::{Bench, FAKE, PLAYSELF};
use crate::signals::with_default_signals;

/// A match of two fake engines with the command line of `surface`; the words of the two engines come first.
fn command(bench: &Bench, surface: &str, engines: [&[&str]; 2], flags: &[&str]) -> Command {
    let mut command = Command::new(PLAYSELF);
    command.arg(surface).current_dir(bench.folder.path()).env("TMPDIR", bench.folder.path());
    let proto = if surface == "cutechess-cli" { "proto=uci" } else { "restart=off" };
    for (name, words) in ["name=new", "name=base"].into_iter().zip(engines) {
        command.arg("-engine").arg(format!("cmd={FAKE}")).args([name, proto]).args(words);
    }
    command.args(["-each", "tc=inf", "depth=1"]).args(flags);
    with_default_signals(&mut command);
    command
}

fn text_of(output: &Output) -> String {
    assert!(output.stdout.is_ascii());
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn played(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), text_of(&output))
}

#[test]
fn wrong_lines_of_play_are_reported_with_their_evidence() {
    let bench = Bench::new();
    let illegal = "args=--on 'on go#2: reply info depth 1 score cp 5 pv e2e5\\nbestmove {move}'";
    let mate = "args=--on 'on go#1: reply info depth 1 score mate 4 pv {move}\\nbestmove {move}'";
    let flags = ["-rounds", "1", "-maxmoves", "4"];
    let (status, text) = played(command(&bench, "fastchess", [&[illegal], &[mate]], &flags));
    assert_eq!(status, Some(0), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let at =
        lines.iter().position(|line| *line == "Warning; Illegal PV move - move e2e5 from new").expect(&text);
    assert_eq!(lines[at + 1], "Info; info depth 1 score cp 5 pv e2e5");
    assert_eq!(lines[at + 2], "Position; startpos");
    assert!(lines[at + 3].starts_with("Moves; "), "{text}");
    assert!(!text.contains("mating PV"), "mates are examined only on request: {text}");
    let flags = ["-rounds", "1", "-maxmoves", "4", "-testEnv", "-check-mate-pvs"];
    let (_, text) = played(command(&bench, "fastchess", [&[illegal], &[mate]], &flags));
    let warned = |part: &str| text.lines().any(|line| line.starts_with("Warning; ") && line.contains(part));
    assert!(warned("Incomplete mating PV - from base :: Info; info depth 1 score mate 4"), "{text}");
    assert!(
        warned("Illegal PV move - move e2e5 from new :: Info; ")
            && warned(" :: Position; startpos :: Moves; ")
    );
    let flags = ["-rounds", "400", "-maxmoves", "4", "-strict"];
    let (status, text) = played(command(&bench, "fastchess", [&[illegal], &[]], &flags));
    assert_eq!(status, Some(1), "a warning ends a strict run: {text}");
}

#[test]
fn the_log_has_latencies_and_warnings_of_its_level_and_is_complete_when_compressed() {
    let bench = Bench::new();
    let options = ["option.Nonsense=1"];
    let flags = ["-rounds", "1", "-maxmoves", "3", "-show-latency", "-log", "file=l.txt", "level=info"];
    let (status, text) = played(command(&bench, "fastchess", [&options, &[]], &flags));
    assert_eq!(status, Some(0), "{text}");
    let log = fs::read_to_string(bench.path("l.txt")).unwrap();
    let latencies =
        log.lines().filter(|line| line.starts_with("[INFO  ] [") && line.contains("ms (elapsed: "));
    assert_eq!(latencies.count(), 12, "one line for each of the moves: {log}");
    assert!(log.contains("fastchess --- Finished match\n") && !log.contains("---> "), "{log}");
    let flags =
        ["-rounds", "1", "-maxmoves", "3", "-log", "file=z", "engine=true", "compress=true", "append=false"];
    assert_eq!(played(command(&bench, "fastchess", [&[], &[]], &flags)).0, Some(0));
    let folder = fs::read_dir(bench.folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let packed = folder.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz")).unwrap();
    let mut log = String::new();
    GzDecoder::new(fs::File::open(packed).unwrap()).read_to_string(&mut log).unwrap();
    assert!(log.contains(" new <--- uci\n") && log.contains(" base ---> bestmove "), "{log}");
}

#[test]
fn an_engine_that_names_no_move_is_reported_in_the_words_of_fastchess() {
    for (reply, warnings) in [
        ("bestmove", ["Warning; No bestmove found from base", "Warning; Illegal move <none> played by base"]),
        (
            "bestmove O-O",
            ["Warning; Move does not match uci move format", "Warning; Illegal move O-O played by base"],
        ),
    ] {
        let bench = Bench::new();
        let rule = format!("args=--on 'on go#1: reply {reply}'");
        let flags = ["-rounds", "1", "-maxmoves", "4", "-recover"];
        let (status, text) = played(command(&bench, "fastchess", [&[], &[&rule]], &flags));
        assert_eq!(status, Some(0), "{text}");
        for warning in warnings {
            assert!(text.lines().any(|line| line.starts_with(warning)), "{warning} not in\n{text}");
        }
        assert!(text.contains(" makes an illegal move}\n"), "{text}");
    }
}

#[test]
fn flags_after_a_saved_run_change_its_length_but_not_its_games() {
    let bench = Bench::new();
    let book = ["-openings", "file=book.epd", "format=epd"];
    let stop = "args=--on 'on go#40: exit 3'";
    let flags = [&["-rounds", "6", "-maxmoves", "6", "-pgnout", "file=g.pgn"], &book[..]].concat();
    let (status, first) = played(command(&bench, "fastchess", [&[stop], &[]], &flags));
    assert_eq!(status, Some(1), "a crash without -recover stops the run: {first}");
    let again = |words: &[&str]| {
        let mut command = Command::new(PLAYSELF);
        command.args(["fastchess", "-config", "file=config.json"]).args(words);
        command.current_dir(bench.folder.path()).output().unwrap()
    };
    let refused = again(&["-each", "tc=9"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text_of(&refused).contains("-each changes games that were already played"), "{refused:?}");
    let longer = again(&["-rounds", "8", "-concurrency", "2", "-force-concurrency", "-recover"]);
    let second = text_of(&longer);
    assert_eq!(longer.status.code(), Some(0), "{second}");
    assert!(second.contains("Games: 16, Wins: ") && second.contains(" of 16 ("), "{second}");
    let pgn = fs::read_to_string(bench.path("g.pgn")).unwrap();
    assert_eq!(pgn.matches("[Result ").count(), 16, "{first}{second}");
}

#[test]
fn scores_from_the_side_of_white_and_standard_error_go_where_they_belong() {
    let bench = Bench::new();
    // It always finds White winning. Only from White's side that is a reason for Black to resign.
    let winning = "arg=--on=on go: stderr 4096; reply info depth 1 score cp 900 pv {move}\\nbestmove {move}";
    let flags = ["-rounds", "1", "-games", "2", "-resign", "movecount=2", "score=500", "-maxmoves", "30"];
    let own = ["whitepov", "stderr=new.err", winning];
    let (status, text) = played(command(&bench, "cutechess-cli", [&own, &["whitepov", winning]], &flags));
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(text.matches(": 1-0 {White wins by adjudication}").count(), 2, "{text}");
    assert!(fs::metadata(bench.path("new.err")).unwrap().len() >= 4 * 4096);
}

#[test]
fn a_table_of_many_engines_has_the_columns_that_were_asked_for() {
    let bench = Bench::new();
    let third = format!("cmd={FAKE}");
    let flags = ["-engine", &third, "name=third", "proto=uci", "-rounds", "2", "-maxmoves", "8"];
    let mut wide = command(&bench, "cutechess-cli", [&[], &[]], &flags);
    wide.args(["-resultformat", "Rank,Name,W,L,D", "-tournament", "gauntlet"]);
    let (status, text) = played(wide);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("\nRank Name                         Wins  Losses   Draws \n   0 new  "), "{text}");
    let flags =
        ["-engine", &third, "name=third", "-rounds", "1", "-maxmoves", "8", "-output", "format=cutechess"];
    let (_, text) = played(command(&bench, "fastchess", [&[], &[]], &flags));
    assert!(text.contains("\nRank Name ") && !text.contains("Ptnml"), "{text}");
}

#[test]
fn names_with_spaces_links_and_copies_work() {
    let bench = Bench::new();
    let folder = bench.path("two words");
    fs::create_dir(&folder).unwrap();
    let engine = folder.join("my engine.v1");
    fs::copy(FAKE, &engine).unwrap();
    fs::copy(bench.path("book.epd"), folder.join("the book.epd")).unwrap();
    let copy = folder.join("fastchess-ob");
    fs::copy(PLAYSELF, &copy).unwrap();
    let link = folder.join("cutechess-cli.exe");
    symlink(PLAYSELF, &link).unwrap();
    for (program, proto, pgn) in
        [(&copy, "restart=on", "-pgnout file=out put.pgn"), (&link, "proto=uci", "-pgnout out put.pgn")]
    {
        let (flag, file) = pgn.split_once(' ').unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(&bench.folder)
            .args(["-engine", "dir=two words", "cmd=./my engine.v1", proto, "name=a"])
            .args(["-engine", &format!("cmd={}", engine.display()), proto, "name=b"])
            .args(["-each", "tc=inf", "nodes=1", "-rounds", "1", "-games", "2", "-maxmoves", "6"])
            .args(["-openings", "file=two words/the book.epd", "format=epd", flag, file]);
        // A process that another test forks at this moment may hold the copy open for writing until it executes.
        let output = loop {
            match command.output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                    thread::sleep(Duration::from_millis(10));
                }
                output => break output.unwrap(),
            }
        };
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(text.matches("Finished game ").count(), 2, "{text}");
        let pgn = fs::read_to_string(bench.path("out put.pgn")).unwrap();
        assert_eq!(pgn.matches("[Result ").count(), 2);
        fs::remove_file(bench.path("out put.pgn")).unwrap();
    }
}

#[test]
fn input_that_cannot_be_played_is_refused_before_the_first_game() {
    let bench = Bench::new();
    fs::write(bench.path("empty.epd"), "").unwrap();
    fs::write(bench.path("bad.epd"), "this is no position\n").unwrap();
    for (words, part) in [
        ("-openings file=empty.epd", "empty.epd"),
        ("-openings file=bad.epd", "bad.epd"),
        ("-openings file=nowhere.epd", "does not exist"),
        ("-tb /nowhere", "/nowhere"),
        ("-config file=book.epd", "book.epd"),
        ("-concurrency 100000", "Concurrency exceeds"),
        ("-games 3 -rounds 3", "-games"),
        ("-sprt elo0=5 elo1=0 alpha=0.05 beta=0.05", "elo"),
        ("-pgnout file=no/such/folder.pgn", "no/such/folder.pgn"),
        ("-variant fischerandom", "opening book"),
        ("-log file=no/such/folder.txt", "no/such/folder.txt"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let output = command(&bench, "fastchess", [&[], &[]], &words).output().unwrap();
        let text = text_of(&output);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0), "{words:?}: {text}");
        assert!(text.contains(part) && !text.contains("Finished game"), "{words:?}: {text}");
    }
}

#[test]
fn engines_inherit_the_environment_as_scripts_that_start_them_expect() {
    for surface in ["fastchess", "cutechess-cli"] {
        let bench = Bench::new();
        let script = bench.path("engine.sh");
        fs::write(&script, "#!/bin/sh\nexec \"$ENGINE_OF_THE_SCRIPT\"\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let cmd = format!("cmd={}", script.display());
        let mut command = Command::new(PLAYSELF);
        command.arg(surface).current_dir(bench.folder.path()).env("ENGINE_OF_THE_SCRIPT", FAKE);
        command.args(["-engine", &cmd, "name=a", "-engine", &cmd, "name=b", "-each", "proto=uci", "tc=inf"]);
        command.args(["depth=1", "-rounds", "1", "-games", "2", "-maxmoves", "4"]);
        let (status, text) = played(command);
        assert_eq!(status, Some(0), "{text}");
        assert_eq!(text.matches("Finished game ").count(), 2, "{text}");
    }
}
