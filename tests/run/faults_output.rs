//! Output of a run with hostile names and on an overloaded machine.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::machine;
use crate::run::{Bench, Match, finish};
use playself::chess::PgnReader;

/// A config whose candidate has this name.
fn named(bench: &Bench, name: &str) -> std::path::PathBuf {
    let path = bench.config("named", &Match { pairs: 2, ..Match::default() });
    let text = fs::read_to_string(&path).unwrap();
    let quoted = serde_json::to_string(name).unwrap();
    fs::write(&path, text.replace("name = \"new\"", &format!("name = {quoted}"))).unwrap();
    path
}

#[test]
fn row_52_a_hostile_name_is_text_in_every_file() {
    let bench = Bench::new();
    let long = format!("long {}", "x".repeat(10_000));
    for (case, name) in [
        ("quotes", r#"a "quoted" \ name"#),
        ("tag-end", "x\"] [Result \"1-0"),
        ("script", "<script>alert(1)</script><img src=x onerror=alert(1)>"),
        ("formula", "=1+1,\"two\""),
        ("colour", "red \u{1b}[31m"),
        ("lines", "two\nlines\r\n1. e4"),
        ("long", &long),
    ] {
        let (status, printed) = finish(&mut bench.start(&named(&bench, name), case));
        if status != 0 {
            // An invalid name is refused before the first game, with a message.
            assert!(status == 2 && printed.contains("name"), "{case}: {status} {printed}");
            continue;
        }
        assert!(!printed.contains('\u{1b}'), "{case}: an engine cannot print escape codes");
        let pgn = bench.read(case, "games.pgn");
        let games = PgnReader::new(pgn.as_bytes()).collect::<Result<Vec<_>, _>>();
        let games = games.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(games.len(), 4, "{case}: {pgn}");
        assert!(pgn.lines().all(|line| line.len() < 400), "{case}: a long name is truncated");
        let csv = bench.read(case, "pairs.csv");
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        assert_eq!(rows.records().filter(Result::is_ok).count(), 2, "{case}: {csv}");
        let page = bench.read(case, "report.html");
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{case}");
        serde_json::from_str::<serde_json::Value>(&bench.read(case, "summary.json")).unwrap();
    }
}

#[test]
fn row_52_a_hostile_name_from_the_engine_itself_changes_nothing() {
    let bench = Bench::new();
    let hostile = "id name \\x1b[31m<script>\"] x\\nid name {move}\\n";
    let rule = format!("on uci: write {hostile}uciok\\n");
    let wanted = Match { pairs: 1, candidate: &["--on", &rule], ..Match::default() };
    let (status, printed) = finish(&mut bench.start(&bench.config("self", &wanted), "self"));
    assert_eq!(status, 0, "{printed}");
    assert!(!bench.read("self", "report.html").contains("<script>\"]"));
}

#[test]
fn row_61_time_forfeits_on_an_overloaded_machine_count_and_the_run_is_reported_as_noisy() {
    let _machine = machine::reserve();
    let bench = Bench::new();
    let wanted = Match {
        pairs: 50,
        candidate: &["--sleep-ms", "30"],
        games: "concurrency = 8\nbreaker = \"off\"\nmovetime_ms = 5\nmargin_ms = 0",
        ..Match::default()
    };
    let config = bench.config("overload", &wanted);
    let over = AtomicBool::new(false);
    let (status, printed) = std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..4 * processors {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let finished = finish(&mut bench.start(&config, "overload"));
        over.store(true, Ordering::Relaxed);
        finished
    });
    assert_eq!(status, 0, "{printed}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("overload", "summary.json")).unwrap();
    assert_eq!(
        (&summary["games"], &summary["voids"]),
        (&100.into(), &0.into()),
        "no game is left out: {printed}"
    );
    assert!(summary["faults"].as_u64().unwrap() >= 100, "{summary}");
    assert!(printed.contains("noisy run: "), "{printed}");
}
