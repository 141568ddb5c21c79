//! Whole runs on a fleet: the results are those of one machine.

use crate::bench::{Fleet, Game};
use crate::run::wait_for;

#[test]
fn a_match_on_two_workers_has_the_results_of_one_machine() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 30, ..Game::default() });
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    let pairs = std::fs::read_to_string(fleet.bench.path("there/pairs.csv")).unwrap();
    assert!(pairs.lines().next().unwrap().ends_with(",llr,worker"), "{pairs}");
    let workers = std::fs::read_to_string(fleet.bench.path("there/workers.csv")).unwrap();
    assert!(workers.starts_with("worker,target,") && workers.contains("\noak,"), "{workers}");
}

#[test]
fn row_238_a_test_is_decided_as_on_one_machine_and_pairs_in_play_are_dropped() {
    let Some(fleet) = Fleet::start() else { return };
    // Nearly all games are drawn at the move limit, so the test ends after a few pairs.
    let rest = "[sprt]\nelo = [200.0, 400.0]";
    let config = fleet.config("test", &Game { pairs: 500, sleep_ms: 2, rest });
    let status = fleet.play_here(&config, "here");
    assert_eq!(status, 1);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let mut worker = fleet.spawn("oak", fleet.worker("oak").arg("--once"));
    assert_eq!(coordinator.status("the test", 60), status, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    assert!(!fleet.records("there", "abandoned").is_empty(), "pairs beyond the decision were in play");
    assert_eq!(worker.status("the worker", 20), 0, "{}", fleet.log("oak"));
}

#[test]
fn two_runs_share_a_worker_by_priority() {
    let Some(fleet) = Fleet::start() else { return };
    let low = fleet.config("low", &Game { pairs: 6, ..Game::default() });
    let text = std::fs::read_to_string(&low).unwrap().replace("[fleet]", "[fleet]\npriority = 5");
    let high = fleet.bench.path("high.toml");
    std::fs::write(&high, text).unwrap();
    let mut first = fleet.spawn("low", &mut fleet.coordinator(&low, "low"));
    let mut second = fleet.spawn("high", &mut fleet.coordinator(&high, "high"));
    wait_for("the cards of both runs", 20, || {
        ["low", "high"].iter().all(|run| !fleet.records(run, "pair_started").is_empty())
    });
    std::thread::sleep(std::time::Duration::from_millis(700));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(second.status("the run of the higher priority", 60), 0, "{}", fleet.log("high"));
    assert_eq!(first.status("the other run", 60), 0, "{}", fleet.log("low"));
    let first_of = |run: &str| fleet.records(run, "claimed")[0]["at"].as_u64().unwrap();
    assert!(first_of("high") < first_of("low"));
}

#[test]
fn a_tuning_run_has_the_same_trials_on_a_fleet_as_at_home() {
    let Some(fleet) = Fleet::start() else { return };
    let book = fleet.bench.path("book.epd");
    let text = format!(
        "name = \"tune\"\nseed = 3\nengine = \"builtin\"\n[games]\nnodes = 50\nopenings = \"{}\"\nconcurrency = 1\n\
         [adjudicate]\nmax_moves = 20\n[tune]\nmethod = \"spsa\"\ngames = 24\nlookahead = 4\n\
         parameters = [\"knight_mobility\"]\n{}",
        book.display(),
        crate::bench::QUICK
    );
    let config = fleet.bench.path("tune.toml");
    std::fs::write(&config, text).unwrap();
    let tune = |run: &str| {
        let mut command = std::process::Command::new(crate::run::PLAYSELF);
        command.arg("tune").arg(&config).arg("--run-dir").arg(fleet.bench.path(run));
        command
    };
    let here = tune("here").output().unwrap();
    assert!(here.status.success(), "{}", String::from_utf8_lossy(&here.stderr));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    let mut there = fleet.spawn("tune", tune("there").args(["--fleet", &fleet.server.url()]));
    assert_eq!(there.status("tuning", 60), 0, "{}", fleet.log("tune"));
    let trials = |run: &str| std::fs::read_to_string(fleet.bench.path(run).join("trials.csv")).unwrap();
    assert_eq!(trials("there"), trials("here"));
}
