//! Whole runs on a fleet: the results are those of one machine.

use std::time::Duration;

use nix::sys::signal::Signal;
use playself::fleet::nats::messages::{Message, RunNotice};

use crate::bench::{Fleet, Game, PAIRS, Played, SLOTS};
use crate::faults::connected;
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
    wait_for("the first pairs", 30, || !fleet.records("there", "pair_started").is_empty());
    let mut worker = fleet.spawn("oak", fleet.worker("oak").arg("--once"));
    assert_eq!(coordinator.status("the test", 60), status, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    assert!(!fleet.records("there", "abandoned").is_empty(), "pairs beyond the decision were in play");
    assert_eq!(worker.status("the worker", 20), 0, "{}", fleet.log("oak"));
}

#[test]
fn workers_and_coordinators_wait_for_a_server_say_so_and_leave_when_asked() {
    let Some(mut played) = Played::start() else { return };
    played.fleet.release();
    played.fleet.server.kill();
    let spawn_all = |fleet: &Fleet, run: &str| {
        let processes = [
            fleet.spawn(&format!("{run}-oak"), &mut fleet.worker("oak")),
            fleet.spawn(run, &mut fleet.coordinator(&played.config, run)),
        ];
        for log in [run, &format!("{run}-oak")] {
            wait_for("a message", 20, || fleet.log(log).contains("cannot be reached"));
            assert!(fleet.log(log).contains("; trying again"), "{}", fleet.log(log));
        }
        processes
    };
    for (mut process, status) in spawn_all(&played.fleet, "left").into_iter().zip([0, 130]) {
        process.signal(Signal::SIGINT);
        assert_eq!(process.status("a process without a server", 5), status, "{}", played.fleet.log("left"));
    }
    assert!(!played.fleet.bench.path("left").exists(), "nothing was played");
    let [_oak, mut coordinator] = spawn_all(&played.fleet, "there");
    played.fleet.server.restart();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", played.fleet.log("there"));
    played.assert_same("there");
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
    wait_for("the notices of both runs", 20, || {
        ["low", "high"].iter().all(|run| !fleet.records(run, "pair_started").is_empty())
    });
    connected(&fleet, async |connection| {
        let mut offered = 0;
        while offered < 2 {
            offered = 0;
            for run in connection.runs().await.unwrap() {
                let notice = connection.notice(&run).await.unwrap();
                offered += notice.map_or(0, |(_, bytes)| RunNotice::decode(&bytes).unwrap().waiting.min(1));
            }
        }
    });
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
fn a_run_of_a_higher_priority_takes_over_busy_workers() {
    let Some(fleet) = Fleet::start() else { return };
    fleet.hold();
    let low = fleet.config("low", &Game { pairs: 30, ..Game::default() });
    let high = fleet.bench.path("high.toml");
    let text = std::fs::read_to_string(&low).unwrap().replace("[fleet]", "[fleet]\npriority = 5");
    std::fs::write(&high, text.replace("max_pairs = 30", "max_pairs = 4")).unwrap();
    let mut first = fleet.spawn("low", &mut fleet.coordinator(&low, "low"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("low", 2, SLOTS);
    let mut second = fleet.spawn("high", &mut fleet.coordinator(&high, "high"));
    wait_for("the pairs of the other run", 30, || !fleet.records("high", "pair_started").is_empty());
    // The games of both runs go on slowly.
    wait_for("the run of the higher priority", 60, || {
        fleet.permit(1);
        std::thread::sleep(Duration::from_millis(50));
        !second.is_alive()
    });
    assert_eq!(second.status("the run of the higher priority", 60), 0, "{}", fleet.log("high"));
    assert!(first.is_alive() && fleet.rows("low") < 30, "it had to wait for the end of the other run");
    fleet.release();
    assert_eq!(first.status("the other run", 60), 0, "{}", fleet.log("low"));
}

#[test]
fn runs_of_the_same_priority_take_turns() {
    let Some(fleet) = Fleet::start() else { return };
    fleet.hold();
    let one = fleet.config("one", &Game { pairs: 60, ..Game::default() });
    let other = fleet.config("other", &Game { pairs: 60, ..Game::default() });
    let mut processes = [("one", &one), ("other", &other)]
        .map(|(run, config)| fleet.spawn(run, &mut fleet.coordinator(config, run)));
    wait_for("the pairs of both runs", 30, || {
        ["one", "other"].iter().all(|run| !fleet.records(run, "pair_started").is_empty())
    });
    let _oak = fleet.spawn("oak", fleet.worker("oak").args(["--turn", "0.3"]));
    let claimed = || ["one", "other"].map(|run| fleet.records(run, "claimed").len());
    // The games go on slowly, so that many turns pass before a run is over.
    wait_for("a change of runs", 60, || {
        fleet.permit(1);
        std::thread::sleep(Duration::from_millis(150));
        claimed().iter().all(|claims| *claims > 0)
    });
    assert!(claimed().iter().all(|claims| *claims < 60), "{:?}", claimed());
    fleet.release();
    for process in &mut processes {
        assert_eq!(process.status("a run", 90), 0, "{}{}", fleet.log("one"), fleet.log("other"));
    }
    let (one, other) = (claims(&fleet, "one"), claims(&fleet, "other"));
    assert!(one.0 < other.1 && other.0 < one.1, "{one:?} {other:?}");
}

#[test]
fn a_banned_worker_loses_its_pair_and_a_freed_one_plays_again() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.single_worker_at("oak", &fleet.server.url()));
    fleet.play("there", 2, 1);
    let order = |order: &str, worker: &str| {
        let mut command = std::process::Command::new(crate::run::PLAYSELF);
        command.args(["fleet", order]).arg(fleet.bench.path("there")).arg(worker).output().unwrap()
    };
    let unknown = order("ban", "oka");
    assert_eq!(unknown.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&unknown.stdout).contains("no worker oka"), "{unknown:?}");
    let banned = order("ban", "oak");
    assert!(banned.status.success(), "{}", String::from_utf8_lossy(&banned.stderr));
    wait_for("the banned worker with its results in the status", 30, || {
        let mut status = std::process::Command::new(crate::run::PLAYSELF);
        let status = status.args(["fleet", "status", &fleet.server.url(), "--listen", "1", "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.output().unwrap().stdout).unwrap();
        let member = &status["runs"][0]["workers"][0];
        assert_eq!((&member["name"], &member["state"]), (&"oak".into(), &"excluded: it was banned".into()));
        member["pairs"].as_u64() >= Some(2) && member["residual"].is_number()
    });
    let mut elm = fleet.spawn("elm", &mut fleet.roomy_worker("elm"));
    wait_for("the pair of oak on elm", 20, || fleet.claimed_by_both("oak", "elm") == 1);
    wait_for("the other pairs on elm", 20, || fleet.held() + fleet.rows("there") == 1 + PAIRS as usize);
    elm.signal(Signal::SIGINT);
    wait_for("the note of elm", 20, || fleet.log("elm").contains("finishing the pairs in play"));
    elm.signal(Signal::SIGINT);
    assert_eq!(elm.status("elm", 20), 130);
    assert!(order("free", "oak").status.success());
    fleet.release();
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
