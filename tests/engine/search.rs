//! Results of the search: legal, correct where the answer is known, and reproducible.

use std::time::{Duration, Instant};

use crate::machine;
use playself::chess::{GameLine, Move, Position};
use playself::engine::{
    Clock, Limits, Score, SearchInfo, SearchMode, SearchReport, Searcher, StopFlag, Unobserved, signature,
};

fn line(fen: &str) -> GameLine {
    GameLine::new(Position::from_fen(fen).expect("the position of a test is legal"))
}

fn search(fen: &str, limits: &Limits) -> SearchReport {
    Searcher::new(4).search(&line(fen), limits, &StopFlag::new(), &mut Unobserved)
}

fn find(position: &Position, text: &str) -> Move {
    *position.legal_moves().iter().find(|mv| format!("{mv:?}") == text).unwrap_or_else(|| panic!("{text}"))
}

const MIDDLE_GAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

#[test]
fn the_same_nodes_give_the_same_move_score_and_count_every_time() {
    for nodes in [1, 2, 1000, 30_000] {
        let first = search(MIDDLE_GAME, &Limits::nodes(nodes));
        assert_eq!(first.nodes, nodes, "the node limit is exact");
        for _ in 0..2 {
            assert_eq!(search(MIDDLE_GAME, &Limits::nodes(nodes)), first);
        }
    }
    let mut used = Searcher::new(4);
    used.search(&line(MIDDLE_GAME), &Limits::nodes(20_000), &StopFlag::new(), &mut Unobserved);
    used.new_game();
    let again = used.search(&line(MIDDLE_GAME), &Limits::nodes(30_000), &StopFlag::new(), &mut Unobserved);
    assert_eq!(again, search(MIDDLE_GAME, &Limits::nodes(30_000)), "new_game resets the searcher");
}

#[test]
fn the_best_move_is_the_first_of_the_last_line_that_was_reported() {
    const SHARP: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/P1N1PN2/1B3PPP/R2QKB1R w KQ - 0 9";
    for (fen, threads) in [(MIDDLE_GAME, 1), (SHARP, 1), (MIDDLE_GAME, 2)] {
        let mut searcher = Searcher::new(4);
        searcher.set_threads(threads);
        for nodes in (40..12_000).step_by(97) {
            let mut reports: Vec<SearchInfo> = Vec::new();
            let best =
                searcher.search(&line(fen), &Limits::nodes(nodes), &StopFlag::new(), &mut reports).best;
            let last = reports.last().map(|info| info.pv[0]);
            assert_eq!(last, best, "{nodes} nodes, {threads} threads");
        }
    }
}

#[test]
fn mates_are_found_and_counted_in_moves() {
    let cases = [
        ("back rank", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, "d1d8"),
        ("queen offer", "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 2, "g3g6"),
        ("rook ladder", "7k/R7/8/8/8/8/1R6/6K1 w - - 0 1", 1, "b2b8"),
    ];
    for (name, fen, moves, first) in cases {
        let report = search(fen, &Limits { nodes: Some(200_000), depth: Some(20), ..Limits::default() });
        assert_eq!(report.score, Score::Mate(moves), "{name}");
        assert_eq!(format!("{:?}", report.best.unwrap()), first, "{name}");
    }
}

#[test]
fn a_side_that_is_being_mated_reports_a_negative_mate_score() {
    let report = search("7k/8/6K1/8/8/8/8/R7 b - - 0 1", &Limits::depth(8));
    assert_eq!(report.score, Score::Mate(-1));
}

#[test]
fn a_requested_mate_ends_the_search() {
    // A zugzwang, which null-move pruning would miss.
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let report = search("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", &limits);
    assert_eq!(
        (report.score, report.best.map(|mv| format!("{mv:?}"))),
        (Score::Mate(2), Some("a1a6".into()))
    );
}

#[test]
fn queen_and_rook_endings_are_won_against_the_engine_itself() {
    for fen in ["8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"] {
        let mut game = line(fen);
        let (mut attacker, mut defender) = (Searcher::new(8), Searcher::new(8));
        while game.outcome().is_none() {
            let player = if game.moves().len().is_multiple_of(2) { &mut attacker } else { &mut defender };
            let report = player.search(&game, &Limits::nodes(15_000), &StopFlag::new(), &mut Unobserved);
            game.push(report.best.unwrap());
        }
        let position = game.current();
        assert!(position.in_check() && !position.has_legal_move(), "{fen}: {:?}", game.outcome());
    }
}

#[test]
fn a_stop_at_any_moment_yields_a_legal_move() {
    let game = line(MIDDLE_GAME);
    let legal = game.current().legal_moves();
    let before = StopFlag::new();
    before.stop();
    let limits = Limits { mode: SearchMode::Infinite, ..Limits::default() };
    let report = Searcher::new(1).search(&game, &limits, &before, &mut Unobserved);
    assert!(legal.contains(&report.best.unwrap()));
    for (millis, threads) in [(0, 1), (1, 1), (3, 2), (20, 3)] {
        let stop = StopFlag::new();
        let remote = stop.clone();
        let mut searcher = Searcher::new(1);
        searcher.set_threads(threads);
        let report = std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(millis));
                remote.stop();
            });
            searcher.search(&game, &limits, &stop, &mut Unobserved)
        });
        assert!(legal.contains(&report.best.unwrap()));
    }
}

#[test]
fn without_a_legal_move_no_move_is_returned() {
    let mated = search("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", &Limits::depth(3));
    assert_eq!((mated.best, mated.score), (None, Score::Mate(0)));
    let stalemate = search("k7/8/1Q6/8/8/8/8/6K1 b - - 0 1", &Limits::depth(3));
    assert_eq!((stalemate.best, stalemate.score), (None, Score::Cp(0)));
}

#[test]
fn several_lines_are_distinct_legal_and_in_order() {
    let mut infos: Vec<SearchInfo> = Vec::new();
    let limits = Limits { depth: Some(6), multipv: 4, ..Limits::default() };
    let game = line(MIDDLE_GAME);
    let report = Searcher::new(4).search(&game, &limits, &StopFlag::new(), &mut infos);
    let last: Vec<_> = infos.iter().filter(|info| info.depth == 6).collect();
    assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let worth = |info: &SearchInfo| match info.score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) => 30_000 * moves.signum(),
    };
    assert!(last.windows(2).all(|pair| worth(pair[0]) >= worth(pair[1])));
    let mut firsts: Vec<_> = last.iter().map(|info| info.pv[0]).collect();
    assert_eq!(Some(firsts[0]), report.best);
    firsts.dedup();
    assert_eq!(firsts.len(), 4);
    for info in infos {
        let mut position = *game.current();
        for mv in info.pv {
            assert!(position.is_legal(mv));
            position = position.play(mv);
        }
    }
}

#[test]
fn only_the_requested_moves_are_played() {
    let game = line(MIDDLE_GAME);
    let wanted = [find(game.current(), "a1b1"), find(game.current(), "g1h1")];
    let limits = Limits { depth: Some(6), searchmoves: wanted.to_vec(), ..Limits::default() };
    let report = Searcher::new(4).search(&game, &limits, &StopFlag::new(), &mut Unobserved);
    assert!(wanted.contains(&report.best.unwrap()));
}

#[test]
fn the_winning_side_avoids_the_third_repetition() {
    let mut game = line("7k/8/8/8/8/8/R7/K7 w - - 0 1");
    for text in ["a2b2", "h8g8", "b2a2", "g8h8", "a2b2", "h8g8"] {
        let mv = find(game.current(), text);
        game.push(mv);
    }
    let report = Searcher::new(4).search(&game, &Limits::depth(8), &StopFlag::new(), &mut Unobserved);
    assert_ne!(format!("{:?}", report.best.unwrap()), "b2a2", "a third repetition would draw a won ending");
    assert!(matches!(report.score, Score::Mate(1..) | Score::Cp(200..)));
}

#[test]
fn a_perpetual_check_scores_a_draw_for_the_losing_side() {
    let report = search("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 1", &Limits::depth(10));
    assert!(matches!(report.score, Score::Cp(-30..=30)), "{:?}", report.score);
    assert_eq!(format!("{:?}", report.best.unwrap()), "h5e8");
}

#[test]
fn the_search_sees_the_fifty_move_rule() {
    let report = search("8/8/8/3k4/8/8/8/R3K3 w - - 98 120", &Limits::depth(6));
    assert!(matches!(report.score, Score::Cp(-20..=20)), "{:?}", report.score);
}

#[test]
fn contempt_lowers_the_score_of_a_draw() {
    let mut searcher = Searcher::new(1);
    searcher.set_contempt(30);
    let game = line("8/8/8/4k3/8/8/3NK3/8 w - - 0 1");
    let report = searcher.search(&game, &Limits::depth(4), &StopFlag::new(), &mut Unobserved);
    assert_eq!(report.score, Score::Cp(-30));
}

#[test]
fn the_search_stays_within_its_clock() {
    let _machine = machine::reserve();
    for (time, inc) in [(1000, 10), (100, 10), (30, 10), (5, 0)] {
        let clock =
            Clock { time: Duration::from_millis(time), inc: Duration::from_millis(inc), movestogo: None };
        let started = Instant::now();
        let report = search(MIDDLE_GAME, &Limits::clock(clock));
        assert!(report.best.is_some());
        // The bound is wide because the machine may be busy; the unit tests of the time budget are exact.
        assert!(started.elapsed() < Duration::from_millis(time + 200));
    }
}

#[test]
fn pondering_waits_for_ponderhit_and_then_obeys_its_limits() {
    let stop = StopFlag::new();
    let remote = stop.clone();
    let limits = Limits { depth: Some(2), mode: SearchMode::Ponder, ..Limits::default() };
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            remote.ponderhit();
        });
        let report = Searcher::new(1).search(&line(MIDDLE_GAME), &limits, &stop, &mut Unobserved);
        assert!(report.best.is_some());
    });
    assert!(started.elapsed() >= Duration::from_millis(60));
}

#[test]
fn several_threads_share_one_search_and_return_a_legal_move() {
    let mut searcher = Searcher::new(4);
    searcher.set_threads(3);
    let game = line(MIDDLE_GAME);
    let report = searcher.search(&game, &Limits::depth(7), &StopFlag::new(), &mut Unobserved);
    assert!(game.current().is_legal(report.best.unwrap()));
    assert!(report.depth >= 7);
}

#[test]
fn known_tactics_are_found() {
    let cases = [
        ("win a queen by a fork", "3q3k/6pp/8/4N3/8/8/6PP/6K1 w - - 0 1", "e5f7"),
        ("WAC 1", "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", "g3g6"),
        ("WAC 3", "5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1", "e3g3"),
        ("WAC 4", "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", "h6h7"),
    ];
    for (name, fen, best) in cases {
        let report = search(fen, &Limits::nodes(150_000));
        assert_eq!(format!("{:?}", report.best.unwrap()), best, "{name}: {:?}", report.score);
    }
}

#[test]
fn the_signature_is_pinned() {
    assert_eq!(signature(4).nodes, 15_611, "if the change of play is intended, update this number");
}
