//! Tests of the warnings about unfair plans.

use super::*;
use crate::opening::{Order, Share};
use crate::player::Restart;
use crate::run::BookPlan;
use crate::run::RunKind;
use crate::store::FileHash;

fn file(path: &str) -> FileHash {
    FileHash { path: path.into(), sha256: path.to_owned() }
}

/// Two engines at fixed nodes with a book, one game at a time.
fn plan(change: impl FnOnce(&mut [PlannedEngine; 2])) -> Plan {
    let book = BookPlan {
        file: file("book"),
        order: Order::Random,
        share: Share::Whole,
        start: 1,
        take: None,
        plies: None,
        variant: None,
    };
    let mut plan =
        Plan { kind: RunKind::Match { pairs: 9 }, openings: Some(book), ..Plan::sample(["a", "b"]) };
    for engine in &mut plan.engines {
        engine.files = vec![file(&engine.named)];
    }
    change(plan.engines.as_mut_slice().try_into().unwrap());
    plan
}

fn facts(options: &[(&str, &str)]) -> EngineFacts {
    let standing = options.iter().map(|(name, value)| EngineOption::new(*name, *value)).collect();
    EngineFacts { standing, ..EngineFacts::default() }
}

fn set_option(engine: &mut PlannedEngine, name: &str, value: &str) {
    engine.spec.options.push(EngineOption::new(name, value));
}

#[test]
fn what_engines_declare_is_compared_where_nothing_is_written() {
    let found = fairness(
        &plan(|_| ()),
        &[facts(&[("Hash", "128"), ("Move Overhead", "30")]), facts(&[("Hash", "32"), ("Threads", "2")])],
        8,
    );
    let warnings = [
        "Hash is 128 by default for a, 32 by default for b",
        "Threads is 1 by default for a, 2 by default for b",
    ];
    assert_eq!((found.warnings.as_slice(), found.notes.len()), (warnings.map(String::from).as_slice(), 0));
}

#[test]
fn a_value_that_is_the_others_default_is_no_difference() {
    let plan = plan(|[one, _]| set_option(one, "hash", "16"));
    let same = [facts(&[("Hash", "16")]), facts(&[("Hash", "16")])];
    assert_eq!(fairness(&plan, &same, 8), Fairness::default());
    let other = [facts(&[("Hash", "16")]), facts(&[("Hash", "32")])];
    assert_eq!(fairness(&plan, &other, 8).warnings, ["Hash is 16 for a, 32 by default for b"]);
    assert_eq!(fairness(&plan, &[], 8).warnings, ["Hash is 16 for a, its default for b"]);
}

#[test]
fn a_difference_that_is_written_for_both_is_noted_and_not_doubted() {
    let odds = |own: &[OwnSetting], others: &[OwnSetting]| {
        let plan = plan(|[one, other]| {
            set_option(one, "Hash", "16");
            set_option(other, "Hash", "64");
            one.limits.depth = Some(2);
            one.spec.restart = Restart::On;
            (one.own, other.own) = (own.to_vec(), others.to_vec());
        });
        let Fairness { warnings, notes } = fairness(&plan, &[], 8);
        (warnings.len(), notes.len())
    };
    let all = [OwnSetting::Limits, OwnSetting::Restart];
    assert_eq!(odds(&all, &all), (0, 3));
    assert_eq!(odds(&all, &[]), (2, 1), "what is written for one alone may be a slip");
    assert_eq!(odds(&all, &all[..1]), (1, 2));
}

#[test]
fn more_games_than_processors_are_doubted_where_a_clock_runs() {
    let clocked = |concurrency, clock: Option<&str>| {
        let mut plan = plan(|engines| {
            for engine in engines {
                engine.limits.clock = clock.map(|clock| clock.parse().unwrap());
            }
        });
        plan.concurrency = concurrency;
        plan
    };
    let threads = [facts(&[("Threads", "2")]), facts(&[("Threads", "2")])];
    assert_eq!(oversubscription(&clocked(8, None), &threads, 2), None, "nodes and depth wait");
    assert_eq!(oversubscription(&clocked(2, Some("1+0.1")), &[], 2), None);
    let why = oversubscription(&clocked(8, Some("1+0.1")), &[], 2).unwrap();
    assert!(why.starts_with("8 games at once need 8 processors, 2 are available"), "{why}");
    assert!(why.contains("--concurrency 2 "), "{why}");
    let why = oversubscription(&clocked(2, Some("1+0.1")), &threads, 3).unwrap();
    assert!(why.contains("need 4 processors") && why.contains("--concurrency 1 "), "{why}");
    let mut few = clocked(8, Some("1+0.1"));
    few.kind = RunKind::Match { pairs: 2 };
    assert_eq!(oversubscription(&few, &[], 2), None, "no more games at once than there are pairs");
}

#[test]
fn a_clock_with_a_larger_increment_than_time_is_probably_swapped() {
    let with = |clock: &str| {
        let clock = Some(clock.parse().unwrap());
        let plan = plan(|engines| engines.iter_mut().for_each(|engine| engine.limits.clock = clock));
        fairness(&plan, &[facts(&[]), facts(&[])], 8).warnings
    };
    assert_eq!(
        with("0.08+8"),
        ["the increment of a is larger than its time (0.08+8); a clock is TIME+INCREMENT"]
    );
    for usual in ["8+0.08", "0+1", "1+1"] {
        assert_eq!(with(usual), [""; 0], "{usual}");
    }
}
