//! Many games at once, and many games in a row. Slow, and therefore run by `just soak-harness` only.

use crate::fault::{fake, faultless, jobs, run};
use playself::fleet::FleetConfig;
use playself::game::TimeControl;
use playself::player::EngineSpec;

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Resident memory of this process in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Number of child processes, running or not yet reaped.
fn children() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}

#[test]
#[ignore = "a thousand processes for half a minute"]
fn five_hundred_games_at_once_have_no_time_forfeit_caused_by_the_harness() {
    let slow = || EngineSpec { args: vec!["--sleep-ms".into(), "450".into()], ..faultless() };
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
        let mut config = FleetConfig::new(vec![fake(&[]), faultless()]);
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
        assert_eq!(children(), 0, "no engine remains, not even as a zombie");
    }
    // The memory that the allocator has returned by the end of a round varies by megabytes, so many rounds are compared.
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    let (before, after) = (median(&held[..25]), median(&held[75..]));
    assert!(after < before + 2048, "memory grew from {before} to {after} KiB");
}
