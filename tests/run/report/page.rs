//! The report page: contents, markup in names, and size.

use playself::game::TimeControl;
use playself::game::{
    Ending, EngineIndex, GameOfPair, GameRecord, GameResult, MoveSource, MoveText, PairId, PlyRecord,
    Termination,
};
use playself::opening::Variant;
use playself::player::Score;
use playself::report::page::{
    ChartDetail, GameShelf, MatchData, PageContext, Section, fault_section, game_section, result_section,
    test_section, time_section, whole_page,
};
use playself::stats::{Hypotheses, PairScore, SprtConfig};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn record(
    game: GameOfPair,
    opening: u64,
    result: GameResult,
    termination: Termination,
    plies: usize,
) -> GameRecord {
    let (white, black) = match game {
        GameOfPair::First => (EngineIndex(0), EngineIndex(1)),
        GameOfPair::Second => (EngineIndex(1), EngineIndex(0)),
    };
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves = (0..plies).map(|ply| PlyRecord {
        mv: MoveText::new(shuffle[ply % 4]).expect("four letters"),
        source: MoveSource::Engine,
        time_us: 1500 + ply as u64,
        clock_left_us: None,
        score: Some(Score::Cp(if ply % 2 == 0 { 20 } else { -25 } + ply as i32)),
        depth: Some(12),
        seldepth: None,
        nodes: Some(3000),
        extra: None,
    });
    GameRecord {
        white,
        black,
        opening,
        start_fen: START.into(),
        variant: Variant::Standard,
        moves: moves.collect(),
        ending: Ending { result, termination },
        started_unix_ms: 0,
        duration_ms: 10,
        warnings: vec![],
    }
}

fn context(name: &str) -> PageContext {
    PageContext {
        unfinished: None,
        name: name.into(),
        engines: vec![name.into(), "base".into()],
        conditions: vec![("Time control", "8+0.08".into())],
        engine_conditions: Vec::new(),
        gap: None,
        sentence: "+4.1 ± 2.9 Elo after 8,412 pairs: accepted".into(),
        figures: vec![("Elo".into(), "+4.1 ± 2.9".into()), ("LOS".into(), "99.7 %".into())],
        plan: "name = \"<plan>\"".into(),
        repeat: "playself sprt plan.toml".into(),
        written: "2026-11-16".into(),
    }
}

/// The page of a test after this many pairs, each game of this many half-moves.
pub(crate) fn sample_page(pairs: u64, plies: usize) -> String {
    let (picture, shelf) = played(["new", "old"], pairs, plies);
    match_page(&context("new"), &picture, &shelf)
}

fn match_page(context: &PageContext, picture: &MatchData, shelf: &GameShelf) -> String {
    let sprt = SprtConfig::usual(Hypotheses::new(0.0, 5.0).expect("in order"));
    let sections: [Section; 5] = [
        test_section(picture, Some(&sprt), None, ChartDetail::Full),
        result_section(picture),
        game_section(picture),
        time_section(picture),
        fault_section(picture, None),
    ];
    whole_page(context, &sections, shelf)
}

/// Counts `pairs` pairs: in two of three the candidate wins with White, in the third it loses; it draws with Black.
fn played(names: [&str; 2], pairs: u64, plies: usize) -> (MatchData, GameShelf) {
    let engines: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut picture = MatchData::new(engines.clone());
    let mut shelf = GameShelf::default();
    for pair in 0..pairs {
        let good = pair % 3 != 0;
        let first = if good { GameResult::WhiteWins } else { GameResult::BlackWins };
        let reason = if pair % 10 == 9 {
            Termination::IllegalMove { text: "<img>".into() }
        } else {
            Termination::Checkmate
        };
        let games = [
            record(GameOfPair::First, pair, first, reason, plies),
            record(GameOfPair::Second, pair, GameResult::Draw, Termination::Repetition, plies),
        ];
        let score = PairScore::try_from(if good { 3u8 } else { 1 }).expect("within a pair");
        picture.count(PairId::both(pair, 1), [&games[0], &games[1]], score, Some(pair as f64 * 0.001));
        for (game, record) in GameOfPair::BOTH.into_iter().zip(&games) {
            shelf.offer(pair, game, record, &engines, [TimeControl::nodes(100); 2]);
        }
    }
    (picture, shelf)
}

#[test]
fn a_page_has_every_chart_and_keeps_markup_in_names_as_text() {
    let evil = "</script><script>alert(1)</script>";
    let (picture, shelf) = played([evil, "base\" onload=\"x"], 30, 12);
    let page = match_page(&context(evil), &picture, &shelf);
    for id in ["llr", "elo", "pentanomial", "colours", "lengths"] {
        assert!(page.contains(&format!("<figure id=\"{id}\">")), "{id} is missing");
    }
    assert!(
        page.contains("<a href=\"faults/pair10-game1-try2.json\""),
        "the link has the file name of the bundle"
    );
    assert!(!page.contains("<script>alert"), "a name is markup");
    assert!(!page.contains("<img>"), "a move text is markup");
    assert_eq!(page.matches("</script>").count(), 2, "only the two elements of the page itself");
    assert!(
        page.contains("data-points=\"31\""),
        "the LLR curve has a point for each pair and one before them"
    );
    assert!(page.contains(">H1 +2.94<") && page.contains("[0, 5] normalized Elo"), "bounds have numbers");
}

#[test]
fn a_run_without_a_pair_still_has_a_page() {
    let (picture, shelf) = played(["a", "b"], 0, 0);
    let page = match_page(&context("empty"), &picture, &shelf);
    assert!(page.contains("No pair has been counted yet") && !page.contains("NaN"));
}

#[test]
fn a_few_pairs_are_explained_instead_of_drawn() {
    let (picture, shelf) = played(["a", "b"], 7, 12);
    let page = match_page(&context("short"), &picture, &shelf);
    assert!(page.contains("Curves are drawn from 10 counted pairs on; so far 7 are counted."));
    assert!(!page.contains("<figure id=\"elo\">") && !page.contains("<figure id=\"llr\">"));
}

#[test]
fn a_million_games_fit_into_three_megabytes() {
    let (picture, shelf) = played(["a", "b"], 500_000, 2);
    let page = match_page(&context("long"), &picture, &shelf);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.contains("of 1,000,000 games are in this page"));
    assert!(page.contains("450,000 pairs with further openings"), "openings are listed up to a limit");
}

#[test]
fn openings_are_listed_with_the_results_of_both_colours_and_of_the_candidate() {
    use GameResult::{BlackWins, Draw, WhiteWins};
    let mut picture = MatchData::new(vec!["new".into(), "old".into()]);
    // Opening, results of both games, half points of the candidate, which has White in the first game.
    let pairs = [
        (4, [WhiteWins, WhiteWins], 2),
        (4, [WhiteWins, Draw], 3),
        (8, [BlackWins, BlackWins], 2),
        (2, [WhiteWins, BlackWins], 4),
        (6, [BlackWins, WhiteWins], 0),
        (1, [Draw, Draw], 2),
    ];
    for (at, (opening, results, halves)) in pairs.into_iter().enumerate() {
        let games = [0, 1]
            .map(|game| record(GameOfPair::BOTH[game], opening, results[game], Termination::Checkmate, 4));
        let score = PairScore::try_from(halves).expect("within a pair");
        picture.count(PairId::both(at as u64, 0), [&games[0], &games[1]], score, None);
    }
    let html = result_section(&picture).html;
    let body =
        html.split("<tbody>").nth(1).and_then(|rest| rest.split("</tbody>").next()).unwrap_or_default();
    let rows: Vec<String> = body
        .split("<tr>")
        .skip(1)
        .map(|row| {
            let cells =
                row.split("<td").skip(1).map(|cell| cell.split_once('>').map_or("", |(_, text)| text));
            // The second cell is the start of the opening, which is the same for all.
            let cells = cells.enumerate().filter(|(place, _)| *place != 1).map(|(_, cell)| cell);
            cells
                .take(9)
                .map(|cell| cell.replace("</a>", "").trim_end().replace("</tr>", ""))
                .collect::<Vec<_>>()
                .join("|")
        })
        .collect();
    // Opening, first game, games, White won, drawn, Black won, score of White, points with White and with Black.
    assert_eq!(
        rows,
        [
            "5|<a href=\"#game-1.1\">1.1|4|3|1|0|88 %|2|½",
            "9|<a href=\"#game-3.1\">3.1|2|0|0|2|0 %|0|1",
            "3|<a href=\"#game-4.1\">4.1|2|1|0|1|50 %|1|1",
            "7|<a href=\"#game-5.1\">5.1|2|1|0|1|50 %|0|0",
            "2|<a href=\"#game-6.1\">6.1|2|0|2|0|50 %|½|½",
        ]
    );
    assert!(
        html.contains("White won both games of 1 pair, Black both games of 1; 4 were split or drawn"),
        "{html}"
    );
    assert!(html.contains("data-fen=\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\""), "{html}");
    assert!(html.contains("5 openings with 2.4 games each on average"), "{html}");
}
