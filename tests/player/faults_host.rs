//! Faults of the host, and the processes and folders that remain after them; each case in its own process.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::fault::{fake, faultless, guardian, jobs, run, survivors};
use crate::machine;
use crate::signals::with_default_signals;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use playself::fleet::{Fleet, FleetConfig, FleetError, FleetEvent, LocalFleet};
use playself::game::{TimeControl, VoidReason};
use playself::player::{EngineSpec, WorkingDir};

const MARK: &str = "PLAYSELF_TEST_MARK";

/// Starts one of the ignored tests below as a process that can be killed, stopped or limited.
fn helper(test: &str, mark: &str) -> Child {
    let (_, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::{test}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--ignored", "--nocapture"]).env(MARK, mark).stdout(Stdio::null());
    with_default_signals(&mut command).spawn().unwrap()
}

fn mark() -> String {
    std::env::var(MARK).expect("this helper is started by another test, with a mark")
}

fn named(mut spec: EngineSpec, mark: &str) -> EngineSpec {
    spec.args.extend(["--name".to_owned(), mark.to_owned()]);
    spec
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
#[ignore = "helper process of another test"]
fn plays_without_end() {
    let stubborn = fake(&["on eof: hang", "on start: block-term; fork 1; fork-session", "on quit: hang"]);
    let stubborn = EngineSpec { dir: WorkingDir::Private, ..named(stubborn, &mark()) };
    let slow = |mut spec: EngineSpec| {
        spec.args.extend(["--sleep-ms".into(), "30".into()]);
        spec
    };
    let mut config = FleetConfig::new(vec![slow(stubborn), slow(named(faultless(), &mark()))]);
    config.concurrency = 3;
    config.guardian = Some(guardian());
    run(config, jobs(1000, TimeControl::nodes(1)));
}

#[test]
fn no_engine_or_folder_survives_when_the_harness_dies_by_a_signal() {
    let _machine = machine::share();
    for signal in [Signal::SIGKILL, Signal::SIGTERM, Signal::SIGHUP] {
        let mark = format!("survivor-{signal}-{}", std::process::id());
        let mut child = helper("plays_without_end", &mark);
        // Three boards with two engines each, and two children of each stubborn engine.
        wait_until("all engines run", || survivors(&mark).len() >= 12);
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        child.wait().unwrap();
        sleep(Duration::from_millis(1000));
        let left = survivors(&mark);
        assert!(left.is_empty(), "rows 44 and 57, {signal}: {left:#?}");
        let ours = format!("playself-{:x}-", child.id());
        let folders = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        let left = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count();
        assert_eq!(left, 0, "{signal}: private folders");
    }
}

/// During `exec` a process has neither environment nor command line for a moment, so a single look at it, by the harness
/// or by this test, proves nothing. This grandchild calls `exec` all the time.
#[test]
fn row_44_a_grandchild_that_is_in_the_middle_of_exec_is_found_and_killed() {
    let mark = format!("reborn-{}", std::process::id());
    for attempt in 0..25 {
        let elusive = named(fake(&["on go#1: fork-reborn 3000; exit 1"]), &mark);
        let outcome = run(FleetConfig::new(vec![elusive, faultless()]), jobs(1, TimeControl::nodes(1)));
        assert_eq!(outcome.lines(), ["0-1 crash(exit 1)", "1-0 crash(exit 1)"], "{attempt}: {outcome:#?}");
        for look in 0..10 {
            let left = survivors(&mark);
            assert!(left.is_empty(), "attempt {attempt}, look {look}: {left:?}");
            sleep(Duration::from_millis(2));
        }
    }
}

#[test]
#[ignore = "helper process of another test"]
fn is_stopped_and_continued() {
    // Each move takes 60 of 400 ms: a stop of one second would lose any game on time, a busy machine none.
    let limits = TimeControl { margin_ms: 40, ..TimeControl::movetime(400) };
    let slow = || named(EngineSpec { args: vec!["--sleep-ms".into(), "60".into()], ..faultless() }, &mark());
    let mut config = FleetConfig::new(vec![slow(), slow()]);
    config.rules.max_moves = Some(20);
    let outcome = run(config, jobs(2, limits));
    assert!(
        outcome.voids.iter().any(|reason| matches!(reason, VoidReason::Suspended { .. })),
        "the pair in progress is void: {:?} {:?}",
        outcome.voids,
        outcome.lines()
    );
    assert!(outcome.lines().iter().all(|line| line == "1/2-1/2 max_moves"), "{:?}", outcome.lines());
}

#[test]
fn games_in_progress_are_void_after_the_harness_was_suspended() {
    let _machine = machine::share();
    let mark = format!("stopped-{}", std::process::id());
    let mut child = helper("is_stopped_and_continued", &mark);
    let pid = Pid::from_raw(child.id() as i32);
    wait_until("a game runs", || survivors(&mark).len() >= 2);
    sleep(Duration::from_millis(500));
    kill(pid, Signal::SIGSTOP).unwrap();
    sleep(Duration::from_millis(1000));
    kill(pid, Signal::SIGCONT).unwrap();
    assert!(child.wait().unwrap().success(), "row 58: see the message of the helper above");
}

#[test]
#[ignore = "helper process of another test"]
fn runs_out_of_descriptors() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut config = FleetConfig::new(vec![faultless(), faultless()]);
        config.concurrency = 8;
        config.rules.max_moves = Some(4);
        let mut fleet = LocalFleet::start(config).unwrap();
        let open = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
        setrlimit(Resource::RLIMIT_NOFILE, open + 24, open + 24).unwrap();
        for job in jobs(16, TimeControl::nodes(1)) {
            fleet.submit(job);
        }
        let (mut voids, mut pairs, mut warnings) = (0, 0, Vec::new());
        while voids + pairs < 16 {
            match fleet.next_event().await.unwrap() {
                FleetEvent::Voided { reason, .. } => {
                    assert!(matches!(reason, VoidReason::Resources { .. }), "{reason:?}");
                    voids += 1;
                }
                FleetEvent::PairFinished(pair) => {
                    assert!(pair.games.iter().all(|game| game.ending.termination.kind() == "max_moves"));
                    pairs += 1;
                }
                FleetEvent::EngineFatal(fatal) => panic!("blamed an engine: {fatal}"),
                FleetEvent::Failed(why) => panic!("gave up: {why}"),
                FleetEvent::Warning(text) => warnings.push(text),
                _ => {}
            }
        }
        // Slots wait for each other; one that waits for too long gives its pair back.
        assert!(pairs > 0 && warnings.iter().any(|text| text.contains("the run waits")), "{warnings:?}");
        assert!(voids == 0 || fleet.concurrency() < 8, "{voids} void, {} at once", fleet.concurrency());
        fleet.close().await;
    });
}

#[test]
fn when_the_system_refuses_processes_slots_wait_and_no_engine_loses() {
    let status = helper("runs_out_of_descriptors", "descriptors").wait().unwrap();
    assert!(status.success(), "rows 53 and 54 at run time: see the message of the helper above");
}

#[test]
fn more_games_than_descriptors_are_refused_before_the_first() {
    let mut config = FleetConfig::new(vec![faultless(), faultless()]);
    config.concurrency = 1_000_000_000;
    let refused = LocalFleet::start(config).unwrap_err();
    assert!(matches!(refused, FleetError::TooFewDescriptors { possible, .. } if possible > 1), "row 53");
}

#[test]
fn a_fleet_can_be_resized_drained_and_killed() {
    let _machine = machine::share();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mark = format!("killed-{}", std::process::id());
    runtime.block_on(async {
        let slow =
            |ms: &str| named(EngineSpec { args: vec!["--sleep-ms".into(), ms.into()], ..faultless() }, &mark);
        let mut config = FleetConfig::new(vec![slow("2"), slow("2")]);
        config.concurrency = 4;
        config.rules.max_moves = Some(10);
        let mut fleet = LocalFleet::start(config).unwrap();
        jobs(30, TimeControl::nodes(1)).into_iter().for_each(|job| fleet.submit(job));
        let (mut pairs, mut voids) = (Vec::new(), 0);
        let mut changes = [(4, 1), (8, 6), (12, 2)].into_iter().peekable();
        while pairs.len() < 20 {
            if let FleetEvent::PairFinished(pair) = fleet.next_event().await.unwrap() {
                pairs.push(pair.id.index);
                if let Some((_, concurrency)) = changes.next_if(|(at, _)| pairs.len() >= *at) {
                    fleet.set_concurrency(concurrency).unwrap();
                    assert_eq!(fleet.concurrency(), concurrency);
                }
            }
            assert!(fleet.live().len() <= 6);
        }
        fleet.kill_now();
        while pairs.len() + voids < 30 {
            match fleet.next_event().await.unwrap() {
                FleetEvent::PairFinished(pair) => pairs.push(pair.id.index),
                FleetEvent::Voided { reason, .. } => {
                    assert_eq!(reason, VoidReason::Cancelled);
                    voids += 1;
                }
                _ => {}
            }
        }
        fleet.close().await;
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len() + voids, 30, "every pair has one outcome");
    });
    assert!(survivors(&mark).is_empty());
}

#[test]
#[ignore = "helper process of another test"]
fn is_flooded() {
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    let play = |rule: &str| {
        let mut flooding = fake(&[rule]);
        flooding.timeouts.move_cap = Duration::from_secs(10);
        let mut config = FleetConfig::new(vec![flooding, faultless()]);
        config.rules.max_moves = Some(4);
        run(config, jobs(1, TimeControl::nodes(1))).lines()
    };
    assert_eq!(play("on go#2: flood 200000; write \\n; play"), ["1/2-1/2 max_moves"; 2]);
    let before = peak();
    for rule in ["on go#2: flood 100000000; hang", "on go#2: lines 5000000 info depth 9 score cp 1; hang"] {
        assert_eq!(play(rule), ["0-1 protocol(flood)", "1-0 protocol(flood)"]);
    }
    let grown = peak() - before;
    assert!(grown < 1024, "memory grew by {grown} KiB while an engine wrote a hundred megabytes");
}

#[test]
fn row_22_a_line_without_an_end_takes_no_memory() {
    let _machine = machine::reserve();
    let status = helper("is_flooded", "flood").wait().unwrap();
    assert!(status.success(), "see the message of the helper above");
}

/// No decision depends on the time of day, so a clock that is set during a run changes only tags, folder names and times
/// in the journal.
#[test]
fn row_60_the_time_of_day_is_read_for_records_only() {
    let mut readers = Vec::new();
    let mut folders = vec![std::path::PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).is_ok_and(|text| text.contains("SystemTime")) {
                readers.push(path.display().to_string());
            }
        }
    }
    readers.retain(|path| {
        ["game", "player", "fleet", "stats", "tuning"]
            .iter()
            .any(|room| path.starts_with(&format!("src/{room}/")))
    });
    readers.sort();
    // The start time of a game, a unique name for a run, and when a worker last used a file.
    let records = ["src/fleet/nats/cache.rs", "src/fleet/nats/objects.rs", "src/fleet/slot.rs"];
    assert_eq!(readers[..3], records);
    assert_eq!(readers[3..], ["src/player/process/run_mark.rs"]);
    let slot = std::fs::read_to_string("src/fleet/slot.rs").unwrap();
    assert_eq!(slot.matches("SystemTime::now").count(), 1);
}
