//! The table of engine faults, row by row, with real processes: result, reason, evidence, and no process left.

use std::time::Duration;

use crate::fault::{Outcome, fake, faultless, jobs, pair, run, survivors_after_a_second};
use crate::machine;
use playself::fleet::FleetConfig;
use playself::game::{
    AdjudicationRules, DrawRule, EngineIndex, ResignRule, ResignSides, TimeControl, Warning,
};
use playself::opening::{Opening, Variant};
use playself::player::{EngineOption, EngineSpec, WorkingDir};

const DRAW: &str = "1/2-1/2 max_moves";

fn nodes() -> TimeControl {
    TimeControl::nodes(1)
}

fn clock() -> TimeControl {
    TimeControl { margin_ms: 50, ..TimeControl::clock("0.25+0.25".parse().unwrap()) }
}

/// The candidate loses both games for this reason, first with White, then with Black.
fn lost(reason: &str) -> [String; 2] {
    [format!("0-1 {reason}"), format!("1-0 {reason}")]
}

/// The candidate loses the first game, and its process plays the second one without a fault.
fn lost_once(reason: &str) -> [String; 2] {
    [format!("0-1 {reason}"), DRAW.to_owned()]
}

fn warned(outcome: &Outcome, fits: impl Fn(&Warning) -> bool) -> bool {
    outcome.games.iter().flat_map(|(.., game)| &game.warnings).any(fits)
}

#[test]
fn an_engine_that_fails_in_a_game_loses_that_game_and_nothing_more() {
    let _machine = machine::reserve();
    let long = format!("on go#5: reply bestmove {}", "x".repeat(300));
    let rows: &[(&str, &[&str], TimeControl, [String; 2])] = &[
        (
            "6 hang at readyok in game",
            &["on isready#3: hang"],
            nodes(),
            [DRAW.into(), "1-0 stall(readyok)".into()],
        ),
        ("7 hang at go, clock", &["on go#5: hang"], clock(), lost("time_forfeit")),
        ("8 hang at go, nodes", &["on go#5: hang"], nodes(), lost("stall(no bestmove)")),
        ("9 crash at move 5", &["on go#5: signal SIGSEGV"], nodes(), lost("crash(SIGSEGV)")),
        ("10 exit 0 at move 5", &["on go#5: exit 0"], nodes(), lost("crash(exit 0)")),
        ("13 ignores stop", &["on go#5: ignore", "on stop: ignore"], clock(), lost("time_forfeit")),
        ("14 illegal move", &["on go#5: reply bestmove a1a1"], nodes(), lost_once("illegal_move:a1a1")),
        (
            "14 the last move once more",
            &["on go#1: reply bestmove e2e4", "on go#2: reply bestmove e2e4"],
            nodes(),
            lost("illegal_move:e2e4"),
        ),
        ("15 other side's move", &["on go#1: reply bestmove e7e5"], nodes(), lost_once("illegal_move:e7e5")),
        ("16 null move", &["on go#5: reply bestmove 0000"], nodes(), lost_once("illegal_move:0000")),
        ("16 none", &["on go#5: reply bestmove (none)"], nodes(), lost_once("illegal_move:(none)")),
        ("17 empty", &["on go#5: reply bestmove"], nodes(), lost_once("illegal_move:<empty>")),
        ("17 blank", &["on go#5: write bestmove  \\n"], nodes(), lost_once("illegal_move:<empty>")),
        ("18 no promotion piece", &["on go#5: reply bestmove e7e8"], nodes(), lost_once("illegal_move:e7e8")),
        ("18 capitals", &["on go#1: reply bestmove E2E4"], nodes(), lost_once("illegal_move:E2E4")),
        ("18 too long", &[&long], nodes(), lost_once("illegal_move:xxxxxxxxxxxxxxxx")),
        ("22 no line end", &["on go#2: flood 100000000; hang"], nodes(), lost("protocol(flood)")),
        (
            "23 a million info lines",
            &["on go#2: lines 1000000 info depth 9 score cp 12 nodes 1000000 pv e2e4; hang"],
            nodes(),
            lost("protocol(flood)"),
        ),
        ("24 slow drip", &["on go#3: drip 20"], clock(), lost("time_forfeit")),
        ("26 unterminated", &["on go#2: write bestmove {move}; exit 0"], nodes(), lost("crash(exit 0)")),
        ("39 closes stdout", &["on go#2: close 1; hang"], nodes(), lost("crash(stdout closed)")),
        ("40 closes stdin", &["on go#2: close 0; play; hang"], nodes(), lost("crash(stdin closed)")),
        ("43 grandchild holds the pipe", &["on go#3: fork 1; exit 0"], nodes(), lost("crash(exit 0)")),
        ("44 grandchild in own session", &["on go#3: fork-session; exit 0"], nodes(), lost("crash(exit 0)")),
        ("47 stops itself", &["on go#3: signal SIGSTOP; play"], clock(), lost("time_forfeit")),
        ("49 forks", &["on go#3: fork 20; exit 1"], nodes(), lost("crash(exit 1)")),
    ];
    std::thread::scope(|scope| {
        // Three rows at a time, since they mostly wait.
        for third in [0, 1, 2] {
            scope.spawn(move || {
                for (name, rules, limits, expected) in rows.iter().skip(third).step_by(3) {
                    let mark = format!("row-{}", name.replace(' ', "-"));
                    let mut spec = fake(rules);
                    spec.args.extend(["--name".into(), mark.clone()]);
                    if expected.iter().any(|line| line.contains("flood")) {
                        // Reading up to the output limit takes long on a busy machine; the move cap must not end it.
                        spec.timeouts.move_cap = Duration::from_secs(20);
                    }
                    let longest = 2 * spec.timeouts.move_cap + Duration::from_secs(7);
                    let outcome = pair(spec, *limits);
                    assert_eq!(outcome.lines(), expected, "{name}: {outcome:#?}");
                    assert_eq!(outcome.pairs.len(), 1, "{name}: the pair counts");
                    assert!(outcome.took < longest, "{name}: took {:?}", outcome.took);
                    let left = survivors_after_a_second(&mark);
                    assert!(left.is_empty(), "{name}: {left:?}");
                    let faults = expected.iter().filter(|line| **line != DRAW).count();
                    assert_eq!(outcome.bundles.len(), faults, "{name}: a bundle per fault");
                    let bundle = &outcome.bundles[0];
                    assert_eq!(bundle.engine, EngineIndex(0), "{name}");
                    assert!(bundle.repeat.contains("fake-engine") && !bundle.transcript.is_empty(), "{name}");
                }
            });
        }
    });
}

#[test]
fn harmless_irregularities_cost_nothing_and_are_recorded() {
    type Row<'a> = (&'a str, &'a [&'a str], fn(&Warning) -> bool);
    let rows: &[Row<'_>] = &[
        ("20 garbage lines", &["on go#2: write \\0\\0\\n\\xff\\xfe junk\\n; play"], |warning| {
            matches!(warning, Warning::Garbage { .. })
        }),
        ("27 bestmove twice", &["on go#4: write bestmove {move}\\nbestmove a2a3\\n"], |warning| {
            matches!(warning, Warning::StrayLine { count: 1, .. })
        }),
        ("30 unsolicited readyok", &["on isready: write readyok\\nreadyok\\n"], |warning| {
            matches!(warning, Warning::StrayLine { .. })
        }),
        (
            "36 broken info",
            &["on go: write info depth 1 score cp\\ninfo depth 2 score mate 100000000000000000000\\n; play"],
            |warning| matches!(warning, Warning::BrokenInfo { .. }),
        ),
        ("38 false time", &["on go: write info depth 1 score cp 3 time 99999999\\n; play"], |warning| {
            matches!(warning, Warning::FalseTime { .. })
        }),
    ];
    for (name, rules, noted) in rows {
        let outcome = pair(fake(rules), nodes());
        assert_eq!(outcome.lines(), [DRAW; 2], "{name}: {outcome:#?}");
        assert!(warned(&outcome, noted), "{name}: {outcome:#?}");
    }
}

/// The repetition may arrive before the next `go`, with it, or after it, and the wait for the opponent may be long or
/// short.
#[test]
fn row_27_a_repeated_bestmove_never_answers_the_next_go() {
    for (name, rule, opponent_ms) in [
        ("long before the question", "on go#2+: delay 3; play; write bestmove {move}\\n", "1"),
        ("just before it, or just after", "on go#2+: play; write bestmove {move}\\n", "0"),
        ("after it", "on go#2+: play; delay 1; write bestmove {move}\\n", "0"),
    ] {
        let opponent = EngineSpec { args: vec!["--sleep-ms".into(), opponent_ms.into()], ..faultless() };
        let mut config = FleetConfig::new(vec![fake(&[rule]), opponent]);
        config.rules.max_moves = Some(12);
        let outcome = run(config, jobs(2, nodes()));
        assert_eq!(outcome.lines(), [DRAW; 4], "{name}: {outcome:#?}");
        assert!(
            warned(&outcome, |warning| matches!(warning, Warning::StrayLine { .. })),
            "{name}: {outcome:#?}"
        );
    }
}

/// A line that arrives before `go` was sent is not an answer to it. Every game begins with `position` and a barrier, so
/// an engine that answers `position` is detected before its first `go`, and gets a barrier before every `go` from then
/// on.
#[test]
fn row_29_an_unsolicited_move_is_never_played() {
    // The opponent is so slow that every unsolicited line of the engine arrives before its next turn.
    let slow = || EngineSpec { args: vec!["--sleep-ms".into(), "15".into()], ..faultless() };
    for (name, rule, most_strays) in [
        ("on a new game", "on newgame: reply bestmove e2e4", 1),
        ("before it is ready", "on isready: write bestmove e2e4\\nreadyok\\n", 20),
        ("on its opponent's time", "on go#2: play; delay 3; write bestmove a2a3\\n", 1),
        // If one of these were taken for an answer, it would lose the game.
        ("on every position", "on position: reply bestmove 0000", 20),
    ] {
        let mut config = FleetConfig::new(vec![fake(&[rule]), slow()]);
        config.rules.max_moves = Some(6);
        let outcome = run(config, jobs(1, nodes()));
        assert_eq!(outcome.lines(), [DRAW; 2], "{name}: {outcome:#?}");
        let strays = |warning: &Warning| matches!(warning, Warning::StrayLine { count, by } if *count <= most_strays && by.get() == 0);
        assert!(warned(&outcome, strays), "{name}: {outcome:#?}");
    }
}

/// An engine that starts to answer `position` in the middle of a game has read `go` at the same time, so its first such
/// move cannot be distinguished from an instant answer that is followed by a stray one. That one move is accepted; the
/// stray line reveals the engine, and no other such move is accepted.
#[test]
fn row_29_an_engine_that_starts_to_answer_position_in_a_game_gets_one_move_accepted_at_most() {
    let slow = EngineSpec { args: vec!["--sleep-ms".into(), "15".into()], ..faultless() };
    // The first position of each game is sent twice. From the third `go` on: a legal move, then only invalid ones.
    let rules = ["on position#4@game 1: reply bestmove {move}", "on position#5+@game 1: reply bestmove 0000"];
    let mut config = FleetConfig::new(vec![fake(&rules), slow]);
    config.rules.max_moves = Some(8);
    let outcome = run(config, jobs(1, nodes()));
    assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
    // The dropped answer to the third `go`, and one for each of the five positions after it.
    let strays = |warning: &Warning| matches!(warning, Warning::StrayLine { count: 6, by } if by.get() == 0);
    assert!(warned(&outcome, strays), "{outcome:#?}");
}

#[test]
fn unusual_but_valid_output_is_accepted() {
    for (name, rules) in [
        ("25 split reads and CRLF", &["on go#1: write best; delay 20; write move {move}\\r\\n"][..]),
        ("21 bytes that are not text", &["on uci: write id name Caf\\xe9\\nuciok\\n"]),
        ("unsolicited greeting", &["on start: write id name X\\nuciok\\n"]),
        ("NUL after the move", &["on go: write bestmove {move}\\0\\n"]),
        ("board art", &["on go: write +---+---+\\n| k |   |\\n; play"]),
        (
            "33 nonsense declarations",
            &[
                "on uci: write option name B type spin default 5 min 10 max 1\\noption name H type spin default 1e30 \
               min -1e30 max 1e30\\noption name N\\noption\\nuciok\\n",
            ],
        ),
        ("42 floods stderr", &["on go#2: stderr 50000000; play; stderr 50000000"]),
    ] {
        let outcome = pair(fake(rules), nodes());
        assert_eq!(outcome.lines(), [DRAW; 2], "{name}: {outcome:#?}");
    }
}

#[test]
fn a_failure_before_the_first_good_handshake_is_a_mistake_in_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let junk = folder.path().join("junk");
    std::fs::write(&junk, [0x13, 0x37, 0xfe, 0x00]).unwrap();
    std::fs::set_permissions(&junk, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let data = folder.path().join("data");
    std::fs::write(&data, "not a program").unwrap();
    std::fs::set_permissions(&data, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let at = |path: &std::path::Path| EngineSpec { program: path.to_owned(), ..faultless() };
    let with = |name: &str, value: &str| {
        let mut spec = fake(&["on setoption: exit 3"]);
        spec.options = vec![EngineOption::new(name, value)];
        spec
    };
    let quick = |rules: &[&str]| {
        let mut spec = fake(rules);
        spec.timeouts.start = Duration::from_millis(300);
        spec
    };
    for (name, spec, expected) in [
        ("1 crash at first start", fake(&["on start: exit 1"]), "it ended (exit 1)"),
        ("2 missing", at(&folder.path().join("absent")), "No such file"),
        ("2 not executable", at(&data), "Permission denied"),
        ("2 wrong format", at(&junk), "startup_failure"),
        ("4 hang at uciok", quick(&["on uci: hang"]), "it did not send uciok in time"),
        ("5 hang at readyok", fake(&["on isready#1: hang"]), "it did not send readyok in time"),
        ("34 absent option", with("Hahs", "3"), "`Hahs`"),
        ("34 out of range", with("Hash", "99999"), "`99999`"),
        ("35 dies on setoption", with("Hash", "32"), "it ended (exit 3)"),
    ] {
        let outcome = pair(spec, nodes());
        assert!(
            outcome.games.is_empty() && outcome.pairs.is_empty(),
            "{name}: nothing is scored: {outcome:#?}"
        );
        let fatal = outcome.fatal.unwrap_or_else(|| panic!("{name}: the failure is not fatal"));
        assert_eq!(fatal.engine, EngineIndex(0), "{name}");
        assert!(fatal.reason.contains(expected), "{name}: {}", fatal.reason);
    }
}

#[test]
fn an_engine_that_has_worked_once_loses_when_a_later_start_fails() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rule, expected) in [
        ("3 crash at a later start", "on start#2: exit 1", "1-0 crash(startup)"),
        ("4 hang at a later uciok", "on start#2: hang", "1-0 stall(uciok)"),
    ] {
        let mut spec = fake(&["on go#3: exit 7", rule]);
        spec.args.extend(["--state".into(), folder.path().join(expected).display().to_string()]);
        spec.timeouts.start = Duration::from_millis(500);
        let outcome = pair(spec, nodes());
        assert_eq!(outcome.lines(), ["0-1 crash(exit 7)", expected], "{name}");
    }
}

#[test]
fn a_crash_on_the_opponents_time_is_detected_at_once() {
    let slow = || EngineSpec { args: vec!["--sleep-ms".into(), "150".into()], ..faultless() };
    for (name, rule, plies) in [
        ("11 crash while idle", "on go#3: play; delay 10; signal SIGABRT", 5),
        ("12 bestmove and exit in one write", "on go#3: write bestmove {move}\\n; exit 0", 5),
    ] {
        let mut config = FleetConfig::new(vec![fake(&[rule]), slow()]);
        config.rules.max_moves = Some(20);
        let outcome = run(config, jobs(1, nodes()));
        assert_eq!(outcome.lines()[0], "0-1 crash(idle)", "{name}: {outcome:#?}");
        assert_eq!(outcome.games[0].2.moves.len(), plies, "{name}: the last move counts");
    }
}

#[test]
fn a_mating_move_wins_even_if_the_engine_exits_with_it() {
    let mut job = jobs(1, nodes()).remove(0);
    job.opening.fen = "7k/8/6K1/8/8/8/8/R7 w - - 0 1".into();
    let config = FleetConfig::new(vec![fake(&["on go#1: write bestmove a1a8\\n; exit 9"]), faultless()]);
    let outcome = run(config, vec![job]);
    assert_eq!(outcome.lines()[0], "1-0 checkmate", "row 12: {outcome:#?}");
    assert!(!outcome.lines()[1].contains("crash"), "an exit between games costs nothing: {outcome:#?}");
}

#[test]
fn moves_are_judged_by_the_board_and_castling_by_the_variant() {
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (name, fen, variant, text, legal) in [
        ("14 king left in check", "4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1", Variant::Standard, "e2d3", false),
        ("19 king takes rook in standard", castles, Variant::Standard, "e1h1", false),
        ("19 king steps in standard", castles, Variant::Standard, "e1g1", true),
        ("19 king steps in 960", castles, Variant::Chess960, "e1g1", false),
        ("19 king takes rook in 960", castles, Variant::Chess960, "e1h1", true),
    ] {
        let mut job = jobs(1, nodes()).remove(0);
        job.opening = Opening { fen: fen.into(), variant, ..Opening::start() };
        let mut config =
            FleetConfig::new(vec![fake(&[&format!("on go#1: reply bestmove {text}")]), faultless()]);
        config.rules.max_moves = Some(1);
        let outcome = run(config, vec![job]);
        let expected =
            if legal { "1/2-1/2 max_moves".to_owned() } else { format!("0-1 illegal_move:{text}") };
        assert_eq!(outcome.lines()[0], expected, "{name}");
    }
}

#[test]
fn scores_that_lie_or_cannot_be_read_adjudicate_nothing() {
    let rules = AdjudicationRules {
        draw: Some(DrawRule { after_move: 1, moves: 2, cp: 5000 }),
        resign: Some(ResignRule { moves: 2, cp: 500, sides: ResignSides::Two }),
        max_moves: Some(20),
        ..AdjudicationRules::default()
    };
    let scored = |score: &str| {
        let mut spec = faultless();
        spec.args.extend(["--score".into(), score.into()]);
        spec
    };
    let broken = || fake(&["on go: write info score cp\\n; play"]);
    for (name, engines, expected) in [
        ("37 claims to win", [scored("10000"), scored("9000")], DRAW),
        ("36 unreadable", [broken(), scored("0")], DRAW),
        ("both see a draw", [scored("0"), scored("10")], "1/2-1/2 adjudicated_draw"),
        ("both agree", [scored("9000"), scored("-9000")], "1-0 adjudicated_win"),
    ] {
        let mut config = FleetConfig::new(engines.into());
        config.rules = rules.clone();
        assert_eq!(run(config, jobs(1, nodes())).lines()[0], expected, "{name}");
    }
}

#[test]
fn an_engine_is_ended_by_its_kernel_limits_and_its_folder_is_removed() {
    let _machine = machine::reserve();
    let mut memory = fake(&["on go#3: alloc"]);
    memory.sandbox.memory_bytes = Some(512 << 20);
    memory.timeouts.move_cap = Duration::from_secs(20);
    assert_eq!(pair(memory, nodes()).lines(), lost("crash(memory)"), "row 48");
    let mut disk = fake(&["on go#3: fill 20000000000"]);
    disk.sandbox.file_bytes = Some(8 << 20);
    disk.timeouts.move_cap = Duration::from_secs(20);
    disk.dir = WorkingDir::Private;
    let folders = || {
        let names = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let ours = format!("playself-{:x}-", std::process::id());
        names.filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count()
    };
    assert_eq!(pair(disk, nodes()).lines(), lost("crash(SIGXFSZ)"), "row 50");
    assert_eq!(folders(), 0, "row 50: the private folders are gone");
}

#[test]
fn engines_that_do_not_quit_are_killed_in_parallel() {
    let _machine = machine::share();
    for (name, rules) in [
        ("45 ignores SIGTERM", &["on start: block-term", "on quit: hang"][..]),
        ("46 slow to leave", &["on quit: delay 5000; exit 0"]),
    ] {
        let mut config = FleetConfig::new(vec![fake(rules), fake(rules)]);
        config.concurrency = 4;
        config.rules.max_moves = Some(4);
        let begun = std::time::Instant::now();
        let outcome = run(config, jobs(8, nodes()));
        assert_eq!(outcome.lines(), vec![DRAW; 16], "{name}");
        assert!(begun.elapsed() < Duration::from_secs(4), "{name}: eight engines took {:?}", begun.elapsed());
    }
}

#[test]
fn an_engine_that_spins_on_its_opponents_time_gets_a_warning_and_no_loss() {
    let _machine = machine::reserve();
    let mut slow = EngineSpec { args: vec!["--sleep-ms".into(), "120".into()], ..faultless() };
    let mut spinning = fake(&["on newgame: spin; play"]);
    // The spinning engine uses processor time of a small machine; the move cap must not matter here.
    slow.timeouts.move_cap = Duration::from_secs(10);
    spinning.timeouts.move_cap = Duration::from_secs(10);
    let mut config = FleetConfig::new(vec![spinning, slow]);
    config.rules.max_moves = Some(10);
    let outcome = run(config, jobs(1, nodes()));
    assert_eq!(outcome.lines(), [DRAW; 2]);
    let busy = |by| move |warning: &Warning| matches!(warning, Warning::BusyWhileIdle { by: found, .. } if *found == by);
    assert!(warned(&outcome, busy(EngineIndex(0))), "row 51: {outcome:#?}");
    assert!(!warned(&outcome, busy(EngineIndex(1))), "row 51: the other engine is idle");
}

#[test]
fn row_23_a_flood_does_not_slow_other_games() {
    let _machine = machine::reserve();
    let mut flood = jobs(1, nodes());
    let quiet: Vec<_> = jobs(9, nodes())
        .into_iter()
        .skip(1)
        .map(|mut job| {
            job.contestants[0].engine = EngineIndex(1);
            job
        })
        .collect();
    let play = |jobs| {
        let mut config =
            FleetConfig::new(vec![fake(&["on go#2: lines 2000000 info string x; hang"]), faultless()]);
        config.concurrency = 2;
        config.rules.max_moves = Some(40);
        run(config, jobs)
    };
    let other_games = |outcome: &Outcome| {
        let games = outcome.games.iter().filter(|(id, ..)| id.index > 0).map(|(.., game)| game.clone());
        games.collect::<Vec<_>>()
    };
    let worst = |outcome: &Outcome| {
        let games = other_games(outcome);
        let mut times: Vec<u64> = games.iter().flat_map(|game| &game.moves).map(|ply| ply.time_us).collect();
        times.sort_unstable();
        times[times.len() * 99 / 100]
    };
    let alone = worst(&play(quiet.clone()));
    flood.extend(quiet);
    let outcome = play(flood);
    assert_eq!(outcome.pairs.len(), 9);
    let games = other_games(&outcome);
    assert!(games.iter().all(|game| game.ending.termination.kind() == "max_moves"));
    assert_eq!(games.len(), 16);
    // Next to a process that keeps a processor busy, a time slice of the scheduler may be added.
    let beside = worst(&outcome);
    assert!(beside < 2 * alone + 8000, "99 % of moves within {beside} us beside a flood, {alone} us without");
}
