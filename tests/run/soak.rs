//! A run under random faults for a given time: `just soak MINUTES`. At the end all records must be consistent.
#![allow(clippy::print_stdout, reason = "the soak prints a report")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Bench, FAKE, PLAYSELF, wait_for};
use crate::signals::with_default_signals;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Allowed growth of memory in MB per hour, if the last part is long enough to measure it.
const MOST_GROWTH: f64 = 1.0;

fn minutes() -> f64 {
    std::env::var("PLAYSELF_SOAK_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0)
}

/// Pseudo-random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A run under random faults.
struct Soak {
    bench: Bench,
    program: PathBuf,
    engine: PathBuf,
    child: Child,
    dice: Dice,
    caused: BTreeMap<&'static str, u64>,
    /// Seconds since the start of the current process, and its memory in MB.
    memory: Vec<(f64, f64)>,
    began: Instant,
    descriptors: (usize, usize),
}

impl Soak {
    /// Starts a run of five engines, four of which fail sometimes, each in a different way.
    fn begin() -> Self {
        let bench = Bench::new();
        // Copies, so that a new build during the soak does not change the engine.
        let (program, engine) = (bench.path("playself"), bench.path("engine"));
        fs::copy(PLAYSELF, &program).unwrap();
        fs::copy(FAKE, &engine).unwrap();
        let faults = [
            ("faultless", ""),
            ("crasher", "on go#700: signal SIGSEGV"),
            ("hanger", "on go#900: hang"),
            ("flooder", "on go#800: flood 4000000"),
            ("liar", "on go#300: write bestmove a1a1\\n"),
        ];
        let engines: String = faults
            .iter()
            .map(|(name, rule)| {
                let rule = if rule.is_empty() { String::new() } else { format!(", \"--on\", {rule:?}") };
                format!("[[engines]]\nengine = {engine:?}\nname = \"{name}\"\nargs = [\"--sleep-ms\", \"4\"{rule}]\n")
            })
            .collect();
        let text = format!(
            "name = \"soak\"\nseed = 9\n{engines}[games]\nmovetime_ms = 200\nconcurrency = 2\nbreaker = \"off\"\n\
             openings = {:?}\nmax_pairs = 10000000\n[adjudicate]\nmax_moves = 40\n",
            bench.path("book.epd")
        );
        let config = bench.path("soak.toml");
        fs::write(&config, text).unwrap();
        let mut command = Command::new(&program);
        command.arg("match").arg(&config).arg("--run-dir").arg(bench.path("run"));
        let child = quiet(&mut command, &bench.path("log"));
        let began = Instant::now();
        let soak = Self {
            bench,
            program,
            engine,
            child,
            dice: Dice(0x5eed),
            caused: BTreeMap::new(),
            memory: Vec::new(),
            began,
            descriptors: (0, 0),
        };
        soak.wait_for_games();
        soak
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    fn note(&mut self, what: &'static str) {
        *self.caused.entry(what).or_default() += 1;
    }

    fn journal_length(&self) -> u64 {
        fs::metadata(self.bench.path("run/journal.ndjson")).map_or(0, |found| found.len())
    }

    /// Waits until the journal has grown.
    fn wait_for_games(&self) {
        let before = self.journal_length();
        wait_for("games", 120, || self.journal_length() > before + 1000);
    }

    fn resume(&mut self) {
        let mut command = Command::new(&self.program);
        command.arg("resume").arg(self.bench.path("run"));
        self.child = quiet(&mut command, &self.bench.path("log"));
        self.began = Instant::now();
        self.memory.clear();
        self.wait_for_games();
    }

    /// Ends the run by a signal, checks that no engine remains, and resumes it.
    fn end_by(&mut self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
        let status = self.child.wait().unwrap();
        if signal == Signal::SIGTERM {
            assert_eq!(status.code(), Some(130), "{}", self.log());
        }
        wait_for("no engine left", 3, || pids_of(&self.engine).is_empty());
        self.resume();
    }

    fn log(&self) -> String {
        let text = fs::read_to_string(self.bench.path("log")).unwrap_or_default();
        text.lines().rev().take(20).collect::<Vec<_>>().join("\n")
    }

    /// Sends a signal to one engine, chosen at random.
    fn hit_engine(&mut self, signal: Signal) {
        let engines = pids_of(&self.engine);
        if engines.is_empty() {
            return;
        }
        let unlucky = engines[self.dice.below(engines.len() as u64) as usize];
        // The engine may have exited in the meantime.
        let _ = kill(unlucky, signal);
        if signal == Signal::SIGSTOP {
            std::thread::sleep(Duration::from_millis(400));
            let _ = kill(unlucky, Signal::SIGCONT);
        }
    }

    fn ask(&self, words: &[&str]) {
        let mut command = Command::new(&self.program);
        command.arg(words[0]).arg(self.bench.path("run")).args(&words[1..]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Causes one random fault; `target` decides whether the run itself may be ended.
    fn disturb(&mut self, target: Target) {
        let kinds = if target == Target::EnginesAndRun { 8 } else { 5 };
        match self.dice.below(kinds) {
            0 | 1 => {
                self.hit_engine(Signal::SIGKILL);
                self.note("engine killed");
            }
            2 => {
                self.hit_engine(Signal::SIGSTOP);
                self.note("engine stopped");
            }
            3 => {
                let (pid, pause) = (self.pid(), 100 + self.dice.below(1500));
                kill(pid, Signal::SIGSTOP).unwrap();
                std::thread::sleep(Duration::from_millis(pause));
                kill(pid, Signal::SIGCONT).unwrap();
                self.note("run stopped");
            }
            4 => {
                self.ask(&["pause"]);
                let number = ["1", "3", "4"][self.dice.below(3) as usize];
                self.ask(&["concurrency", number]);
                self.ask(&["continue"]);
                self.ask(&["concurrency", "2"]);
                self.note("run controlled");
            }
            5 | 6 => {
                self.end_by(Signal::SIGKILL);
                self.note("run killed");
            }
            _ => {
                self.end_by(Signal::SIGTERM);
                self.note("run terminated");
            }
        }
        assert!(self.child.try_wait().unwrap().is_none(), "the run ended: {}", self.log());
    }

    fn sample(&mut self) {
        let proc = PathBuf::from(format!("/proc/{}", self.child.id()));
        let status = fs::read_to_string(proc.join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: Option<f64> = line.and_then(|text| text.split_whitespace().next()?.parse().ok());
        self.memory.extend(kilobytes.map(|found| (self.began.elapsed().as_secs_f64(), found / 1024.0)));
        let open = fs::read_dir(proc.join("fd")).map_or(0, Iterator::count);
        self.descriptors = (open, self.descriptors.1.max(open));
    }

    /// Memory growth in MB per hour, without the first fifth of the lifetime of the current process.
    fn growth(&self) -> f64 {
        let from = self.began.elapsed().as_secs_f64() / 5.0;
        let points: Vec<(f64, f64)> = self.memory.iter().copied().filter(|&(at, _)| at > from).collect();
        let count = points.len().max(1) as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (time, memory) = (mean(|point| point.0), mean(|point| point.1));
        let covariance: f64 = points.iter().map(|(at, mb)| (at - time) * (mb - memory)).sum();
        let variance: f64 = points.iter().map(|(at, _)| (at - time).powi(2)).sum();
        covariance / variance.max(1e-9) * 3600.0
    }

    /// Ends the run and checks its records, processes, memory and descriptors.
    fn end(mut self, minutes: f64) {
        let (growth, memory) = (self.growth(), self.memory.last().map_or(0.0, |point| point.1));
        let open = self.descriptors;
        self.hit_engine(Signal::SIGCONT);
        kill(self.pid(), Signal::SIGINT).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130), "{}", self.log());
        std::thread::sleep(Duration::from_secs(1));
        let survivors = pids_of(&self.engine).len() + pids_of(&self.program).len();
        let verified =
            Command::new(&self.program).arg("verify").arg(self.bench.path("run")).output().unwrap();
        let printed = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(verified.status.success(), "{printed}{}", String::from_utf8_lossy(&verified.stderr));
        assert!(!printed.contains("rewritten"), "{printed}");
        let summary: serde_json::Value =
            serde_json::from_str(&self.bench.read("run", "summary.json")).unwrap();
        let rows = self.bench.read("run", "pairs.csv").lines().count() as u64 - 1;
        let games = self.bench.read("run", "games.pgn").matches("[Event \"").count() as u64;
        let table = summary["table"].as_array().unwrap();
        let number = |row: &serde_json::Value, key: &str| row[key].as_u64().unwrap();
        let total = |key: &str| table.iter().map(|row| number(row, key)).sum::<u64>();
        println!(
            "soak of {minutes} minutes: {games} games in {rows} pairs; engine faults {}, void pairs {}; faults caused: {:?}; \
             memory {memory:.1} MB, {growth:+.2} MB/h over the last part; descriptors {} at the end, {} at most; \
             survivors {survivors}; journal {} MB; verify: clean",
            number(&summary, "faults"),
            number(&summary, "voids"),
            self.caused,
            open.0,
            open.1,
            self.journal_length() >> 20,
        );
        assert_eq!(games, 2 * rows, "games and rows");
        assert_eq!(total("games"), 2 * games, "every game has two players");
        assert_eq!(total("wins"), total("losses"), "every win is a loss of the opponent");
        assert_eq!(total("wins") + total("draws") + total("losses"), total("games"));
        assert_eq!(survivors, 0);
        assert!(open.1 < 100, "{open:?} descriptors");
        assert!(minutes < 30.0 || growth < MOST_GROWTH, "memory grows by {growth} MB an hour");
    }
}

/// What a fault may hit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    EnginesAndRun,
    Engines,
}

fn quiet(command: &mut Command, log: &Path) -> Child {
    let log = fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
    with_default_signals(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// The processes that run `program`.
fn pids_of(program: &Path) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let runs =
        entries.filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program));
    runs.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw).collect()
}

#[test]
#[ignore = "takes PLAYSELF_SOAK_MINUTES; `just soak`"]
fn a_mistreated_run_stays_consistent() {
    let minutes = minutes();
    let mut soak = Soak::begin();
    let (begun, all) = (Instant::now(), Duration::from_secs_f64(minutes * 60.0));
    while begun.elapsed() < all {
        std::thread::sleep(Duration::from_secs(1));
        soak.sample();
        // In the last part the process is not replaced, so that its memory growth can be measured.
        let target = if begun.elapsed() < all.mul_f64(0.6) { Target::EnginesAndRun } else { Target::Engines };
        if soak.dice.below(8) == 0 {
            soak.disturb(target);
        }
    }
    soak.end(minutes);
}
