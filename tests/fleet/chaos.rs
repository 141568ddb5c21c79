//! A fleet that is mistreated for as long as wanted: `just fleet-chaos MINUTES`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::bench::{Fleet, Game, Process};
use crate::nats::Proxy;

/// Workers of the fleet.
const WORKERS: [&str; 5] = ["ash", "elm", "fir", "oak", "yew"];

/// Pairs of one match; every match is compared with the same match on one machine.
const PAIRS: u64 = 40;

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

struct Chaos {
    fleet: Fleet,
    proxy: Proxy,
    random: Random,
    workers: BTreeMap<&'static str, Process>,
    counts: BTreeMap<&'static str, u64>,
}

impl Chaos {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn start_worker(&mut self, name: &'static str) {
        // Two of them reach the server through a proxy that is cut now and then.
        let url = if matches!(name, "ash" | "elm") { self.proxy.url() } else { self.fleet.server.url() };
        let worker = self.fleet.spawn(name, &mut self.fleet.worker_at(name, &url));
        self.workers.insert(name, worker);
    }

    /// Plays one match to its end, whatever happens.
    fn play(&mut self, config: &std::path::Path, run: &str) {
        let mut coordinator = self.fleet.spawn("coordinator", &mut self.fleet.coordinator(config, run));
        let begun = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(100 + self.random.below(500)));
            if let Some(status) = coordinator.0.try_wait().unwrap() {
                match status.code() {
                    Some(0) => return,
                    None => {}
                    Some(code) => panic!("{run} ended with {code}: {}", self.fleet.log("coordinator")),
                }
                self.count("coordinator resumed");
                coordinator = self.fleet.spawn("coordinator", &mut self.fleet.resume(run));
            }
            assert!(
                begun.elapsed() < Duration::from_secs(300),
                "{run} makes no progress: {} pairs\n{}",
                self.fleet.rows(run),
                self.fleet.log("coordinator")
            );
            // The last minute of a match is left in peace, so that every match ends.
            if begun.elapsed() < Duration::from_secs(40) {
                self.fault(&mut coordinator, run);
            } else {
                self.revive();
            }
        }
    }

    fn fault(&mut self, coordinator: &mut Process, run: &str) {
        let name = WORKERS[self.random.below(5) as usize];
        match self.random.below(20) {
            0..=4 => {
                if let Some(worker) = self.workers.remove(name) {
                    worker.kill();
                    self.count("worker killed");
                }
                self.start_worker(name);
            }
            5 | 6 => {
                if let Some(worker) = self.workers.get(name) {
                    worker.signal(Signal::SIGSTOP);
                    std::thread::sleep(Duration::from_millis(200 + self.random.below(1800)));
                    self.workers[name].signal(Signal::SIGCONT);
                    self.count("worker frozen");
                }
            }
            7 | 8 => {
                // A coordinator that has not written its plan cannot be resumed.
                if coordinator.is_alive() && !self.fleet.records(run, "pair_started").is_empty() {
                    coordinator.signal(Signal::SIGKILL);
                    self.count("coordinator killed");
                }
            }
            9 => {
                coordinator.signal(Signal::SIGSTOP);
                std::thread::sleep(Duration::from_millis(200 + self.random.below(1800)));
                coordinator.signal(Signal::SIGCONT);
                self.count("coordinator frozen");
            }
            10 | 11 => {
                self.fleet.server.restart();
                self.count("server killed");
            }
            12 => {
                self.fleet.server.wipe();
                self.count("store wiped");
            }
            13 => {
                self.fleet.server.freeze();
                std::thread::sleep(Duration::from_millis(200 + self.random.below(2000)));
                self.fleet.server.thaw();
                self.count("server frozen");
            }
            14 | 15 => {
                if self.random.below(2) == 0 {
                    self.proxy.cut();
                } else {
                    self.proxy.silence();
                }
                std::thread::sleep(Duration::from_millis(200 + self.random.below(2000)));
                self.proxy.open();
                self.count("partition");
            }
            _ => self.revive(),
        }
    }

    /// Starts workers that have ended.
    fn revive(&mut self) {
        for name in WORKERS {
            if self.workers.get_mut(name).is_none_or(|worker| !worker.is_alive()) {
                self.start_worker(name);
            }
        }
    }
}

#[test]
#[ignore = "takes the minutes of PLAYSELF_CHAOS_MINUTES; run by `just fleet-chaos`"]
fn a_fleet_that_is_mistreated_loses_nothing_and_counts_nothing_twice() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let until = Instant::now() + Duration::from_secs(60 * number("PLAYSELF_CHAOS_MINUTES", 60));
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("chaos", &Game { pairs: PAIRS, sleep_ms: 4, rest: "" });
    assert_eq!(fleet.play_here(&config, "here"), 0);
    let proxy = Proxy::to(fleet.server.port());
    let random = Random(number("PLAYSELF_CHAOS_SEED", 1));
    let mut chaos = Chaos { fleet, proxy, random, workers: BTreeMap::new(), counts: BTreeMap::new() };
    WORKERS.into_iter().for_each(|name| chaos.start_worker(name));
    let mut matches = 0;
    while Instant::now() < until {
        let run = format!("run-{matches}");
        chaos.play(&config, &run);
        chaos.fleet.assert_same(&run, "here");
        matches += 1;
        std::fs::remove_dir_all(chaos.fleet.bench.path(&run)).unwrap();
        eprintln!("{matches} matches, {} pairs: {:?}", matches * PAIRS, chaos.counts);
    }
    eprintln!("{matches} matches of {PAIRS} pairs were those of one machine; {:?}", chaos.counts);
}
