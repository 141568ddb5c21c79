//! Placement of games: each on its own processor while there are enough, otherwise on any.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::fault::{fake, jobs, survivors};
use playself::fleet::{Fleet, FleetConfig, FleetEvent, LocalFleet, Placement};
use playself::game::TimeControl;
use playself::player::EngineSpec;

/// An engine that is slow enough to be observed.
fn engine(mark: &str, rules: &[&str]) -> EngineSpec {
    let mut spec = fake(rules);
    spec.args.extend(["--sleep-ms", "5", "--name", mark].map(str::to_owned));
    spec
}

/// The processors that each running engine with this mark may use.
fn allowed(mark: &str) -> Vec<String> {
    let running = survivors(mark);
    let pids = running.iter().filter_map(|line| line.split(':').next());
    let status = pids.filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok());
    status
        .filter_map(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            line.map(|list| list.trim().to_owned())
        })
        .collect()
}

/// The processors of all engines of a fleet, once every board has its two engines and `pairs` pairs are finished.
async fn places(fleet: &mut LocalFleet, mark: &str, concurrency: usize, pairs: usize) -> Vec<String> {
    let (begun, mut done) = (Instant::now(), 0);
    loop {
        let soon = tokio::time::timeout(Duration::from_millis(10), fleet.next_event());
        if let Ok(Some(FleetEvent::PairFinished(_))) = soon.await {
            done += 1;
        }
        let found = allowed(mark);
        if done >= pairs && found.len() == 2 * concurrency {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{done} pairs, {found:?}");
    }
}

fn fleet(mark: &str, concurrency: usize, placement: Placement, rules: &[&str]) -> LocalFleet {
    let mut config = FleetConfig::new(vec![engine(mark, rules), engine(mark, rules)]);
    (config.concurrency, config.placement) = (concurrency, placement);
    // A separate pool, so that other runs on this machine do not matter.
    config.processor_pool = mark.to_owned();
    config.rules.max_moves = Some(4);
    let mut fleet = LocalFleet::start(config).unwrap();
    jobs(2000, TimeControl::nodes(1)).into_iter().for_each(|job| fleet.submit(job));
    fleet
}

#[tokio::test]
async fn each_game_has_a_processor_of_its_own_while_there_are_enough() {
    let processors = std::thread::available_parallelism().unwrap().get();
    for (name, concurrency, placement, rules, bound) in [
        ("one", 1, Placement::Auto, &[][..], true),
        ("all", processors, Placement::Auto, &[], true),
        ("too-many", processors + 1, Placement::Auto, &[], false),
        ("refused", 1, Placement::Off, &[], false),
        (
            "threads",
            1,
            Placement::Auto,
            &["on uci: write option name Threads type spin default 64 min 1 max 64\\nuciok\\n"],
            false,
        ),
    ] {
        let mark = format!("place-{name}-{}", std::process::id());
        let mut fleet = fleet(&mark, concurrency, placement, rules);
        let found = places(&mut fleet, &mark, concurrency, 1).await;
        let distinct: BTreeSet<_> = found.iter().collect();
        if bound {
            assert!(found.iter().all(|list| list.parse::<usize>().is_ok()), "{name}: {found:?}");
            assert_eq!(distinct.len(), concurrency, "{name}: two engines on each: {found:?}");
        } else {
            let own = allowed_for_this_process();
            assert!(found.iter().all(|list| *list == own), "{name}: {found:?}, all of {own}");
        }
        fleet.kill_now();
        fleet.close().await;
    }
}

#[tokio::test]
async fn games_are_unbound_above_the_number_of_processors_and_bound_again_below() {
    let processors = std::thread::available_parallelism().unwrap().get();
    let mark = format!("place-change-{}", std::process::id());
    let mut fleet = fleet(&mark, 1, Placement::Auto, &[]);
    let bound = |found: &[String]| found.iter().all(|list| list.parse::<usize>().is_ok());
    assert!(bound(&places(&mut fleet, &mark, 1, 1).await));
    fleet.set_concurrency(processors + 1).unwrap();
    let found = places(&mut fleet, &mark, processors + 1, 3 * processors).await;
    let own = allowed_for_this_process();
    assert!(found.iter().all(|list| *list == own), "{found:?}");
    fleet.set_concurrency(1).unwrap();
    let found = places(&mut fleet, &mark, 1, processors + 2).await;
    assert!(bound(&found), "{found:?}");
    fleet.kill_now();
    fleet.close().await;
}

fn allowed_for_this_process() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned()
}
