//! Whole runs on a fleet: the results are those of one machine.

use crate::bench::{Fleet, Game, Played, SLOW};
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
#[ignore = "real servers and processes under faults; `just test-fleet`"]
fn row_238_a_test_is_decided_as_on_one_machine_and_pairs_in_play_are_dropped() {
    let Some(fleet) = Fleet::start() else { return };
    // Nearly all games are drawn at the move limit, so the test ends after a few pairs.
    let rest = "[sprt]\nelo = [200.0, 400.0]";
    let config = fleet.config("test", &Game { pairs: 500, sleep_ms: 2, rest });
    let status = fleet.play_here(&config, "here");
    assert_eq!(status, 1);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    wait_for("the first pairs", 30, || !fleet.records("there", "pair_started").is_empty());
    let mut worker = fleet.spawn("oak", fleet.worker("oak").arg("--once"));
    assert_eq!(coordinator.status("the test", 60), status, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    assert!(!fleet.records("there", "abandoned").is_empty(), "pairs beyond the decision were in play");
    assert_eq!(worker.status("the worker", 20), 0, "{}", fleet.log("oak"));
}

#[test]
#[ignore = "real servers and processes under faults; `just test-fleet`"]
fn two_runs_share_a_worker_by_priority() {
    let Some(fleet) = Fleet::start() else { return };
    let low = fleet.config("low", &Game { pairs: 6, ..Game::default() });
    let text = std::fs::read_to_string(&low).unwrap().replace("[fleet]", "[fleet]\npriority = 5");
    let high = fleet.bench.path("high.toml");
    std::fs::write(&high, text).unwrap();
    let mut first = fleet.spawn("low", &mut fleet.coordinator(&low, "low"));
    let mut second = fleet.spawn("high", &mut fleet.coordinator(&high, "high"));
    wait_for("the notices of both runs", 20, || {
        ["low", "high"].iter().all(|run| !fleet.records(run, "pair_started").is_empty())
    });
    std::thread::sleep(std::time::Duration::from_millis(700));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(second.status("the run of the higher priority", 60), 0, "{}", fleet.log("high"));
    assert_eq!(first.status("the other run", 60), 0, "{}", fleet.log("low"));
    let first_of = |run: &str| fleet.records(run, "claimed")[0]["at"].as_u64().unwrap();
    assert!(first_of("high") < first_of("low"));
}

/// Times of the first and the last claim of a run.
fn claims(fleet: &Fleet, run: &str) -> (u64, u64) {
    let claims = fleet.records(run, "claimed");
    let at = |claim: Option<&serde_json::Value>| claim.unwrap()["at"].as_u64().unwrap();
    (at(claims.first()), at(claims.last()))
}

#[test]
#[ignore = "real servers and processes under faults; `just test-fleet`"]
fn a_run_of_a_higher_priority_takes_over_busy_workers() {
    let Some(fleet) = Fleet::start() else { return };
    let low = fleet.config("low", &Game { pairs: 30, ..SLOW });
    let high = fleet.bench.path("high.toml");
    let text = std::fs::read_to_string(&low).unwrap().replace("[fleet]", "[fleet]\npriority = 5");
    std::fs::write(&high, text.replace("max_pairs = 30", "max_pairs = 4")).unwrap();
    let mut first = fleet.spawn("low", &mut fleet.coordinator(&low, "low"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    wait_for("the first pairs", 30, || fleet.rows("low") >= 2);
    let mut second = fleet.spawn("high", &mut fleet.coordinator(&high, "high"));
    assert_eq!(second.status("the run of the higher priority", 60), 0, "{}", fleet.log("high"));
    assert!(first.is_alive() && fleet.rows("low") < 30, "it had to wait for the end of the other run");
    assert_eq!(first.status("the other run", 60), 0, "{}", fleet.log("low"));
}

#[test]
#[ignore = "real servers and processes under faults; `just test-fleet`"]
fn runs_of_the_same_priority_take_turns() {
    let Some(fleet) = Fleet::start() else { return };
    let one = fleet.config("one", &Game { pairs: 20, ..SLOW });
    let other = fleet.config("other", &Game { pairs: 20, ..SLOW });
    let mut processes = [("one", &one), ("other", &other)]
        .map(|(run, config)| fleet.spawn(run, &mut fleet.coordinator(config, run)));
    let _oak = fleet.spawn("oak", fleet.worker("oak").args(["--turn", "0.3"]));
    for process in &mut processes {
        assert_eq!(process.status("a run", 90), 0, "{}{}", fleet.log("one"), fleet.log("other"));
    }
    let (one, other) = (claims(&fleet, "one"), claims(&fleet, "other"));
    assert!(one.0 < other.1 && other.0 < one.1, "{one:?} {other:?}");
}

#[test]
#[ignore = "real servers and processes under faults; `just test-fleet`"]
fn a_banned_worker_loses_its_pairs_and_a_freed_one_plays_again() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    played.wait_for_rows(2);
    let order = |order: &str| {
        let mut command = std::process::Command::new(crate::run::PLAYSELF);
        command.args(["fleet", order]).arg(fleet.bench.path("there")).arg("oak").output().unwrap()
    };
    let banned = order("ban");
    assert!(banned.status.success(), "{}", String::from_utf8_lossy(&banned.stderr));
    let elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    wait_for("a pair of oak on elm", 20, || fleet.claimed_by_both("oak", "elm") > 0);
    elm.signal(nix::sys::signal::Signal::SIGINT);
    assert!(order("free").status.success());
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    let claims = fleet.records("there", "claimed");
    assert_eq!(claims.last().unwrap()["worker"], "oak", "it plays again");
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
