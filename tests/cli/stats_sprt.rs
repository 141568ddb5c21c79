//! Sequential tests on simulated games: error rates, lengths, and verdicts independent of the concurrency.

use std::num::NonZeroUsize;

use playself::stats::{
    Counting, EloModel, GameModel, GameVariance, Hypotheses, Hypothesis, OperatingCurve, SimulatedTest,
    SprtConfig, SprtSimulation, TestKind,
};

fn simulation(null: f64, alternative: f64, truth: f64) -> SprtSimulation {
    let games = GameModel::unbalanced();
    SprtSimulation {
        config: SprtConfig::usual(Hypotheses::new(null, alternative).expect("null is below alternative")),
        odds: games.odds(games.difference(EloModel::Normalized, truth)),
        seed: 2026,
        concurrency: NonZeroUsize::MIN,
        counting: Counting::Schedule,
    }
}

fn pass_rate(tests: &[SimulatedTest]) -> f64 {
    tests.iter().filter(|test| test.accepted == Hypothesis::Alternative).count() as f64 / tests.len() as f64
}

fn mean_pairs(tests: &[SimulatedTest]) -> f64 {
    tests.iter().map(|test| test.seen.pairs()).sum::<u64>() as f64 / tests.len() as f64
}

/// Compares pass rate and mean length with the closed form with overshoot, within `errors` standard errors.
fn assert_matches_forecast(simulation: &SprtSimulation, truth: f64, runs: u64, errors: f64) {
    let tests = simulation.run(runs);
    let games = GameModel::unbalanced();
    let variance = GameVariance::measured(simulation.odds.game_variance()).expect("a possible variance");
    let curve = OperatingCurve::new(&simulation.config, variance).with_overshoot();
    let truth = games.difference(EloModel::Normalized, truth);
    let (rate, forecast) = (pass_rate(&tests), curve.pass_probability(truth));
    let error = (forecast * (1.0 - forecast) / runs as f64).sqrt();
    assert!((rate - forecast).abs() < errors * error + 0.002, "passed {rate}, forecast {forecast}");
    let (pairs, forecast) = (mean_pairs(&tests), curve.expected_pairs(truth));
    // The standard deviation of the length of a test is about its mean.
    assert!(
        (pairs / forecast - 1.0).abs() < errors / (runs as f64).sqrt() + 0.01,
        "{pairs} pairs, forecast {forecast}"
    );
}

#[test]
fn rates_and_lengths_match_the_forecast_at_and_between_the_hypotheses() {
    for truth in [0.0, 20.0, 40.0] {
        assert_matches_forecast(&simulation(0.0, 40.0, truth), truth, 250, 4.0);
    }
}

#[test]
fn a_verdict_is_the_same_at_any_concurrency() {
    let alone = simulation(0.0, 40.0, 16.0).run(30);
    for slots in [8, 128] {
        let concurrency = NonZeroUsize::new(slots).expect("not 0");
        assert_eq!(
            SprtSimulation { concurrency, ..simulation(0.0, 40.0, 16.0) }.run(30),
            alone,
            "{slots} slots"
        );
    }
}

#[test]
fn counting_pairs_as_they_finish_would_change_verdicts_and_favour_short_games() {
    let concurrency = NonZeroUsize::new(128).expect("not 0");
    let wrong = SprtSimulation { concurrency, counting: Counting::Completion, ..simulation(0.0, 40.0, 20.0) };
    let (wrong, right) = (wrong.run(200), simulation(0.0, 40.0, 20.0).run(200));
    assert_ne!(wrong, right);
    // Lost pairs are short here, so the count starts with too many of them.
    assert!(pass_rate(&wrong) < pass_rate(&right) - 0.05, "{} and {}", pass_rate(&wrong), pass_rate(&right));
}

#[test]
fn corrected_estimates_are_unbiased_in_the_median_and_intervals_cover_the_truth() {
    for truth in [0.0, 24.0] {
        let simulation = simulation(0.0, 40.0, truth);
        let truth = GameModel::unbalanced().difference(EloModel::Normalized, truth);
        let (mut above, mut inside, mut plain_above) = (0, 0, 0);
        let tests = simulation.run(250);
        for test in &tests {
            let corrected = simulation.config.corrected(&test.seen).expect("games were played");
            above += u32::from(corrected.elo > truth);
            inside += u32::from(corrected.lower <= truth && truth <= corrected.upper);
            let plain = playself::stats::Estimate::of(&test.seen).expect("games were played");
            plain_above += u32::from(plain.elo > truth);
        }
        assert!((100..=150).contains(&above), "{above} of 250 too high; plain estimates {plain_above}");
        assert!((227..=248).contains(&inside), "{inside} of 250 intervals hold {truth}");
    }
}

fn bounded(null: f64, alternative: f64, truth: f64) -> SprtSimulation {
    let simulation = simulation(null, alternative, truth);
    SprtSimulation { config: SprtConfig { kind: TestKind::Bounded, ..simulation.config }, ..simulation }
}

#[test]
fn bounded_tests_match_their_computed_course_and_are_never_longer_than_their_bound() {
    for truth in [0.0, 20.0, 40.0] {
        let simulation = bounded(0.0, 40.0, truth);
        let tests = simulation.run(200);
        let course = simulation.config.exact_course(&simulation.odds).expect("wide hypotheses");
        let error = (course.passes * (1.0 - course.passes) / 200.0).sqrt();
        assert!((pass_rate(&tests) - course.passes).abs() < 4.0 * error + 0.002, "{truth}: {course:?}");
        assert!((mean_pairs(&tests) / course.pairs - 1.0).abs() < 0.12, "{truth}: {}", mean_pairs(&tests));
        let variance = GameVariance::measured(simulation.odds.game_variance()).expect("a possible variance");
        let last = OperatingCurve::new(&simulation.config, variance).last_pair().expect("it is bounded");
        let longest = tests.iter().map(|test| test.seen.pairs()).max().unwrap_or(0);
        assert!((longest as f64) < 1.02 * last, "{longest} pairs, at most {last}");
    }
}

#[test]
fn corrected_estimates_of_bounded_tests_cover_the_truth() {
    for truth in [0.0, 24.0] {
        let simulation = bounded(0.0, 40.0, truth);
        let truth = GameModel::unbalanced().difference(EloModel::Normalized, truth);
        let (mut above, mut inside) = (0, 0);
        for test in simulation.run(250) {
            let corrected = simulation.config.corrected(&test.seen).expect("games were played");
            above += u32::from(corrected.elo > truth);
            inside += u32::from(corrected.lower <= truth && truth <= corrected.upper);
        }
        assert!((100..=150).contains(&above), "{above} of 250 too high");
        assert!((227..=248).contains(&inside), "{inside} of 250 intervals hold {truth}");
    }
}

/// Takes minutes on all cores; run by `just sim-bounded`.
#[test]
#[ignore = "a hundred thousand bounded tests at each hypothesis; `just sim-bounded`"]
fn error_rates_of_bounded_tests_are_within_0_003_over_a_hundred_thousand_tests() {
    for (elo1, truth, rate) in [(10.0, 0.0, 0.05), (10.0, 10.0, 0.95)] {
        let simulation = bounded(0.0, elo1, truth);
        let tests = simulation.run(100_000);
        println!(
            "[0, {elo1}], truth {truth}: passed {:.4}, {:.0} pairs",
            pass_rate(&tests),
            mean_pairs(&tests)
        );
        assert!((pass_rate(&tests) - rate).abs() <= 0.003);
    }
    let late = |simulation: &SprtSimulation| {
        let mut lengths: Vec<u64> = simulation.run(10_000).iter().map(|test| test.seen.pairs()).collect();
        lengths.sort_unstable();
        lengths[9_500]
    };
    let (bounded, sprt) = (late(&bounded(0.0, 10.0, 5.0)), late(&simulation(0.0, 10.0, 5.0)));
    println!("half-way, 95 % of the tests end within {bounded} pairs, of an SPRT {sprt}");
    assert!(bounded as f64 <= 0.6 * sprt as f64);
}

/// Takes minutes on all cores; run by `just sim-sprt`.
#[test]
#[ignore = "a hundred thousand tests at each hypothesis; `just sim-sprt`"]
fn error_rates_are_within_0_003_of_their_nominal_values_over_a_hundred_thousand_tests() {
    let games = GameModel::unbalanced();
    for (truth, rate) in [(0.0, 0.05), (5.0, 0.95)] {
        let simulation = simulation(0.0, 5.0, truth);
        let tests = simulation.run(100_000);
        let variance = GameVariance::measured(simulation.odds.game_variance()).expect("a possible variance");
        let curve = OperatingCurve::new(&simulation.config, variance);
        let forecast = curve.expected_pairs(games.difference(EloModel::Normalized, truth));
        println!(
            "truth {truth}: passed {:.4}, {:.0} pairs, forecast {forecast:.0}",
            pass_rate(&tests),
            mean_pairs(&tests)
        );
        assert!((pass_rate(&tests) - rate).abs() <= 0.003);
        assert!((mean_pairs(&tests) / forecast - 1.0).abs() <= 0.02);
    }
}
