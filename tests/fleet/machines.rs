//! Machines that cannot play a run, slow down, hang or have a full disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use playself::failpoint;

use crate::bench::{Fleet, Game, Played, QUICK, SLOTS};
use crate::nats::{NatsServer, Proxy};
use crate::run::{FAKE, wait_for};

/// A disk of a few megabytes, seen by this thread and the processes that it starts. `None` where that is not allowed.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
fn small_disk(place: &Path, megabytes: u64) -> Option<()> {
    fs::create_dir_all(place).unwrap();
    let (none, private) = (None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE);
    let size = format!("size={megabytes}m");
    let mounted = unshare(CloneFlags::CLONE_NEWNS)
        .and_then(|()| mount(none, "/", none, private, none))
        .and_then(|()| mount(Some("tmpfs"), place, Some("tmpfs"), MsFlags::empty(), Some(size.as_str())));
    if let Err(why) = mounted {
        eprintln!("skipped: this system does not allow mounting a tmpfs ({why})");
        return None;
    }
    Some(())
}

/// Fills the disk of a folder to its last page; returns the file that does it. Called again, it takes what was freed.
fn fill(place: &Path) -> PathBuf {
    use std::io::Write;
    let path = place.join("filler");
    let mut file = fs::File::options().create(true).append(true).open(&path).unwrap();
    for size in [1 << 20, 4096] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    path
}

/// An engine that is a script: what it does depends on files of this machine.
fn script(fleet: &Fleet, lines: &str) -> PathBuf {
    let path = fleet.bench.path("engine.sh");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A run file whose baseline is this program.
fn with_baseline(fleet: &Fleet, program: &Path, limits: &str, pairs: u64) -> PathBuf {
    let text = format!(
        "name = \"match\"\nseed = 5\n[candidate]\nengine = {:?}\nname = \"new\"\nargs = [\"--permits\", {:?}]\n\
         [baseline]\nengine = \"{}\"\nname = \"old\"\nrestart = \"on\"\n\
         [games]\n{limits}\nopenings = \"{}\"\nmax_pairs = {pairs}\nconcurrency = 1\n\
         [adjudicate]\nmax_moves = 8\n{QUICK}\n",
        fleet.engine(),
        fleet.bench.path("permits"),
        program.display(),
        fleet.bench.path("book.epd").display(),
    );
    let path = fleet.bench.path("match.toml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
#[ignore = "takes 10 s; `just test-fleet`"]
fn row_208_a_game_that_hangs_on_a_live_worker_is_void_and_played_again() {
    let Some(fleet) = Fleet::start() else { return };
    let limits = "start_s = 1.0\nready_s = 0.5\nnew_game_s = 0.5\nmove_cap_s = 1.0\n";
    let config = fleet.config("match", &Game::default());
    let text = fs::read_to_string(&config).unwrap();
    let text = text.replace("[baseline]\n", &format!("{limits}[baseline]\n{limits}"));
    fs::write(&config, text).unwrap();
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _oak = fleet.spawn("oak", fleet.worker("oak").env(failpoint::VARIABLE, "game-hangs:3"));
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    let voids = fleet.records("there", "void");
    assert_eq!((voids.len(), &voids[0]["by"]), (1, &"oak".into()), "{voids:?}");
    assert!(voids[0].to_string().contains("no move in 6 s on worker oak"), "{voids:?}");
    fleet.assert_same("there", "here");
}

#[test]
fn row_217_a_server_with_a_full_disk_delays_the_run_and_costs_nothing() {
    let Some(mut played) = Played::start() else { return };
    let store = played.fleet.bench.path("store");
    let Some(()) = small_disk(&store, 256) else { return };
    let config = played.fleet.bench.path("full.conf");
    fs::write(&config, format!("jetstream {{ store_dir: {store:?}, max_file: 200000000 }}")).unwrap();
    played.fleet.server = NatsServer::with_config_file(&config).unwrap();
    let mut coordinator =
        played.fleet.spawn("coordinator", &mut played.fleet.coordinator(&played.config, "there"));
    let mut oak = played.fleet.spawn("oak", &mut played.fleet.worker("oak"));
    played.fleet.play("there", 2, SLOTS);
    wait_for("the answers to the first results", 20, || played.fleet.spooled("oak") == 0);
    let filler = fill(&store);
    played.fleet.permit(2 * SLOTS);
    // A file of the server may end in a page that has room for one more message: then another pair ends.
    let (mut unanswered_since, longer_than_a_lease) = (None, Duration::from_millis(1500));
    wait_for("results that are not answered", 60, || {
        fill(&store);
        if played.fleet.spooled("oak") == 0 {
            unanswered_since = None;
            if played.fleet.held() == SLOTS {
                played.fleet.permit(1);
            }
            return false;
        }
        unanswered_since.get_or_insert_with(Instant::now).elapsed() > longer_than_a_lease
    });
    assert!(coordinator.is_alive() && oak.is_alive());
    fs::remove_file(filler).unwrap();
    // This version of the server has to be killed.
    played.fleet.server.restart();
    played.fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", played.fleet.log("coordinator"));
    played.assert_same("there");
}

#[test]
fn row_221_a_run_whose_program_no_worker_can_run_stops_with_the_reason() {
    let Some(fleet) = Fleet::start() else { return };
    let marker = fleet.bench.path("portable");
    fs::write(&marker, "").unwrap();
    let program = script(&fleet, &format!("test -e {} || kill -ILL $$\nexec {FAKE}", marker.display()));
    let config = with_baseline(&fleet, &program, "depth = 1", 4);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    fs::remove_file(&marker).unwrap();
    let mut oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(coordinator.status("the run", 30), 4, "{}", fleet.log("coordinator"));
    let log = fleet.log("coordinator");
    assert!(log.contains("every worker refuses this run") && log.contains("target-cpu=native"), "{log}");
    assert!(oak.is_alive() && fleet.rows("there") == 0, "{}", fleet.log("oak"));
    oak.kill();
    fs::write(&marker, "").unwrap();
    resumed_elsewhere(&fleet, &config);
}

#[test]
fn row_221_a_run_that_three_workers_refuse_stops_although_a_fourth_can_play_it() {
    let Some(fleet) = Fleet::start() else { return };
    let program = script(&fleet, &format!("case $0 in *old*) kill -ILL $$ ;; esac\nexec {FAKE}"));
    let config = with_baseline(&fleet, &program, "depth = 1", 4);
    fleet.hold();
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    wait_for("pairs of the worker that can play", 30, || fleet.held() == SLOTS);
    let _old = ["ash", "fir", "oak"]
        .map(|name| fleet.spawn(name, &mut fleet.worker_elsewhere(name, &format!("old-{name}"))));
    wait_for("three refusals", 30, || fleet.log("coordinator").contains("3 workers refuse this run"));
    // The pairs in play are finished.
    fleet.release();
    assert_eq!(coordinator.status("the run", 30), 4, "{}", fleet.log("coordinator"));
    assert!(fleet.log("coordinator").contains("target-cpu=native"), "{}", fleet.log("coordinator"));
    elm.kill();
    resumed_elsewhere(&fleet, &config);
}

/// Resumes a run that no worker could play, with another worker, and compares it with the same run on this machine.
fn resumed_elsewhere(fleet: &Fleet, config: &Path) {
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    let mut resumed = fleet.spawn("resumed", &mut fleet.resume("there"));
    assert_eq!(resumed.status("the resumed run", 60), 0, "{}", fleet.log("resumed"));
    assert_eq!(fleet.play_here(config, "here"), 0);
    fleet.assert_same("there", "here");
}

#[test]
fn row_222_an_engine_that_arrives_damaged_is_fetched_again_and_plays() {
    let Some(fleet) = Fleet::start() else { return };
    let config = with_baseline(&fleet, Path::new(FAKE), "depth = 1", 4);
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let proxy = Proxy::to(fleet.server.port());
    proxy.damage(1);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker_at("oak", &proxy.url()));
    assert_eq!(coordinator.status("the match", 60), 0, "{}{}", fleet.log("coordinator"), fleet.log("oak"));
    assert_eq!(proxy.damages_left(), 0);
    fleet.assert_same("there", "here");
}

#[test]
fn row_223_a_worker_whose_engine_plays_other_moves_refuses_the_run() {
    let Some(fleet) = Fleet::start() else { return };
    let salt = fleet.bench.path("salt");
    fs::write(&salt, "2").unwrap();
    let program = script(&fleet, &format!("exec {FAKE} --salt $(cat {})", salt.display()));
    let config = with_baseline(&fleet, &program, "depth = 1", 8);
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    fs::write(&salt, "3").unwrap();
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    wait_for("the refusal", 20, || fleet.log("oak").contains("has the signature"));
    fs::write(&salt, "2").unwrap();
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    assert_eq!(coordinator.status("the match", 30), 0, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
    assert!(fleet.records("there", "claimed").iter().all(|claim| claim["worker"] == "elm"));
}

#[test]
fn row_228_a_pair_that_does_not_end_holds_up_the_result_and_not_the_other_pairs() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 90, ..Game::default() });
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let oak = fleet.spawn("oak", fleet.worker("oak").env(failpoint::VARIABLE, "game-hangs:1"));
    wait_for("a claim", 20, || !fleet.records("there", "claimed").is_empty());
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    // 64 pairs from the one that hangs, which is among the first two.
    wait_for("the pairs ahead", 30, || fleet.rows("there") >= 63);
    std::thread::sleep(Duration::from_millis(500));
    let started = fleet.records("there", "pair_started").len();
    assert!(coordinator.is_alive() && (64..=65).contains(&started), "{started} pairs were started");
    oak.kill();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    fleet.assert_same("there", "here");
}

#[test]
#[ignore = "takes 15 s; `just test-fleet`"]
fn row_229_a_machine_that_becomes_slow_is_measured_again_and_refuses_the_run() {
    let Some(fleet) = Fleet::start() else { return };
    let slow = fleet.bench.path("slow");
    let lines =
        format!("ms=4\ntest -e {} && ms=60\nexec {FAKE} --salt 2 --score 10 --sleep-ms $ms", slow.display());
    let program = script(&fleet, &lines);
    let config = with_baseline(&fleet, &program, "tc = \"600+5\"", 40);
    // At 4 ms a move the engine searches 5,000 nodes per second, at 60 ms 330; other load makes both slower.
    let text = fs::read_to_string(&config).unwrap().replace("[fleet]", "[fleet]\nreference_nps = 1200");
    fs::write(&config, text).unwrap();
    assert_eq!(fleet.play_here(&config, "here"), 0);
    fleet.hold();
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    // Twenty games at the first speed; twenty at the second are fewer than the rest.
    fleet.play("there", 12, SLOTS);
    fs::write(&slow, "").unwrap();
    fleet.release();
    wait_for("the refusal", 60, || fleet.log("oak").contains("of the reference"));
    assert_eq!(coordinator.status("the run", 30), 4, "{}", fleet.log("coordinator"));
    assert!(
        fleet.log("coordinator").contains("every worker refuses this run"),
        "{}",
        fleet.log("coordinator")
    );
    // What was played at either speed counts: the result does not depend on the speed.
    assert!(fleet.records("there", "void").is_empty());
    oak.kill();
    fs::remove_file(slow).unwrap();
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    let mut resumed = fleet.spawn("resumed", &mut fleet.resume("there"));
    assert_eq!(resumed.status("the resumed run", 60), 0, "{}", fleet.log("resumed"));
    fleet.assert_same_pairs("there", "here");
}

#[test]
fn row_230_engines_that_fail_on_all_workers_stop_the_run_and_exclude_none() {
    let Some(fleet) = Fleet::start() else { return };
    // In the probe an engine gets fewer questions than in a game.
    let program = script(&fleet, &format!("exec {FAKE} --salt 2 --on 'on go#15: signal SIGSEGV'"));
    let config = with_baseline(&fleet, &program, "depth = 1", 40);
    let text = fs::read_to_string(&config).unwrap().replace("max_moves = 8", "max_moves = 40");
    fs::write(&config, text).unwrap();
    assert_eq!(fleet.play_here(&config, "here"), 4);
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _workers = ["ash", "elm"].map(|name| fleet.spawn(name, &mut fleet.worker(name)));
    assert_eq!(coordinator.status("the match", 60), 4, "{}", fleet.log("coordinator"));
    assert!(fleet.log("coordinator").contains("engines failed in"), "{}", fleet.log("coordinator"));
    assert!(fleet.records("there", "quarantined").is_empty());
    // Pairs that were in play when the run stopped are on record, too.
    let ((_, there, _), (_, here, _)) = (fleet.results("there"), fleet.results("here"));
    assert!(there.starts_with(&here), "{there:?}\n{here:?}");
}

#[test]
fn row_236_a_worker_whose_disk_is_full_sends_its_results_and_takes_no_more_jobs() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let cache = fleet.bench.path("cache");
    let Some(()) = small_disk(&cache, 16) else { return };
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("there", 1, SLOTS);
    // An answered result would leave room for the next one.
    wait_for("the answers to the first results", 20, || fleet.spooled("oak") == 0);
    let filler = fill(&cache);
    fleet.permit(2 * SLOTS);
    wait_for("the warning of the worker", 20, || fleet.log("oak").contains("results cannot be kept on disk"));
    // What was in play is sent from memory; then nothing happens.
    let counts = || (fleet.rows("there"), fleet.records("there", "claimed").len());
    wait_for("the last result", 20, || counts().0 == counts().1);
    let before = counts();
    std::thread::sleep(Duration::from_millis(1000));
    assert_eq!(counts(), before, "it takes no more jobs");
    fs::remove_file(filler).unwrap();
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
}
