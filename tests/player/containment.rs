//! Nothing that engines start outlives them or the harness, however it forks.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use playself::fleet::FleetConfig;
use playself::game::TimeControl;
use playself::player::{EngineSpec, Isolation, Restart, check_isolation};

use crate::fault::{fake, faultless, guardian, jobs, run, survivors, survivors_after_a_second};
use crate::machine;
use crate::signals::with_default_signals;

const MARK: &str = "PLAYSELF_TEST_MARK";
const RULE: &str = "PLAYSELF_TEST_RULE";

fn named(mut spec: EngineSpec, mark: &str) -> EngineSpec {
    spec.args.extend(["--name".to_owned(), mark.to_owned()]);
    spec
}

/// Plays `pairs` pairs of an engine with this rule against one without faults.
fn play(rule: &str, mark: &str, pairs: u64, restart: Restart) {
    let engine = EngineSpec { restart, ..named(fake(&[rule, "on eof: hang"]), mark) };
    let mut config = FleetConfig::new(vec![engine, faultless()]);
    config.guardian = Some(guardian());
    config.rules.max_moves = Some(4);
    let outcome = run(config, jobs(pairs, TimeControl::nodes(1)));
    assert_eq!(outcome.games.len() as u64, 2 * pairs, "{:?} {:?}", outcome.voids, outcome.fatal);
}

#[test]
fn rows_181_and_182_daemons_and_chains_of_processes_end_with_the_run() {
    let _machine = machine::share();
    for rule in ["on start: daemon; daemon", "on start: hopper"] {
        let mark = format!("daemon-{}-{}", rule.len(), std::process::id());
        play(rule, &mark, 1, Restart::Off);
        let left = survivors_after_a_second(&mark);
        assert!(left.is_empty(), "{rule}: {left:?}");
    }
}

#[test]
fn row_184_what_engines_leave_behind_does_not_pile_up_during_a_run() {
    let _machine = machine::share();
    let mark = format!("pile-{}", std::process::id());
    let watched = mark.clone();
    let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let ended = std::sync::Arc::clone(&done);
    let watching = std::thread::spawn(move || {
        let mut most = 0;
        while !ended.load(std::sync::atomic::Ordering::Relaxed) {
            let alive = survivors(&watched).iter().filter(|line| line.contains("--daemon")).count();
            most = most.max(alive);
            sleep(Duration::from_millis(50));
        }
        most
    });
    // 24 processes, over about four seconds.
    let engine = EngineSpec {
        restart: Restart::On,
        ..named(fake(&["on start: daemon", "on newgame: delay 150"]), &mark)
    };
    let mut config = FleetConfig::new(vec![engine, faultless()]);
    config.guardian = Some(guardian());
    config.rules.max_moves = Some(2);
    let outcome = run(config, jobs(12, TimeControl::nodes(1)));
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(outcome.games.len(), 24);
    let most = watching.join().unwrap();
    assert!((1..=14).contains(&most), "{most} of 24 were alive at once");
    assert!(survivors_after_a_second(&mark).is_empty());
}

/// Starts the ignored test below as a process that can be killed.
fn helper(mark: &str, rule: &str) -> Child {
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::plays_without_end"), "--ignored", "--nocapture"]);
    command.env(MARK, mark).env(RULE, rule).stdout(Stdio::null());
    with_default_signals(&mut command).spawn().unwrap()
}

#[test]
#[ignore = "helper process of another test"]
fn plays_without_end() {
    let [mark, rule] = [MARK, RULE].map(|name| std::env::var(name).expect("started by another test"));
    let slow = |mut spec: EngineSpec| {
        spec.args.extend(["--sleep-ms".into(), "20".into()]);
        spec
    };
    let engine = named(fake(&[&rule, "on eof: hang", "on quit: hang"]), &mark);
    let mut config = FleetConfig::new(vec![slow(engine), slow(faultless())]);
    config.guardian = Some(guardian());
    run(config, jobs(10_000, TimeControl::nodes(1)));
}

#[test]
fn rows_182_and_183_nothing_that_hides_outlives_a_harness_that_is_killed() {
    let _machine = machine::share();
    for rule in ["on start: escape", "on start: daemon", "on start: hopper"] {
        let mark = format!("escaped-{}-{}", rule.len(), std::process::id());
        let mut child = helper(&mark, rule);
        let begun = Instant::now();
        // The engine itself, and what it has started.
        let wanted = if rule.contains("escape") { 1 } else { 2 };
        while survivors(&mark).len() < wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "{rule}: {:?}", survivors(&mark));
            sleep(Duration::from_millis(10));
        }
        sleep(Duration::from_millis(200));
        kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
        child.wait().unwrap();
        let left = survivors_after_a_second(&mark);
        assert!(left.is_empty(), "{rule}: {left:?}");
    }
}

#[test]
fn row_185_engines_inherit_only_usual_and_named_variables_and_no_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = folder.path().join("engine.sh");
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!("#!/bin/sh\n{{ env; ls -l /proc/$$/fd; }} > {}\nexec {fake}\n", seen.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // Cargo sets this variable for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let secret = folder.path().join("secret");
    let open = fs::File::create(&secret).unwrap();
    nix::fcntl::fcntl(&open, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    for (named, expected) in [(&[][..], false), (&["CARGO_MANIFEST_*"], true)] {
        let mut engine = EngineSpec::uci("env", &script);
        engine.inherit_env = named.iter().map(|&name: &&str| name.to_owned()).collect();
        engine.env = vec![("GIVEN".to_owned(), "yes".to_owned())];
        let mut config = FleetConfig::new(vec![engine, faultless()]);
        config.rules.max_moves = Some(2);
        run(config, jobs(1, TimeControl::nodes(1)));
        let found = fs::read_to_string(&seen).unwrap();
        assert_eq!(found.contains("CARGO_MANIFEST_DIR="), expected, "{found}");
        assert!(found.contains("GIVEN=yes") && found.contains("PATH="), "{found}");
        assert!(!found.contains("secret"), "{found}");
    }
}

#[test]
fn row_196_an_isolated_engine_has_no_network_writes_nothing_and_leaves_nothing() {
    if let Err(why) = check_isolation() {
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {why}\n"));
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let script = folder.path().join("engine.sh");
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{}' 2>/dev/null && echo CONNECTS",
        server.local_addr().unwrap().port()
    );
    let outside = Command::new("sh").args(["-c", &connect]).output().unwrap();
    assert_eq!(outside.stdout, b"CONNECTS\n", "without isolation the server is reached");
    let report = format!(
        "{{ touch \"$0.written\" 2>/dev/null && echo WRITES; \
         touch /etc/playself-test 2>/dev/null && echo WRITES; \
         touch /tmp/playself-inside && echo own-tmp; \
         {connect}; \
         echo devices $(grep -c : /proc/net/dev); \
         kill -0 {} 2>/dev/null && echo SIGNALS; \
         echo processes $(ls /proc | grep -c '^[0-9]'); }} >&2",
        std::process::id()
    );
    fs::write(&script, format!("#!/bin/sh\n{report}\nexec {fake} \"$@\"\n")).unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mark = format!("isolated-{}", std::process::id());
    let mut engine = named(EngineSpec::uci("isolated", &script), &mark);
    engine.sandbox.isolation = Isolation::Strict;
    engine.args.extend(["--on".into(), "on start: daemon".into(), "--on".into(), "on go#3: exit 7".into()]);
    let mut config = FleetConfig::new(vec![engine, faultless()]);
    config.rules.max_moves = Some(4);
    config.guardian = Some(guardian());
    let outcome = run(config, jobs(1, TimeControl::nodes(1)));
    assert_eq!(outcome.lines()[0], "0-1 crash(exit 7)", "{:?}", outcome.fatal);
    let stderr = &outcome.bundles[0].stderr_tail;
    for wanted in ["own-tmp\n", "devices 1\n"] {
        assert!(stderr.contains(wanted), "{wanted}: {stderr}");
    }
    for forbidden in ["WRITES", "CONNECTS", "SIGNALS"] {
        assert!(!stderr.contains(forbidden), "{stderr}");
    }
    let processes: u32 = stderr.split_once("processes ").unwrap().1.lines().next().unwrap().parse().unwrap();
    assert!(processes < 10, "{stderr}");
    assert!(!std::path::Path::new("/tmp/playself-inside").exists());
    assert!(survivors_after_a_second(&mark).is_empty());
}
