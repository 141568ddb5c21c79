//! Complete pairs between real processes.

use crate::fault::{fake, faultless, jobs, pair, run};
use playself::fleet::FleetConfig;
use playself::game::{EngineIndex, MoveSource, TimeControl};
use playself::opening::Opening;
use playself::player::{EngineSpec, Protocol};

#[test]
fn a_pair_is_played_with_colours_swapped_and_the_rules_end_it() {
    let outcome = pair(fake(&[]), TimeControl::nodes(1));
    assert_eq!(outcome.pairs.len(), 1);
    let [first, second] = &outcome.pairs[0].games[..] else { panic!("a pair has two games") };
    assert_eq!((first.white, second.white), (EngineIndex(0), EngineIndex(1)));
    assert_eq!(outcome.lines(), ["1/2-1/2 max_moves"; 2]);
    assert_eq!(first.moves.len(), 40);
    assert_eq!(
        first.moves,
        second.moves.iter().zip(&first.moves).map(|(_, ply)| ply.clone()).collect::<Vec<_>>()
    );
    assert!(first.warnings.is_empty() && second.warnings.is_empty(), "{:?}", first.warnings);
}

#[test]
fn the_same_seed_gives_the_same_games_at_any_concurrency() {
    let games = |concurrency| {
        let mut config = FleetConfig::new(vec![
            fake(&[]),
            EngineSpec { args: vec!["--salt".into(), "7".into()], ..faultless() },
        ]);
        config.concurrency = concurrency;
        config.rules.max_moves = Some(60);
        let mut pairs = run(config, jobs(6, TimeControl::nodes(1))).pairs;
        pairs.sort_by_key(|pair| pair.id);
        let moves =
            |game: &playself::game::GameRecord| game.moves.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        pairs.iter().flat_map(|pair| pair.games.iter().map(moves).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let one = games(1);
    assert_eq!(one.len(), 12);
    assert_eq!(one, games(2));
    assert_eq!(one, games(8));
}

#[test]
fn book_moves_come_first_and_are_recorded_as_such() {
    let mut job = jobs(1, TimeControl::nodes(1)).remove(0);
    job.opening = Opening { moves: vec!["e2e4".into(), "c7c5".into(), "g1f3".into()], ..Opening::start() };
    let mut config = FleetConfig::new(vec![fake(&[]), faultless()]);
    config.rules.max_moves = Some(5);
    let outcome = run(config, vec![job]);
    let moves = &outcome.pairs[0].games[0].moves;
    assert_eq!(moves.iter().filter(|ply| ply.source == MoveSource::Book).count(), 3);
    assert_eq!(moves.len(), 13);
}

#[test]
fn ace_programs_play_uci_engines_and_each_other() {
    let ace = || EngineSpec { name: "ace".into(), protocol: Protocol::ace(), ..fake(&[]) };
    for engines in [vec![ace(), faultless()], vec![faultless(), ace()], vec![ace(), ace()]] {
        let mut config = FleetConfig::new(engines);
        config.rules.max_moves = Some(30);
        let outcome = run(config, jobs(2, TimeControl::movetime(500)));
        assert_eq!(outcome.lines(), ["1/2-1/2 max_moves"; 4], "{outcome:#?}");
        assert!(outcome.warnings().is_empty(), "{outcome:#?}");
    }
}
