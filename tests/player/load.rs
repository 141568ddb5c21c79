//! Many games at once, and many games after each other. Slow, so run by hand: `just soak-harness`.

use crate::fault::{fake, jobs, run, sound};
use playself::fleet::FleetConfig;
use playself::game::TimeControl;
use playself::player::EngineSpec;

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Our resident memory, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Processes that are still our children, dead or alive.
fn children() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}

#[test]
#[ignore = "a thousand processes for half a minute"]
fn five_hundred_games_at_once_have_no_time_forfeit_caused_by_the_harness() {
    let slow = || EngineSpec { args: vec!["--sleep-ms".into(), "450".into()], ..sound() };
    let mut config = FleetConfig::new(vec![slow(), slow()]);
    config.concurrency = 512;
    config.rules.max_moves = Some(4);
    let outcome = run(config, jobs(512, TimeControl { margin_ms: 50, ..TimeControl::movetime(500) }));
    assert_eq!(outcome.pairs.len(), 512);
    let late: Vec<_> = outcome.lines().into_iter().filter(|line| line.contains("time")).collect();
    assert!(late.is_empty(), "{} of 1024 games: {:?}", late.len(), outcome.bundles.first());
}

#[test]
#[ignore = "a hundred thousand games"]
fn memory_descriptors_and_processes_stay_flat_over_many_games() {
    let play = |pairs| {
        let mut config = FleetConfig::new(vec![fake(&[]), sound()]);
        config.concurrency = 2;
        config.rules.max_moves = Some(10);
        let outcome = run(config, jobs(pairs, TimeControl::nodes(1)));
        assert_eq!(outcome.pairs.len() as u64, pairs);
    };
    play(500);
    let descriptors = count("/proc/self/fd");
    let mut held = Vec::new();
    for _ in 0..100 {
        play(500);
        held.push(memory());
        assert_eq!(count("/proc/self/fd"), descriptors, "descriptors");
        assert_eq!(children(), 0, "no engine stays behind, not even as a zombie");
    }
    // What the allocator has given back by the end of a round differs by megabytes, so many rounds are compared.
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    let (before, after) = (median(&held[..25]), median(&held[75..]));
    assert!(after < before + 2048, "memory grew from {before} to {after} KiB");
}
