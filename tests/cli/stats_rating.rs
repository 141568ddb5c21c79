//! Ratings against a plain search for the greatest likelihood, against simulated tournaments, and on the command line.

use std::fs;
use std::process::{Command, Output};

use playself::stats::{Elo, GameScore, PairScore, Random, RatingOptions, Tournament};
use serde_json::Value;

/// Davidson's model, written out once more: the probabilities of a win, a draw and a loss.
fn odds(elo: f64, weight: f64) -> [f64; 3] {
    let x = elo * std::f64::consts::LN_10 / 400.0 * (2.0 + weight) / 2.0;
    let parts = [(x / 2.0).exp(), weight, (-x / 2.0).exp()];
    let sum: f64 = parts.iter().sum();
    parts.map(|part| part / sum)
}

/// Games of a round robin: White, Black and the score of White.
type Games = Vec<(usize, usize, GameScore)>;

const SCORES: [GameScore; 3] = [GameScore::Win, GameScore::Draw, GameScore::Loss];

fn play(random: &mut Random, elo: &[f64], white: f64, weight: f64, rounds: usize) -> Games {
    let mut games = Vec::new();
    for a in 0..elo.len() {
        for b in 0..elo.len() {
            if a != b {
                let [win, draw, _] = odds(elo[a] - elo[b] + white, weight);
                for _ in 0..rounds {
                    let luck = random.unit();
                    let place = usize::from(luck >= win) + usize::from(luck >= win + draw);
                    games.push((a, b, SCORES[place]));
                }
            }
        }
    }
    games
}

fn tournament(games: &Games) -> Tournament {
    let mut tournament = Tournament::default();
    for &(white, black, score) in games {
        tournament.count(white, black, score);
    }
    tournament
}

/// The logarithm of the likelihood; the first parameters are the ratings of all players but the first, then come the
/// advantage of White and the logarithm of the weight of draws.
fn log_likelihood(games: &Games, players: usize, parameters: &[f64]) -> f64 {
    let elo = |player: usize| if player == 0 { 0.0 } else { parameters[player - 1] };
    let (white, weight) = (parameters[players - 1], parameters[players].exp());
    games
        .iter()
        .map(|&(a, b, score)| {
            let place = SCORES.iter().position(|&other| other == score).unwrap();
            odds(elo(a) - elo(b) + white, weight)[place].ln()
        })
        .sum()
}

/// The greatest likelihood by trying smaller and smaller steps in every direction.
fn search(games: &Games, players: usize) -> Vec<f64> {
    let mut best = vec![0.0; players + 1];
    let mut height = log_likelihood(games, players, &best);
    let mut steps: Vec<f64> = (0..=players).map(|at| if at == players { 0.5 } else { 64.0 }).collect();
    while steps[0] > 1e-4 {
        let mut moved = false;
        for at in 0..=players {
            for step in [steps[at], -steps[at]] {
                let mut there = best.clone();
                there[at] += step;
                let reached = log_likelihood(games, players, &there);
                if reached > height {
                    (best, height, moved) = (there, reached, true);
                }
            }
        }
        if !moved {
            steps.iter_mut().for_each(|step| *step /= 2.0);
        }
    }
    best
}

#[test]
fn ratings_have_the_greatest_likelihood_of_a_plain_search() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let players = 3 + seed as usize % 3;
        let elo: Vec<f64> = (0..players).map(|_| 120.0 * random.normal()).collect();
        let white = 30.0 * random.normal();
        let games = play(&mut random, &elo, white, 1.0 + seed as f64 / 2.0, 6);
        let ratings = tournament(&games).rate(&RatingOptions::default()).unwrap();
        assert_eq!(ratings.groups().len(), 1, "seed {seed}");
        let expected = search(&games, players);
        for player in 1..players {
            let difference = ratings.rating(player).value - ratings.rating(0).value;
            assert!(
                (difference - expected[player - 1]).abs() < 0.01,
                "seed {seed}: {difference} {expected:?}"
            );
        }
        let white = ratings.white_advantage().value;
        assert!((white - expected[players - 1]).abs() < 0.01, "seed {seed}: {white} {expected:?}");
        let reached = log_likelihood(&games, players, &expected);
        assert!((ratings.log_likelihood() - reached).abs() < 1e-6, "seed {seed}");
    }
}

#[test]
fn intervals_contain_the_true_rating_in_95_percent_of_simulated_tournaments() {
    const TOURNAMENTS: u64 = 600;
    let elo = [-150.0, -40.0, 0.0, 30.0, 160.0];
    let (mut inside, mut all, mut white_inside) = (0u64, 0u64, 0u64);
    for seed in 0..TOURNAMENTS {
        let games = play(&mut Random::of_item(5, seed), &elo, 25.0, 1.6, 12);
        let ratings = tournament(&games).rate(&RatingOptions::default()).unwrap();
        for (player, truth) in elo.iter().enumerate() {
            let rating = ratings.rating(player);
            inside += u64::from((rating.value - truth).abs() <= rating.error.unwrap());
            all += 1;
        }
        let white = ratings.white_advantage();
        white_inside += u64::from((white.value - 25.0).abs() <= white.error.unwrap());
    }
    let [ratings, white] = [inside as f64 / all as f64, white_inside as f64 / TOURNAMENTS as f64];
    assert!((0.94..0.96).contains(&ratings), "{ratings} of {all} intervals");
    assert!((0.93..0.97).contains(&white), "{white} of {TOURNAMENTS} intervals");
}

#[test]
fn pairs_from_unbalanced_openings_have_intervals_of_their_own() {
    const TOURNAMENTS: u64 = 400;
    let covered = |known_as_pairs: bool| {
        let mut inside = 0u64;
        for seed in 0..TOURNAMENTS {
            let mut random = Random::of_item(6, seed);
            let mut tournament = Tournament::new(3);
            for (one, other) in [(0, 1), (0, 2), (1, 2)] {
                for _ in 0..40 {
                    // The players are equal, but each opening favours White or Black, so that the games cancel.
                    let bias = 250.0 * random.normal();
                    let [first, second] = [(one, other), (other, one)].map(|(white, black)| {
                        let [win, draw, _] = odds(bias, 1.0);
                        let luck = random.unit();
                        let score = SCORES[usize::from(luck >= win) + usize::from(luck >= win + draw)];
                        tournament.count(white, black, score);
                        score
                    });
                    if known_as_pairs {
                        tournament.count_pair(one, other, PairScore::of(first, second.reversed()));
                    }
                }
            }
            let ratings = tournament.rate(&RatingOptions::default()).unwrap();
            let hit = |player: &usize| {
                let rating = ratings.rating(*player);
                rating.value.abs() <= rating.error.unwrap()
            };
            inside += (0..3).filter(hit).count() as u64;
        }
        inside as f64 / (3 * TOURNAMENTS) as f64
    };
    let (pairs, games) = (covered(true), covered(false));
    assert!((0.93..0.97).contains(&pairs), "{pairs}");
    assert!(games > 0.975, "games that are taken as independent have intervals that are too wide: {games}");
}

#[test]
fn anchors_are_kept_and_have_no_error() {
    let games = play(&mut Random::new(9), &[0.0, 50.0, 100.0], 20.0, 1.0, 40);
    let free = tournament(&games).rate(&RatingOptions::default()).unwrap();
    let one = RatingOptions { anchors: vec![(1, Elo(2800.0))], ..RatingOptions::default() };
    let one = tournament(&games).rate(&one).unwrap();
    assert_eq!((one.rating(1).value, one.rating(1).error), (2800.0, None));
    for player in [0, 2] {
        let expected = free.rating(player).value - free.rating(1).value;
        assert!((one.rating(player).value - 2800.0 - expected).abs() < 1e-4);
        let (difference, error) = (free.difference(player, 1).unwrap(), one.rating(player).error.unwrap());
        assert!((difference.error.unwrap() - error).abs() < 1e-4, "the error is that of the difference");
    }
    let two = RatingOptions { anchors: vec![(0, Elo(0.0)), (2, Elo(500.0))], ..RatingOptions::default() };
    let two = tournament(&games).rate(&two).unwrap();
    assert_eq!((two.rating(0).value, two.rating(2).value), (0.0, 500.0));
    assert!((0.0..500.0).contains(&two.rating(1).value));
    let none = RatingOptions { anchors: vec![(7, Elo(0.0))], ..RatingOptions::default() };
    assert!(tournament(&games).rate(&none).is_err());
}

#[test]
fn one_sided_results_have_a_rating_only_with_a_prior() {
    let games: Games = vec![(0, 1, GameScore::Win), (1, 0, GameScore::Loss), (1, 2, GameScore::Draw)];
    let plain = tournament(&games).rate(&RatingOptions::default()).unwrap();
    assert_eq!(plain.groups(), [vec![1, 2], vec![0]]);
    assert_eq!((plain.los(1, 2), plain.los(0, 1)), (Some(0.5), None));
    let prior = RatingOptions { prior_draws: 2.0, ..RatingOptions::default() };
    let with_prior = tournament(&games).rate(&prior).unwrap();
    assert_eq!(with_prior.groups().len(), 1);
    let gain = with_prior.rating(0).value - with_prior.rating(1).value;
    assert!((20.0..400.0).contains(&gain), "{gain}");
}

#[test]
fn what_the_games_do_not_show_is_not_invented() {
    // White is always the same player: its advantage cannot be distinguished from its strength.
    let games: Games = [0, 0, 1, 2].map(|place| (0, 1, SCORES[place])).into();
    let ratings = tournament(&games).rate(&RatingOptions::default()).unwrap();
    assert_eq!((ratings.white_advantage().value, ratings.white_advantage().error), (0.0, None));
    assert!(ratings.rating(0).value > 0.0);
    // White wins every game: its advantage has no bounds, and nothing is known about the players.
    let games: Games = vec![(0, 1, GameScore::Win), (1, 0, GameScore::Win)];
    let ratings = tournament(&games).rate(&RatingOptions::default()).unwrap();
    assert!(ratings.rating(0).value.abs() < 1e-3 && ratings.white_advantage().value > 500.0);
    for games in
        [vec![], vec![(0, 1, GameScore::Draw); 9], vec![(0, 1, GameScore::Win), (0, 1, GameScore::Loss)]]
    {
        let ratings = tournament(&games).rate(&RatingOptions::default()).unwrap();
        for player in ratings.groups().concat() {
            let rating = ratings.rating(player);
            assert!(rating.value.abs() < 1e-6 && rating.error.is_none_or(f64::is_finite), "{rating:?}");
        }
    }
}

fn playself(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_playself")).args(arguments).output().unwrap()
}

fn pgn(games: &[(&str, &str, &str, &str)]) -> String {
    let game = |(white, black, result, round): &(&str, &str, &str, &str)| {
        format!(
            "[Event \"x\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n\
             1. e4 {{[%clk 1]\n[White \"no tag\"]\n}} e5 {result}\n\n"
        )
    };
    games.iter().map(game).collect()
}

#[test]
fn a_pgn_file_is_rated_as_text_csv_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let games = [
        ("a", "b", "1-0", "1.1"),
        ("b", "a", "1/2-1/2", "1.2"),
        ("a", "b", "0-1", "2.1"),
        ("b", "a", "0-1", "2.2"),
        ("a", "b", "*", "3.1"),
        ("c", "d", "1-0", "1"),
        ("d", "c", "1-0", "1"),
    ];
    fs::write(&path, pgn(&games)).unwrap();
    let file = path.to_str().unwrap();
    let output = playself(&["rate", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((table["games"].as_u64(), table["ignored"].as_u64()), (Some(6), Some(1)));
    assert_eq!(table["groups"].as_array().unwrap().len(), 2, "a and b never met c and d");
    let first = &table["groups"][0]["players"][0];
    assert_eq!((first["name"].as_str(), first["points"].as_f64()), (Some("a"), Some(2.5)));
    assert!(table["groups"][0]["los"][0][1].as_f64().unwrap() > 0.5);
    assert_eq!(table["groups"][0]["results"][0][1], serde_json::json!([2, 1, 1]));
    let text = String::from_utf8(playself(&["rate", file, "--los", "--cross-table"]).stdout).unwrap();
    for line in
        ["6 games of 4 players, 1 without a result ignored", "2 groups without a common scale", "+2=1-1"]
    {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    let csv = String::from_utf8(playself(&["rate", file, "--csv"]).stdout).unwrap();
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.starts_with("group,rank,name,elo,elo_error,"), "{csv}");
    for (wrong, expected) in [
        (vec!["rate", "/no/such/file.pgn"], "cannot be read"),
        (vec!["rate", file, "--anchor", "z=1"], "no game has a player `z`"),
        (vec!["rate", file, "--anchor", "a"], "expected NAME=ELO"),
        (vec!["rate", file, "--prior", "-1"], "not a number from 0 to 1000"),
    ] {
        let output = playself(&wrong);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), message.contains(expected)), (Some(2), true), "{message}");
    }
}

#[test]
fn ratings_of_few_games_and_clean_sweeps_state_what_narrows_their_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.pgn");
    let sweep = [("a", "b", "1-0", "1"), ("b", "c", "1-0", "1"), ("a", "c", "1-0", "1")].repeat(4);
    let upset = [("c", "a", "1-0", "5")];
    let balanced = [("a", "b", "1-0", "1"), ("b", "a", "1-0", "1")].repeat(40);
    for (case, games, prior, advice) in [
        ("a sweep", sweep.clone(), "0", Some("--prior 2 puts players who met on one scale")),
        ("a sweep with assumed draws", sweep.clone(), "2", None),
        ("nearly a sweep", [&sweep[..], &upset].concat(), "0", Some("Wide errors: too few games")),
        ("many games", balanced, "0", None),
    ] {
        fs::write(&path, pgn(&games)).unwrap();
        let text = playself(&["rate", path.to_str().unwrap(), "--prior", prior]).stdout;
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.contains("--prior 2"), advice.is_some(), "{case}: {text}");
        assert!(text.contains(advice.unwrap_or_default()), "{case}: {text}");
    }
}

#[test]
fn stats_count_a_pgn_file_by_pairs_where_rounds_are_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    // Games in the order in which they ended; fastchess gives both games of a pair the same round.
    let games =
        [("a", "b", "1-0", "1"), ("b", "a", "1/2-1/2", "2"), ("b", "a", "0-1", "1"), ("a", "b", "0-1", "2")];
    fs::write(&path, pgn(&games)).unwrap();
    let file = path.to_str().unwrap();
    let by_file = playself(&["stats", "--pgn", file, "--json"]);
    let by_counts = playself(&["stats", "--pentanomial", "0,1,0,0,1", "--json"]);
    assert_eq!(String::from_utf8(by_file.stdout), String::from_utf8(by_counts.stdout));
    let text = String::from_utf8(playself(&["stats", "--pgn", file, "--candidate", "b"]).stdout).unwrap();
    assert!(text.contains("4 games in 2 pairs of b"), "{text}");
    fs::write(&path, pgn(&games[..3])).unwrap();
    let text = String::from_utf8(playself(&["stats", "--pgn", file]).stdout).unwrap();
    assert!(text.contains("3 games of a: 2 won, 1 drawn, 0 lost"), "{text}");
    let output = playself(&["stats", "--pgn", file, "--candidate", "z"]);
    assert_eq!(output.status.code(), Some(2));
}
