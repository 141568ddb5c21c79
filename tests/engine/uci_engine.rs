//! `chess-uci` as a process: every command, at any moment.

use std::thread;
use std::time::{Duration, Instant};

use crate::console::Program;
use playself::chess::{MoveStyle, Position};
use playself::engine::{Declared, SearchParams, Weights};
use playself::protocol::uci::{InfoScore, OptionKind, Reply};

fn engine() -> Program {
    Program::start(env!("CARGO_BIN_EXE_chess-uci"), &["--hash", "1"])
}

/// The move of a `bestmove` line, which must be legal.
fn best_move(line: &str, position: &Position, style: MoveStyle) -> String {
    let Reply::BestMove { best: Some(best), .. } = Reply::parse(line) else { panic!("{line} names a move") };
    assert!(position.parse_coordinate(best, style).is_ok(), "{best} in {}", position.to_fen());
    best.to_owned()
}

/// The last line of an answer, and the last `info` line with a depth before it.
fn answer(lines: &[String]) -> (&str, Option<&str>) {
    let (last, before) = lines.split_last().expect("an answer has at least one line");
    (last, before.iter().rev().find(|line| line.starts_with("info depth")).map(String::as_str))
}

#[test]
fn uci_lists_every_option() {
    let started = Instant::now();
    let mut engine = engine();
    engine.send_line("uci");
    let lines = engine.until("uciok");
    // It takes 20 ms on an idle machine; the bound also holds on a busy one.
    assert!(started.elapsed() < Duration::from_secs(10));
    let mut options = Vec::new();
    for line in &lines {
        match Reply::parse(line) {
            Reply::Option(option) => options.push(option),
            Reply::IdName(_) | Reply::IdAuthor(_) | Reply::UciOk => {}
            other => panic!("{other:?} is not an answer to `uci`"),
        }
    }
    for name in [
        "Hash",
        "Clear Hash",
        "Threads",
        "Ponder",
        "MultiPV",
        "Contempt",
        "Move Overhead",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "SyzygyPath",
        "SyzygyProbeLimit",
    ] {
        assert!(options.iter().any(|option| option.name == name), "{name}");
    }
    for spec in Weights::specs().iter().chain(SearchParams::specs()) {
        let [default, min, max] = [spec.default, spec.min, spec.max].map(|number| Some(i64::from(number)));
        let kind = OptionKind::Spin { default, min, max };
        assert!(
            options.iter().any(|option| option.name == spec.name && option.kind == kind),
            "{}",
            spec.name
        );
    }
    engine.send_line("quit");
    assert!(engine.finish().1.success());
}

#[test]
fn every_limit_ends_with_a_legal_move() {
    let mut engine = engine();
    let start = Position::startpos();
    for go in [
        "go depth 3",
        "go depth 0",
        "go nodes 2000",
        "go nodes 1",
        "go nodes 0",
        "go movetime 30",
        "go movetime 0",
        "go movetime -5",
        "go wtime 500 btime 500 winc 5 binc 5",
        "go wtime 500 btime 500 movestogo 1",
        "go wtime 1 btime 1",
        "go wtime -100 btime -100",
        "go btime 300",
        "go depth 4 nodes 500 movetime 1000",
        "go nodes 500 mate 2",
        "go nodes 500 nonsense words",
    ] {
        engine.send_line(&format!("position startpos\n{go}"));
        let lines = engine.until("bestmove");
        best_move(answer(&lines).0, &start, MoveStyle::Standard);
    }
    for go in ["go", "go infinite", "go ponder wtime 100 btime 100", "go infinite searchmoves e2e4 d2d4"] {
        engine.send_line(&format!("{go}\nstop"));
        best_move(answer(&engine.until("bestmove")).0, &start, MoveStyle::Standard);
    }
    engine.send_line("go ponder wtime 200 btime 200\nponderhit");
    best_move(answer(&engine.until("bestmove")).0, &start, MoveStyle::Standard);
    engine.send_line("go depth 3 searchmoves a2a3");
    assert_eq!(best_move(answer(&engine.until("bestmove")).0, &start, MoveStyle::Standard), "a2a3");
    engine.send_line("quit");
    assert!(engine.finish().1.success());
}

#[test]
fn a_mate_is_found_and_reported() {
    let mut engine = engine();
    engine.send_line("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo mate 1");
    let lines = engine.until("bestmove");
    let (last, info) = answer(&lines);
    assert!(last.starts_with("bestmove a1a8"), "{last}");
    let Some(Reply::Info(info)) = info.map(Reply::parse) else { panic!("{lines:?}") };
    assert_eq!(info.read().score, Some(InfoScore::Mate(1)));
}

#[test]
fn a_search_can_be_stopped_at_any_moment() {
    let mut engine = engine();
    for micros in (0..8_000).step_by(400) {
        engine.send_line("go infinite");
        thread::sleep(Duration::from_micros(micros));
        engine.send_line("stop\nisready");
        let mut answers = 0;
        // One `bestmove` and one `readyok` arrive, in either order, and no second one of either.
        for _ in 0..2 {
            let lines = loop {
                let line = engine.line().expect("the engine is running");
                if line.starts_with("bestmove") || line == "readyok" {
                    break line;
                }
            };
            answers += usize::from(lines.starts_with("bestmove"));
        }
        assert_eq!(answers, 1);
    }
    engine.send_line("stop\nstop\nponderhit\nisready");
    assert_eq!(engine.until("readyok"), ["readyok"], "without a search nothing else is printed");
}

/// Sends a search and ends it after `wait` as `go` requires. Returns what was printed up to `bestmove`.
fn search_and_end(engine: &mut Program, go: &str, wait: Duration) -> Vec<String> {
    let (go, end) = go.split_once(" then ").map_or((go, None), |(go, end)| (go, Some(end)));
    engine.send_line(go);
    if let Some(end) = end {
        thread::sleep(wait);
        engine.send_line(end);
    }
    engine.until("bestmove")
}

#[test]
fn the_move_played_is_the_first_of_the_last_best_line_printed_however_the_search_ends() {
    const SHARP: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/P1N1PN2/1B3PPP/R2QKB1R w KQ - 0 9";
    const MATE_IN_TWO: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1";
    let searches = [
        "go movetime 7",
        "go wtime 300 btime 300 winc 3 binc 3",
        "go nodes 4000",
        "go depth 6",
        "go infinite then stop",
        "go ponder wtime 300 btime 300 winc 3 binc 3 then ponderhit",
        "go ponder wtime 300 btime 300 winc 3 binc 3 then stop",
    ];
    let mut engine = engine();
    let mut compared = 0;
    for (threads, lines) in [(1, 1), (1, 3), (2, 1), (2, 3)] {
        let options = [("Threads", threads), ("MultiPV", lines)];
        options.iter().for_each(|(name, value)| {
            engine.send_line(&format!("setoption name {name} value {value}"));
        });
        for (round, fen) in [SHARP, MATE_IN_TWO].iter().cycle().take(8).enumerate() {
            engine.send_line(&format!("ucinewgame\nposition fen {fen}"));
            for go in searches {
                let printed = search_and_end(&mut engine, go, Duration::from_micros(1_700 * round as u64));
                let best =
                    best_move(answer(&printed).0, &Position::from_fen(fen).unwrap(), MoveStyle::Standard);
                let best_lines = printed.iter().filter_map(|line| match Reply::parse(line) {
                    Reply::Info(info) => Some(info.read()).filter(|info| info.multipv == Some(1)),
                    _ => None,
                });
                // A search that is stopped at once has no line.
                if let Some(pv) = best_lines.filter_map(|info| info.pv).next_back() {
                    compared += 1;
                    assert_eq!(pv.into_iter().next(), Some(&*best), "{go}, {options:?}: {printed:#?}");
                }
            }
        }
    }
    assert!(compared > 150, "{compared} of 224 searches printed a line");
}

#[test]
fn quit_and_end_of_input_end_the_process_at_any_moment() {
    for (delay, go) in [
        (0, "go infinite"),
        (3, "go infinite"),
        (0, "go ponder"),
        (2, "go depth 60"),
        (0, "isready"),
        (1, "perft 7"),
    ] {
        let mut engine = engine();
        engine.send_line(&format!("position startpos moves e2e4\n{go}"));
        thread::sleep(Duration::from_millis(delay));
        engine.send_line("quit");
        let (_, status, errors) = engine.finish();
        assert!(status.success() && errors.is_empty(), "{go}: {status} {errors}");
    }
    for go in ["", "uci", "go infinite", "go ponder", "go nodes 3000", "go depth 70", "setoption name"] {
        let mut engine = engine();
        engine.send(go.as_bytes());
        let (lines, status, errors) = engine.finish();
        assert!(status.success() && errors.is_empty(), "{go}: {status} {errors}");
        let expected = usize::from(go.starts_with("go"));
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), expected, "{go}");
    }
}

#[test]
fn isready_is_answered_during_a_search_and_a_second_go_ends_an_infinite_one() {
    let mut engine = engine();
    engine.send_line("go infinite\nisready");
    engine.until("readyok");
    engine.send_line("go nodes 500");
    engine.until("bestmove");
    engine.until("bestmove");
    engine.send_line(
        "go infinite\nucinewgame\nposition startpos moves d2d4\nsetoption name Hash value 2\nstop",
    );
    best_move(answer(&engine.until("bestmove")).0, &Position::startpos(), MoveStyle::Standard);
    engine.send_line("go nodes 100");
    let after = Position::startpos();
    let after = after.play(after.parse_san("d4").unwrap());
    best_move(answer(&engine.until("bestmove")).0, &after, MoveStyle::Standard);
}

#[test]
fn queued_searches_with_limits_all_run_to_their_ends() {
    let mut engine = engine();
    engine.send_line("go depth 4\nposition startpos moves e2e4\ngo depth 5\ngo depth 3");
    for depth in [4, 5, 3] {
        let lines = engine.until("bestmove");
        let deepest = format!("info depth {depth} ");
        assert!(answer(&lines).1.is_some_and(|info| info.starts_with(&deepest)), "{lines:?}");
    }
    engine.send_line("go depth 60\ngo depth 61\ngo movetime 600000\nstop");
    for _ in 0..3 {
        engine.until("bestmove");
    }
    engine.send_line("go depth 60\ngo nodes 999999999999\nquit");
    assert!(engine.finish().1.success());
}

#[test]
fn a_refused_position_is_explained_and_leaves_the_board_unchanged() {
    let mut engine = engine();
    engine.send_line("position startpos moves e2e4 e7e5");
    for bad in [
        "position startpos moves e2e4 e7e5 e1e3",
        "position startpos moves e2e5",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen nonsense",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves xyz",
    ] {
        engine.send_line(bad);
        let line = engine.line().expect("the engine explains the refusal");
        assert!(line.starts_with("info string position refused"), "{bad}: {line}");
        engine.send_line("d");
        let lines = engine.until("Checkers");
        let fen = "Fen: rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert!(lines.iter().any(|line| line == fen), "{bad}: {lines:?}");
    }
}

#[test]
fn a_long_list_of_moves_is_applied_quickly() {
    let mut engine = engine();
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut command = String::from("position startpos moves");
    let mut all = String::new();
    for ply in 0..1200 {
        command.push(' ');
        command.push_str(shuffle[ply % 4]);
        all.push_str(&command);
        all.push('\n');
    }
    let started = Instant::now();
    engine.send_line(&format!("{all}isready"));
    engine.until("readyok");
    // 3.5 MB of text; replaying every list from the start would take 720 000 moves.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    engine.send_line("go nodes 200");
    best_move(answer(&engine.until("bestmove")).0, &Position::startpos(), MoveStyle::Standard);
}

#[test]
fn castling_is_written_as_the_chess960_option_requires() {
    let mut engine = engine();
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let cases = [
        ("false", castling, "e1g1", "e1g1"),
        ("false", castling, "e1c1", "e1c1"),
        ("false", castling, "e1h1", "e1g1"),
        ("true", castling, "e1h1", "e1h1"),
        ("true", castling, "e1g1", "e1h1"),
        ("true", "1r3k1r/8/8/8/8/8/8/1R3K1R b HBhb - 0 1", "f8b8", "f8b8"),
    ];
    for (chess960, fen, asked, expected) in cases {
        engine.send_line(&format!(
            "setoption name UCI_Chess960 value {chess960}\nposition fen {fen}\ngo depth 2 searchmoves {asked}"
        ));
        let lines = engine.until("bestmove");
        let (last, info) = answer(&lines);
        assert_eq!(last.split_whitespace().nth(1), Some(expected), "{chess960} {fen}");
        assert!(info.is_some_and(|info| info.contains(&format!(" pv {expected}"))), "{info:?}");
    }
    engine.send_line("position fen 1r3k1r/5p2/8/8/8/8/5P2/1R3K1R b HBhb - 0 1 moves f8h8 f1b1\nd");
    let lines = engine.until("Checkers");
    assert!(lines.iter().any(|line| line.starts_with("Fen: 1r3rk1/5p2/8/8/8/8/5P2/2KR3R b")), "{lines:?}");
}

#[test]
fn without_a_legal_move_bestmove_is_none() {
    let mut engine = engine();
    for (fen, score) in
        [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0")]
    {
        engine.send_line(&format!("position fen {fen}\ngo movetime 50"));
        assert_eq!(
            engine.until("bestmove"),
            [format!("info depth 0 score {score}"), "bestmove (none)".into()]
        );
    }
}

#[test]
fn multipv_lines_and_wdl_are_reported_on_request() {
    let mut engine = engine();
    engine.send_line("setoption name multipv value 3\nsetoption name UCI_ShowWDL value true\ngo depth 4");
    let lines = engine.until("bestmove");
    for rank in 1..=3 {
        let infos = lines.iter().filter_map(|line| match Reply::parse(line) {
            Reply::Info(info) => Some(info.read()),
            _ => None,
        });
        let line = infos.into_iter().find(|info| info.depth == Some(4) && info.multipv == Some(rank));
        let wdl = line.and_then(|info| info.wdl).unwrap_or_else(|| panic!("line {rank} in {lines:#?}"));
        assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
    }
}

#[test]
fn endgame_tables_choose_the_move_and_are_counted() {
    let mut engine = engine();
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chess/data/syzygy");
    engine.send_line(&format!("setoption name SyzygyPath value {tables}\nisready"));
    let lines = engine.until("readyok");
    assert!(lines.iter().any(|line| line.contains("found 5 WDL and 5 DTZ tables, up to 3 men")), "{lines:?}");
    let known = "8/8/8/8/8/2k5/2p5/K7 b - - 0 1";
    engine.send_line(&format!("position fen {known}\ngo depth 4"));
    let lines = engine.until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" tbhits 1 ")), "{lines:?}");
    // The tables are asked within the search: every capture leads to them.
    engine.send_line("position fen 8/8/8/4k3/8/8/3p4/K6R w - - 3 60\ngo depth 6");
    let lines = engine.until("bestmove");
    let hits = |line: &String| match Reply::parse(line) {
        Reply::Info(info) => info.read().tbhits,
        _ => None,
    };
    assert!(lines.iter().filter_map(hits).max() > Some(0), "{lines:?}");
    engine.send_line("setoption name SyzygyPath value <empty>\nposition startpos\ngo depth 3");
    let lines = engine.until("bestmove");
    assert!(!lines.iter().any(|line| line.contains("tbhits")), "{lines:?}");
}

#[test]
fn the_same_search_gives_the_same_result() {
    let run = || {
        let mut engine = engine();
        engine.send_line("position startpos moves e2e4 c7c5\ngo nodes 15000");
        let lines = engine.until("bestmove");
        let (last, info) = answer(&lines);
        let Some(Reply::Info(info)) = info.map(Reply::parse) else { panic!("{lines:?}") };
        let info = info.read();
        (last.to_owned(), info.score, info.nodes, info.depth)
    };
    assert_eq!(run(), run());
}

#[test]
fn options_change_the_engine_and_invalid_ones_are_reported() {
    let mut engine = engine();
    let eval = |engine: &mut Program| {
        engine.send_line("eval");
        engine.until("Evaluation").pop().expect("one line")
    };
    engine.send_line("position startpos moves e2e4");
    let before = eval(&mut engine);
    engine.send_line("setoption name tempo_eg value 80\nsetoption name TEMPO_MG value 80");
    assert_ne!(eval(&mut engine), before);
    for (bad, part) in [
        ("setoption name Hash value 0", "1 to 65536"),
        ("setoption name tempo_mg value 9999", "out of range"),
        ("setoption name tempo_m value 1", "tempo_mg"),
    ] {
        engine.send_line(bad);
        let line = engine.line().expect("the engine explains the refusal");
        assert!(line.starts_with("info string ") && line.contains(part), "{bad}: {line}");
    }
}

#[test]
fn perft_and_unknown_commands_are_answered() {
    let mut engine = engine();
    engine.send_line("perft 3");
    assert!(engine.until("Nodes searched").last().is_some_and(|line| line == "Nodes searched: 8902"));
    engine.send_line("go perft 2");
    assert!(engine.until("Nodes searched").last().is_some_and(|line| line == "Nodes searched: 400"));
    engine.send_line("make tea");
    engine.until("info string not understood");
}

#[test]
fn memory_stays_small_with_a_small_table() {
    let mut engine = engine();
    engine.send_line("setoption name Hash value 1\nisready\ngo nodes 30000");
    engine.until("bestmove");
    let resident = engine.resident_kib();
    assert!(resident < 20 * 1024, "{resident} KiB");
}

#[test]
fn random_input_never_ends_the_process() {
    const WORDS: &str = "uci debug on isready setoption name value Hash Threads tempo_mg MultiPV ucinewgame position \
        startpos fen moves e2e4 e7e5 g1f3 e1g1 0000 go depth nodes movetime infinite ponder searchmoves wtime btime \
        movestogo mate stop ponderhit d eval register later 1 2 3 0 -1 16 99999999999999999999 \
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR 8/8/8/8/8/8/8/K1k5 w b KQkq - perft é \u{feff} \0 %s ; ' \"";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut engine = engine();
    for _ in 0..30 {
        let mut bytes = Vec::new();
        for _ in 0..60 {
            for _ in 0..random(9) {
                match random(12) {
                    0 => {
                        bytes.extend((0..random(8)).map(|_| random(256) as u8).filter(|&byte| byte != b'\n'));
                    }
                    _ => bytes.extend(words[random(words.len())].bytes()),
                }
                bytes.push(b" \t\r\0"[random(12).min(3) * usize::from(random(10) == 0)]);
            }
            bytes.push(b'\n');
        }
        engine.send(&bytes);
        engine.send_line("stop");
        // The random input may have set any position; from a known one the engine must still play.
        engine.send_line("setoption name Threads value 1\nsetoption name MultiPV value 1\nposition startpos\ngo nodes 77\nisready");
        engine.until("readyok");
    }
    engine.send_line("quit");
    let (lines, status, errors) = engine.finish();
    assert!(status.success(), "{status} {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(!lines.iter().any(|line| line.contains("the search failed")), "{lines:?}");
}
