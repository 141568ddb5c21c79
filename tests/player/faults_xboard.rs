//! Xboard engines: their games, and the faults of the table, with real processes.

use std::time::Duration;

use crate::fault::{Outcome, fake, faultless, jobs, pair, run, survivors_after_a_second};
use crate::machine;
use crate::polyglot::write_book;
use playself::fleet::FleetConfig;
use playself::game::{EngineIndex, MoveSource, PlyRecord, TimeControl, Warning};
use playself::opening::{Opening, Variant};
use playself::player::{EngineBookPlan, EngineOption, EngineSpec, Protocol, Score};

const DRAW: &str = "1/2-1/2 max_moves";

fn clock() -> TimeControl {
    TimeControl { margin_ms: 50, ..TimeControl::clock("0.25+0.25".parse().unwrap()) }
}

fn depth() -> TimeControl {
    TimeControl { depth: Some(1), ..TimeControl::UNLIMITED }
}

/// The fake engine as an xboard engine, with these rules.
fn xboard(rules: &[&str]) -> EngineSpec {
    EngineSpec { protocol: Protocol::Xboard, ..fake(rules) }
}

/// An engine of protocol version 1, which does not answer `protover`.
fn version_1(rules: &[&str]) -> EngineSpec {
    let mut spec = xboard(&[&["on protover: ignore"], rules].concat());
    spec.timeouts.start = Duration::from_millis(300);
    spec
}

fn lost(reason: &str) -> [String; 2] {
    [format!("0-1 {reason}"), format!("1-0 {reason}")]
}

fn lost_once(reason: &str) -> [String; 2] {
    [format!("0-1 {reason}"), DRAW.to_owned()]
}

fn play(spec: EngineSpec, opening: Opening, limits: TimeControl) -> Outcome {
    let mut config = FleetConfig::new(vec![spec, faultless()]);
    config.rules.max_moves = Some(20);
    let mut jobs = jobs(1, limits);
    jobs[0].opening = opening;
    run(config, jobs)
}

/// Another engine with the same moves must get the same game from the same opening, whatever the protocol.
#[test]
fn an_xboard_engine_plays_the_same_games_as_a_uci_engine() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let start = Opening::start();
    let book = Opening { moves: ["e2e4", "e7e5", "g1f3"].map(str::to_owned).into(), ..Opening::start() };
    let set_up = Opening { fen: fen.to_owned(), moves: vec!["f1b5".to_owned()], ..Opening::start() };
    let chess960 = Opening {
        fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9".to_owned(),
        variant: Variant::Chess960,
        ..Opening::start()
    };
    for (name, opening) in [("start", start), ("book", book), ("set up", set_up), ("chess960", chess960)] {
        for limits in [clock(), depth(), TimeControl::nodes(5), TimeControl::movetime(500)] {
            let games = [fake(&[]), xboard(&[])].map(|spec| play(spec, opening.clone(), limits));
            let moves = |outcome: &Outcome| -> Vec<Vec<String>> {
                let game = |(.., record): &(_, _, playself::game::GameRecord)| {
                    record.moves.iter().map(|ply| ply.mv.to_string()).collect()
                };
                outcome.games.iter().map(game).collect()
            };
            assert_eq!(games[1].lines(), [DRAW; 2], "{name}, {limits}: {:#?}", games[1]);
            assert_eq!(moves(&games[0]), moves(&games[1]), "{name}, {limits}");
            assert!(games[1].warnings().is_empty(), "{:#?}", games[1]);
        }
    }
}

#[test]
fn moves_from_a_book_reach_uci_and_xboard_engines_alike() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b.bin");
    write_book(&file, &["e2e4 e7e5 g1f3 b8c6 f1c4", "e2e4 e7e5 g1f3 g8f6", "d2d4 d7d5 c2c4"]);
    let book = Some(EngineBookPlan { file, depth: 9 });
    for limits in [clock(), depth()] {
        let games = [fake(&[]), xboard(&[])].map(|spec| {
            let spec = EngineSpec { book: book.clone(), ..spec };
            let outcome = play(spec, Opening::start(), limits);
            assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
            let moves = |ply: &PlyRecord| (ply.mv.to_string(), ply.source);
            outcome
                .games
                .iter()
                .map(|(.., game)| game.moves.iter().map(moves).collect())
                .collect::<Vec<Vec<_>>>()
        });
        assert_eq!(games[0], games[1], "{limits}");
        assert_eq!(games[0][0][0].1, MoveSource::EngineBook, "the engine has White in the first game");
        assert!(games[0][1].iter().step_by(2).all(|(_, source)| *source == MoveSource::Engine));
    }
}

#[test]
fn an_xboard_engine_that_fails_in_a_game_loses_that_game_and_nothing_more() {
    let _machine = machine::share();
    let rows: &[(&str, &[&str], TimeControl, [String; 2])] = &[
        ("7 hang, clock", &["on go#5: hang"], clock(), lost("time_forfeit")),
        ("8 hang, depth", &["on go#5: hang"], depth(), lost("stall(no bestmove)")),
        ("9 crash", &["on go#5: signal SIGSEGV"], clock(), lost("crash(SIGSEGV)")),
        ("14 illegal move", &["on go#5: reply move a1a1"], clock(), lost_once("illegal_move:a1a1")),
        ("13 ignores ?", &["on go#5: ignore"], clock(), lost_once("time_forfeit")),
        ("24 slow drip", &["on go#3: drip 20"], clock(), lost("time_forfeit")),
        ("39 closes stdout", &["on go#2: close 1; hang"], clock(), lost("crash(stdout closed)")),
        ("163 hang at ping in game", &["on ping#4: hang"], clock(), [DRAW.into(), "1-0 stall(pong)".into()]),
        (
            "165 false claim",
            &["on go#5: reply 1/2-1/2 {Draw by repetition}"],
            clock(),
            lost_once("illegal_move:1/2-1/2"),
        ),
        (
            "165 claims to win",
            &["on go#5@game 1: reply 1-0 {White mates}"],
            clock(),
            lost_once("illegal_move:1-0"),
        ),
        ("167 resigns", &["on go#5: reply resign"], clock(), lost_once("resignation")),
        ("167 concedes", &["on go#5@game 1: reply 0-1 {White resigns}"], clock(), lost_once("resignation")),
    ];
    std::thread::scope(|scope| {
        for third in [0, 1, 2] {
            scope.spawn(move || {
                for (name, rules, limits, expected) in rows.iter().skip(third).step_by(3) {
                    let mark = format!("xboard-row-{}", name.replace(' ', "-"));
                    let mut spec = xboard(rules);
                    spec.args.extend(["--name".into(), mark.clone()]);
                    let outcome = pair(spec, *limits);
                    assert_eq!(outcome.lines(), expected, "{name}: {outcome:#?}");
                    assert_eq!(outcome.pairs.len(), 1, "{name}: the pair counts");
                    let left = survivors_after_a_second(&mark);
                    assert!(left.is_empty(), "{name}: {left:?}");
                    if let Some(bundle) = outcome.bundles.first() {
                        assert!(
                            bundle.repeat.contains("protover 2") && !bundle.transcript.is_empty(),
                            "{name}"
                        );
                    }
                }
            });
        }
    });
}

#[test]
fn row_164_an_engine_that_refuses_a_legal_move_or_a_required_command_loses() {
    for rules in [
        &["on usermove#3: reply Error (bad move): usermove"][..],
        &["on go#3: reply Illegal move: go"],
        &["on position: reply Error (unknown command): setboard"],
    ] {
        let opening = Opening {
            fen: "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3".to_owned(),
            ..Opening::start()
        };
        let outcome = play(xboard(rules), opening, clock());
        assert_eq!(outcome.lines()[0], "0-1 protocol(refused)", "{rules:?}: {outcome:#?}");
        assert_eq!(outcome.bundles[0].engine, EngineIndex(0));
    }
}

#[test]
fn what_an_xboard_engine_may_print_costs_nothing() {
    for (name, rules) in [
        (
            "172 noise",
            &["on go: write tellics say hello\\n# 16+16 pieces\\ntelluser x\\n\\0\\nBook\\n; play"][..],
        ),
        ("172 a greeting", &["on start: write GNU Chess 6.2.7\\nWhite (1) : ; delay 5"]),
        ("166 a claim with its move", &["on go#3: play; write 1/2-1/2 {Draw by repetition}\\n"]),
        ("166 a claim behind the next question", &["on go#3: write 1/2-1/2 {x}\\n; delay 20; play"]),
        ("166 a claim before its move", &["on go#3: write 1/2-1/2 {x}\\nmove {move}\\n"]),
        ("168 offers that are not accepted", &["on go: write offer draw\\n; play"]),
        ("25 split and CRLF", &["on go#1: write mo; delay 20; write ve {move}\\r\\n"]),
        ("the form of old engines", &["on go: write 1. ... {move}\\nMy move is : e2e4\\n"]),
        ("a pong twice", &["on ping: play; play"]),
        ("features without an end", &["on protover: reply feature ping=1 setboard=1 usermove=1"]),
        (
            "features after `new`",
            &["on protover: ignore", "on newgame#1: reply feature ping=1 setboard=1 usermove=1 done=1"],
        ),
        ("no reuse", &["on protover: reply feature ping=1 setboard=1 reuse=0 done=1"]),
    ] {
        let outcome = pair(xboard(rules), clock());
        assert_eq!(outcome.lines(), [DRAW; 2], "{name}: {outcome:#?}");
        assert!(outcome.warnings().is_empty(), "{name}: {outcome:#?}");
    }
}

#[test]
fn row_161_an_engine_of_version_1_plays_from_the_starting_position() {
    let outcome = pair(version_1(&[]), clock());
    assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
    let quick = xboard(&["on protover: reply Error (unknown command): protover"]);
    let outcome = pair(quick, clock());
    assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
    assert!(outcome.took < Duration::from_secs(3), "a complaint about protover ends the wait for features");
}

#[test]
fn row_170_a_move_that_was_not_asked_for_is_never_played() {
    let slow = || EngineSpec { args: vec!["--sleep-ms".into(), "15".into()], ..faultless() };
    let mut config = FleetConfig::new(vec![xboard(&["on go#2: play; delay 3; write move a2a3\\n"]), slow()]);
    config.rules.max_moves = Some(6);
    let outcome = run(config, jobs(1, clock()));
    assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
    let stray = |warning: &Warning| matches!(warning, Warning::StrayLine { count: 1, .. });
    assert!(outcome.games.iter().flat_map(|(.., game)| &game.warnings).any(stray), "{outcome:#?}");
}

#[test]
fn row_168_a_draw_is_agreed_only_if_both_engines_offer_it() {
    let offers = || xboard(&["on go#4: write offer draw\\n; play"]);
    let mut config = FleetConfig::new(vec![offers(), offers()]);
    config.rules.max_moves = Some(20);
    let outcome = run(config, jobs(1, clock()));
    assert_eq!(outcome.lines()[0], "1/2-1/2 agreed_draw", "{outcome:#?}");
    assert_eq!(outcome.games[0].2.moves.len(), 7, "the second offer is the fourth move of Black");
}

#[test]
fn a_mistake_in_the_plan_of_an_xboard_engine_stops_the_run() {
    let option = |name: &str, value: &str| {
        let mut spec = xboard(&[]);
        spec.options = vec![EngineOption::new(name, value)];
        spec
    };
    let with = |rules: &[&str]| {
        let mut spec = xboard(rules);
        spec.timeouts.start = Duration::from_millis(300);
        spec
    };
    let old = || with(&["on protover: reply feature ping=1 done=1"]);
    let fen = Opening { fen: "4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned(), ..Opening::start() };
    let start = Opening::start;
    for (name, spec, opening, limits, expected) in [
        (
            "160 xboard as UCI",
            fake(&["on uci: reply Error (unknown command): uci"]),
            start(),
            clock(),
            "looks like an xboard engine: it printed `Error (unknown command): uci`; write xboard:/",
        ),
        (
            "160 UCI as xboard",
            xboard(&["on start: reply Unknown command: 'xboard'. Type help."]),
            start(),
            clock(),
            "looks like a UCI engine",
        ),
        (
            "162 no end of the features",
            with(&["on protover: reply feature done=0"]),
            start(),
            clock(),
            "it did not send feature done=1 in time",
        ),
        (
            "163 hang at the first ping",
            xboard(&["on ping: hang"]),
            start(),
            clock(),
            "it did not send pong in time",
        ),
        (
            "161 version 1 never moves",
            version_1(&["on go: hang"]),
            start(),
            clock(),
            "did not make its first move",
        ),
        ("169 nodes", old(), start(), TimeControl::nodes(5), "cannot be limited by nodes"),
        ("169 setboard", old(), fen, clock(), "has no `setboard`"),
        ("34 absent option", option("Hahs", "3"), start(), clock(), "`Hahs`"),
        ("34 out of range", option("Weight", "101"), start(), clock(), "an integer from 0 to 100"),
        (
            "4 silent UCI engine",
            {
                let mut spec = fake(&["on uci: write hello\\n; hang"]);
                spec.timeouts.start = Duration::from_millis(300);
                spec
            },
            start(),
            clock(),
            "it did not send uciok in time; it printed `hello`",
        ),
    ] {
        let outcome = play(spec, opening, limits);
        assert!(outcome.games.is_empty(), "{name}: nothing is scored: {outcome:#?}");
        let fatal = outcome.fatal.unwrap_or_else(|| panic!("{name}: the failure is not fatal"));
        assert!(fatal.reason.contains(expected), "{name}: {}", fatal.reason);
    }
}

#[test]
fn options_and_scores_of_an_xboard_engine_are_used() {
    let mut spec = xboard(&[]);
    spec.args.extend(["--score".into(), "100003".into()]);
    for (name, value) in [("Hash", "32"), ("Weight", "7"), ("Style", "Solid"), ("Quiet", "true")] {
        spec.options.push(EngineOption::new(name, value));
    }
    let outcome = pair(spec, clock());
    assert_eq!(outcome.lines(), [DRAW; 2], "{outcome:#?}");
    let ply = &outcome.games[0].2.moves[0];
    assert_eq!((ply.score, ply.depth, ply.nodes), (Some(Score::Mate(3)), Some(1), Some(20)));
}
