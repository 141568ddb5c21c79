//! Faults of a fleet with a real server and real processes. The results are always those of one machine.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use playself::failpoint;
use playself::fleet::nats::messages::{Message, NoticeState, RunNotice};
use playself::fleet::nats::{Access, Backoff, Role, RunId, ServerConnection, StreamLimits};

use crate::bench::{Fleet, Game, PAIRS, Played, Process, SLOTS, at_once};
use crate::link::Link;
use crate::nats::Proxy;
use crate::run::wait_for;

/// Command lines of running processes that contain `mark`.
fn processes_with(mark: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(mark)).count()
}

#[test]
fn row_201_pairs_of_a_killed_worker_go_to_another_and_its_engines_die() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("there", 2, SLOTS);
    let engines = || processes_with(&format!("--permits {}", fleet.bench.folder.path().display()));
    assert_eq!(engines(), 2 * SLOTS);
    fleet.wait_for_results("there", SLOTS);
    oak.kill();
    wait_for("the end of its engines", 2, || engines() == 0);
    fleet.release();
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    assert_eq!(fleet.claimed_by_both("oak", "elm"), 2, "both pairs in play have moved");
}

#[test]
fn rows_202_and_203_results_of_a_worker_that_dies_before_and_after_sending_them_count_once() {
    at_once(["after-spool:2", "after-result:2"], |point| {
        let Some(played) = Played::start() else { return };
        let Played { fleet, config } = &played;
        fleet.release();
        let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
        let mut oak = fleet.spawn("oak", fleet.worker("oak").env(failpoint::VARIABLE, point));
        assert_eq!(oak.status("the worker", 30), -1, "{point}: {}", fleet.log("oak"));
        let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
        assert_eq!(coordinator.status("the match", 60), 0, "{point}: {}", fleet.log("coordinator"));
        played.assert_same("there");
        wait_for("the answers to all results", 10, || fleet.spooled("oak") == 0);
    });
}

#[test]
fn row_204_a_worker_that_was_cut_off_returns_with_results_that_are_dropped() {
    let Some(played) = Played::start() else { return };
    let proxy = Proxy::to(played.fleet.server.port());
    let mut oak = played.fleet.worker_at("oak", &proxy.url());
    cut_off_and_back(&played, &mut oak, || proxy.cut(), || proxy.open());
}

#[test]
fn row_204_a_worker_whose_cable_was_pulled_returns_with_results_that_are_dropped() {
    let Some(played) = Played::start() else { return };
    let Some(link) = Link::lay() else { return };
    let proxy = Proxy::at(&link.gateway(), played.fleet.server.port());
    let mut oak = link.command(played.fleet.worker_at("oak", &proxy.url()).arg("--insecure"));
    cut_off_and_back(&played, &mut oak, || link.unplug(), || link.plug());
}

/// Cuts a worker off, lets it end its pairs and others take them, and lets it return.
fn cut_off_and_back(played: &Played, oak: &mut Command, cut: impl Fn(), open: impl Fn()) {
    let Played { fleet, config } = played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _oak = fleet.spawn("oak", oak);
    fleet.play("there", 1, SLOTS);
    wait_for("the answers to the first results", 20, || fleet.spooled("oak") == 0);
    cut();
    // It ends both pairs, and can report neither.
    fleet.permit(2 * SLOTS);
    wait_for("results that cannot be sent", 20, || fleet.spooled("oak") == SLOTS);
    fleet.hold();
    let _elm = fleet.spawn("elm", &mut fleet.roomy_worker("elm"));
    wait_for("pairs of a silent worker on another", 30, || fleet.claimed_by_both("oak", "elm") == SLOTS);
    open();
    wait_for("the answers to its results", 30, || fleet.spooled("oak") == 0);
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    let moved = fleet.pairs_claimed_by_both("oak", "elm");
    for game in fleet.records("there", "game") {
        if moved.contains(&game["pair"].as_u64().unwrap()) {
            assert_eq!(game["by"], "elm", "the result of the worker that holds the pair counts");
        }
    }
}

#[test]
fn row_205_pairs_of_a_frozen_worker_move_and_its_own_results_do_not_count() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("there", 1, SLOTS);
    fleet.wait_for_results("there", SLOTS);
    oak.signal(Signal::SIGSTOP);
    let _elm = fleet.spawn("elm", &mut fleet.roomy_worker("elm"));
    wait_for("pairs of a frozen worker on another", 30, || fleet.claimed_by_both("oak", "elm") == SLOTS);
    oak.signal(Signal::SIGCONT);
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
}

#[test]
fn rows_209_and_210_a_first_interrupt_finishes_the_pairs_and_a_second_gives_them_back() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let mut oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("there", 2, SLOTS);
    let interrupt = |worker: &Process, name: &str| {
        worker.signal(Signal::SIGINT);
        wait_for("the note of the worker", 20, || fleet.log(name).contains("finishing the pairs in play"));
    };
    interrupt(&oak, "oak");
    fleet.permit(2 * SLOTS);
    assert_eq!(oak.status("the first worker", 20), 0, "{}", fleet.log("oak"));
    fleet.hold();
    let mut elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    wait_for("pairs of elm", 20, || fleet.held() == SLOTS);
    interrupt(&elm, "elm");
    elm.signal(Signal::SIGINT);
    assert_eq!(elm.status("the second worker", 10), 130, "{}", fleet.log("elm"));
    let _ash = fleet.spawn("ash", &mut fleet.roomy_worker("ash"));
    wait_for("all pairs on ash", 30, || fleet.held() + fleet.rows("there") == PAIRS as usize);
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    assert_eq!(fleet.claimed_by_both("oak", "elm"), 0, "the first worker has finished its pairs");
    assert_eq!(fleet.claimed_by_both("elm", "ash"), SLOTS, "the second worker has given its pairs back");
}

#[test]
fn rows_211_and_212_a_killed_coordinator_takes_over_what_workers_played_meanwhile() {
    at_once(["", "after-sync:4", "before-files:3", "after-write:20"], |point| {
        let Some(played) = Played::start() else { return };
        let Played { fleet, config } = &played;
        let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
        let mut first = fleet.coordinator(config, "there");
        if !point.is_empty() {
            first.env(failpoint::VARIABLE, point);
        }
        let mut first = fleet.spawn("coordinator", &mut first);
        if point.is_empty() {
            fleet.play("there", 2, SLOTS);
            first.kill();
            fleet.release();
        } else {
            fleet.release();
            assert_eq!(first.status("the coordinator", 30), -1, "{point}: {}", fleet.log("coordinator"));
        }
        wait_for("results of a worker that plays on", 30, || fleet.spooled("oak") >= SLOTS);
        let mut second = fleet.spawn("resumed", &mut fleet.resume("there"));
        assert_eq!(second.status("the resumed match", 60), 0, "{point}: {}", fleet.log("resumed"));
        played.assert_same("there");
    });
}

#[test]
fn row_213_the_earlier_of_two_coordinators_of_one_run_ends_with_a_fault() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut first = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    // A copy of the folder has a lock of its own.
    let copied = Command::new("cp")
        .arg("-r")
        .args([fleet.bench.path("there"), fleet.bench.path("copy")])
        .status()
        .unwrap();
    assert!(copied.success());
    let _ = std::fs::remove_file(fleet.bench.path("copy/control.sock"));
    fleet.release();
    let mut second = fleet.spawn("resumed", &mut fleet.resume("copy"));
    assert_eq!(first.status("the first coordinator", 20), 4, "{}", fleet.log("coordinator"));
    assert!(fleet.log("coordinator").contains("another coordinator plays this run"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(second.status("the second coordinator", 60), 0, "{}", fleet.log("resumed"));
    played.assert_same("copy");
}

#[test]
fn row_214_a_run_of_a_fleet_is_resumed_here_only_if_that_is_asked_for() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    let first = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    fleet.play("there", 2, SLOTS);
    first.kill();
    fleet.release();
    let resume = |local: bool| {
        let mut command = Command::new(crate::run::PLAYSELF);
        command.arg("resume").arg(fleet.bench.path("there"));
        if local {
            command.arg("--local");
        }
        command.output().unwrap()
    };
    let refused = resume(false);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("--local") && text.contains("--fleet nats://127.0.0.1"), "{text}");
    assert_eq!(resume(true).status.code(), Some(0));
    played.assert_same("there");
}

#[test]
fn rows_215_and_216_a_server_that_is_killed_or_loses_its_store_costs_nothing() {
    at_once([false, true], |wipe| {
        let Some(mut played) = Played::start() else { return };
        let mut coordinator =
            played.fleet.spawn("coordinator", &mut played.fleet.coordinator(&played.config, "there"));
        let _oak = played.fleet.spawn("oak", &mut played.fleet.worker("oak"));
        for _ in 0..3 {
            played.fleet.play("there", 1, SLOTS);
            if wipe { played.fleet.server.wipe() } else { played.fleet.server.restart() }
        }
        played.fleet.release();
        let log = |name: &str| played.fleet.log(name);
        assert_eq!(coordinator.status("the match", 60), 0, "{wipe} {}{}", log("coordinator"), log("oak"));
        played.assert_same("there");
    });
}

#[test]
fn rows_217_and_219_a_frozen_server_delays_the_run_and_costs_nothing() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    // All pairs are in play, and both workers wait for more: the server delivers again what it thinks is lost.
    let _oak = fleet.spawn("oak", &mut fleet.roomy_worker("oak"));
    let _elm = fleet.spawn("elm", &mut fleet.roomy_worker("elm"));
    wait_for("all pairs in play", 60, || fleet.held() == PAIRS as usize);
    fleet.server.freeze();
    // Longer than a lease. Half of the pairs end meanwhile.
    fleet.permit(PAIRS as usize);
    std::thread::sleep(Duration::from_secs(2));
    fleet.server.thaw();
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
}

#[test]
fn row_218_a_run_waits_for_a_server_that_cannot_be_reached() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let proxy = Proxy::to(fleet.server.port());
    let mut coordinator =
        fleet.spawn("coordinator", &mut fleet.coordinator_at(config, "there", &proxy.url()));
    let mut oak = fleet.spawn("oak", &mut fleet.worker_at("oak", &proxy.url()));
    fleet.play("there", 1, SLOTS);
    for silent in [false, true] {
        wait_for("the next pairs", 30, || fleet.spooled("oak") == 0 && fleet.held() == SLOTS);
        if silent {
            proxy.silence();
        } else {
            proxy.cut();
        }
        // Pairs end meanwhile.
        fleet.permit(2 * SLOTS);
        wait_for("results that cannot be sent", 30, || fleet.spooled("oak") >= SLOTS);
        fleet.hold();
        std::thread::sleep(Duration::from_millis(1500));
        assert!(coordinator.is_alive() && oak.is_alive());
        let before = fleet.rows("there");
        proxy.open();
        wait_for("the results", 30, || fleet.rows("there") >= before + SLOTS);
    }
    fleet.release();
    assert_eq!(coordinator.status("the match", 90), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    let pgn = std::fs::read_to_string(fleet.bench.path("there/games.pgn")).unwrap();
    assert!(!pgn.contains("time forfeit"), "no game is lost on time");
}

#[test]
fn row_218_a_job_that_arrives_after_the_answer_to_its_result_is_not_played_again() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let (mut coordinator, _oak) = connected(fleet, async |connection| {
        let mut jobs = connection.subscribe("ps.v1.job.>".to_owned()).await.unwrap();
        connection.flush().await;
        let coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
        // A slot for every pair: those of pairs that have ended wait for jobs.
        let oak = fleet.spawn("oak", &mut fleet.roomy_worker("oak"));
        wait_for("all pairs in play", 60, || fleet.held() == PAIRS as usize);
        // One game more than there are slots: at least one pair ends.
        fleet.permit(PAIRS as usize + 1);
        let ended_or_held = || fleet.rows("there") + fleet.held();
        wait_for("a result", 60, || fleet.rows("there") > 0 && ended_or_held() == PAIRS as usize);
        wait_for("the answer to it", 20, || fleet.spooled("oak") == 0);
        let pair = fleet.records("there", "game")[0]["pair"].to_string();
        let job = loop {
            let job = jobs.next().await.unwrap();
            if job.subject.ends_with(&format!(".{pair}.0")) {
                break job;
            }
        };
        connection.put_job(job.subject.clone(), None, job.payload).await.unwrap();
        while connection.job_sequence(&job.subject).await.unwrap().is_some() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(ended_or_held(), PAIRS as usize, "no slot plays it");
        (coordinator, oak)
    });
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
}

#[test]
fn row_237_a_second_worker_of_one_name_is_refused() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    fleet.play("there", 1, SLOTS);
    // On the same machine the spool is locked; elsewhere the coordinator notices.
    let mut same = fleet.spawn("same", &mut fleet.worker("oak"));
    assert_eq!(same.status("the second worker here", 20), 4, "{}", fleet.log("same"));
    let mut other = fleet.spawn("other", &mut fleet.worker_elsewhere("oak", "elsewhere"));
    assert_eq!(other.status("the second worker elsewhere", 20), 4, "{}", fleet.log("other"));
    fleet.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
}

#[test]
fn rows_220_and_224_wall_clocks_do_not_matter_and_a_changed_book_is_refused() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let _oak = fleet.spawn("oak", fleet.worker("oak").env(failpoint::VARIABLE, "wall-clock-jumps:1+"));
    let first = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    fleet.play("there", 2, SLOTS);
    first.kill();
    fleet.release();
    let book = fleet.bench.path("book.epd");
    let text = std::fs::read_to_string(&book).unwrap();
    std::fs::write(&book, text.replace("french", "FRENCH")).unwrap();
    let mut refused = fleet.spawn("refused", &mut fleet.resume("there"));
    assert_eq!(refused.status("a resume with another book", 20), 4, "{}", fleet.log("refused"));
    assert!(fleet.log("refused").contains("book.epd"), "{}", fleet.log("refused"));
    std::fs::write(&book, text).unwrap();
    let mut second = fleet.spawn("resumed", &mut fleet.resume("there"));
    assert_eq!(second.status("the resumed match", 60), 0, "{}", fleet.log("resumed"));
    let without_dates = |text: String| -> Vec<String> {
        text.lines()
            .filter(|line| !line.contains("Date") && !line.contains("Time"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(fleet.play_here(config, "here"), 0);
    let ((there, pairs, _), (here, pairs_here, _)) = (fleet.results("there"), fleet.results("here"));
    assert_eq!(pairs, pairs_here);
    assert_eq!(without_dates(there), without_dates(here));
}

/// A connection as a coordinator has it.
pub(crate) fn connected<T>(fleet: &Fleet, work: impl AsyncFnOnce(ServerConnection) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let access = Access { url: fleet.server.url(), ..Access::default() };
        let connect_timeout = Duration::from_secs(10);
        let connection =
            ServerConnection::open(&access, &Role::Coordinator, &Backoff::default(), connect_timeout)
                .await
                .unwrap();
        work(connection).await
    })
}

#[test]
fn row_225_a_worker_with_other_rules_of_play_ends_with_both_numbers() {
    let Some(fleet) = Fleet::start() else { return };
    let run = RunId::random().unwrap();
    let notice = RunNotice {
        run: run.clone(),
        name: "later".to_owned(),
        epoch: 1,
        stores: 0,
        state: NoticeState::Open,
        play: 99,
        description: "0".repeat(64),
        priority: 0,
        weight: 1,
        slots: 0,
        flying: 1,
        waiting: 1,
        counted: 0,
        pairs: None,
        waits_for: None,
        renew_ms: 10_000,
        excluded: Vec::new(),
    };
    connected(&fleet, async |connection| {
        connection.prepare(&StreamLimits::default()).await.unwrap();
        connection.put_notice(&run, notice.encode(), 0).await.unwrap();
    });
    let mut oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(oak.status("the worker", 20), 4, "{}", fleet.log("oak"));
    assert!(fleet.log("oak").contains("rules of play 99, this program has 1"), "{}", fleet.log("oak"));
}

#[test]
#[ignore = "takes 12 s; `just test-fleet`"]
fn row_227_a_pair_that_kills_its_workers_stops_the_run_and_is_named() {
    let Some(fleet) = Fleet::start() else { return };
    fleet.hold();
    let config = fleet.config("poison", &Game { pairs: 1, ..Game::default() });
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    for (number, name) in ["ash", "elm", "fir", "oak", "yew"].into_iter().enumerate() {
        let worker = fleet.spawn(name, &mut fleet.worker(name));
        let claims = || fleet.records("there", "claimed").len() > number;
        wait_for("a claim", 60, || claims() || fleet.log("coordinator").contains("machines were lost"));
        worker.kill();
    }
    assert_eq!(coordinator.status("the run", 30), 4, "{}", fleet.log("coordinator"));
    assert!(fleet.log("coordinator").contains("pair 1"), "{}", fleet.log("coordinator"));
    assert_eq!(fleet.rows("there"), 0);
    // The pair was not to blame: a person resumes the run.
    fleet.release();
    let _fig = fleet.spawn("fig", &mut fleet.worker("fig"));
    let mut resumed = fleet.spawn("resumed", &mut fleet.resume("there"));
    assert_eq!(resumed.status("the resumed run", 60), 0, "{}", fleet.log("resumed"));
    assert_eq!(fleet.play_here(&config, "here"), 0);
    fleet.assert_same("there", "here");
}
