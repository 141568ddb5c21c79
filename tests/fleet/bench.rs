//! A fleet of real processes on this machine: a server, a coordinator and workers.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::nats::NatsServer;
use crate::run::{Bench, FAKE, PLAYSELF, wait_for};
use crate::signals::with_default_signals;

/// Times that let every fault be over in seconds.
pub(crate) const QUICK: &str = "[fleet]\nlease_s = 1.2\nbeat_s = 0.3\nreconcile_s = 0.4\n";

/// Slots of a worker.
pub(crate) const SLOTS: usize = 2;

/// Pairs of a usual match.
pub(crate) const PAIRS: u64 = 12;

/// A match of two scripted engines.
pub(crate) struct Game<'a> {
    pub(crate) pairs: u64,
    /// Time per move.
    pub(crate) sleep_ms: u64,
    pub(crate) rest: &'a str,
}

impl Default for Game<'_> {
    fn default() -> Self {
        Self { pairs: PAIRS, sleep_ms: 0, rest: "" }
    }
}

/// A server and a folder for runs.
pub(crate) struct Fleet {
    pub(crate) bench: Bench,
    pub(crate) server: NatsServer,
}

/// A fleet on which a match of twelve pairs is played. Its games wait for permits.
pub(crate) struct Played {
    pub(crate) fleet: Fleet,
    pub(crate) config: PathBuf,
}

impl Played {
    pub(crate) fn start() -> Option<Self> {
        let fleet = Fleet::start()?;
        fleet.hold();
        let config = fleet.config("match", &Game::default());
        Some(Self { fleet, config })
    }

    /// Asserts that a run has the results of the same match on this machine.
    pub(crate) fn assert_same(&self, run: &str) {
        // All tests compare with one and the same match.
        static HERE: OnceLock<Results> = OnceLock::new();
        self.fleet.release();
        let here = HERE.get_or_init(|| {
            assert_eq!(self.fleet.play_here(&self.config, "here"), 0);
            self.fleet.results("here")
        });
        self.fleet.assert_results(run, here);
    }
}

/// Games, pairs without the worker, and summary of a run.
pub(crate) type Results = (String, Vec<String>, String);

/// A process that is killed when this is dropped.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id().cast_signed()), signal).unwrap();
    }

    pub(crate) fn kill(mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Waits for the end; returns the exit status.
    pub(crate) fn status(&mut self, what: &str, seconds: u64) -> i32 {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < deadline, "{what} did not end in {seconds} s");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Fleet {
    /// Starts a server; `None` where the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        Some(Self::at(NatsServer::start()?, Bench::new()))
    }

    /// A fleet with this server.
    pub(crate) fn at(server: NatsServer, bench: Bench) -> Self {
        // The engine itself has 50 MB with its debug information: too much to be sent in every test.
        let script = bench.path("fake.sh");
        fs::write(&script, format!("#!/bin/sh\nexec {FAKE} \"$@\"\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { server, bench }
    }

    /// The program of the scripted engine.
    pub(crate) fn engine(&self) -> PathBuf {
        self.bench.path("fake.sh")
    }

    /// Writes the run file of a match of two scripted engines.
    pub(crate) fn config(&self, name: &str, game: &Game<'_>) -> PathBuf {
        let Game { pairs, sleep_ms, rest } = game;
        let engine = self.engine();
        let text = format!(
            "name = \"{name}\"\nseed = 5\n\
             [candidate]\nengine = {engine:?}\nname = \"new\"\n\
             args = [\"--salt\", \"1\", \"--sleep-ms\", \"{sleep_ms}\", \"--permits\", {:?}]\n\
             [baseline]\nengine = {engine:?}\nname = \"old\"\nargs = [\"--salt\", \"2\", \"--permits\", {:?}]\n\
             [games]\ndepth = 1\nopenings = {:?}\nmax_pairs = {pairs}\nconcurrency = 1\n\
             [adjudicate]\nmax_moves = 40\n{QUICK}{rest}\n",
            self.permits(),
            // One side is enough; the path marks the processes of this fleet.
            self.bench.path("no-permits"),
            self.bench.path("book.epd"),
        );
        let path = self.bench.path(&format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        path
    }

    fn permits(&self) -> PathBuf {
        self.bench.path("permits")
    }

    /// Lets no game begin its second move without a permit, from now on.
    pub(crate) fn hold(&self) {
        fs::create_dir_all(self.permits().join("waiting")).unwrap();
        let files = self.unused_permits();
        files.iter().for_each(|file| drop(fs::remove_file(file)));
    }

    /// Lets this many games go on.
    pub(crate) fn permit(&self, games: usize) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        for _ in 0..games {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            fs::write(self.permits().join(format!("permit-{number}")), "").unwrap();
        }
    }

    /// Lets all games go on.
    pub(crate) fn release(&self) {
        // A process may add its mark meanwhile.
        wait_for("the release", 10, || {
            fs::remove_dir_all(self.permits()).is_ok() || !self.permits().exists()
        });
    }

    fn unused_permits(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.permits()).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_file()).collect()
    }

    /// Games that wait for a permit.
    pub(crate) fn held(&self) -> usize {
        let marks = fs::read_dir(self.permits().join("waiting")).unwrap().flatten();
        marks.filter(|mark| Path::new("/proc").join(mark.file_name()).exists()).count()
    }

    /// Lets at least `rows` more pairs of a run end, on workers with `slots` slots in all, and waits until all slots have a game
    /// that waits for a permit.
    pub(crate) fn play(&self, run: &str, rows: usize, slots: usize) {
        let before = self.rows(run);
        // Every slot may end with half a pair.
        self.permit(2 * rows + slots);
        wait_for("the first pairs", 60, || self.unused_permits().is_empty() && self.held() == slots);
        wait_for("their results", 60, || self.rows(run) >= before + rows);
    }

    /// Results on the disk of a worker that were not answered yet.
    pub(crate) fn spooled(&self, worker: &str) -> usize {
        let files = fs::read_dir(self.bench.path("cache/spool").join(worker)).into_iter().flatten().flatten();
        // One that is not durable yet is a draft, whose name is longer.
        files.filter(|file| file.file_name().to_string_lossy().contains(".json")).count()
    }

    /// Waits until the results of all pairs that a worker has begun are on record, but for those in `slots`. A worker takes the next
    /// pair while the result of the last one is on its way to the disk.
    pub(crate) fn wait_for_results(&self, run: &str, slots: usize) {
        let claimed = || self.records(run, "claimed").len();
        wait_for("the results of all pairs that have ended", 20, || claimed() == self.rows(run) + slots);
    }

    /// Plays the run file on this machine, one pair at a time; returns the exit status.
    pub(crate) fn play_here(&self, config: &Path, run: &str) -> i32 {
        let output = self.bench.start(config, run).output().unwrap();
        output.status.code().unwrap_or(-1)
    }

    /// The command that plays the run file on the fleet at `url`.
    pub(crate) fn coordinator_at(&self, config: &Path, run: &str, url: &str) -> Command {
        let mut command = self.bench.start(config, run);
        command.args(["--fleet", url]);
        command
    }

    pub(crate) fn coordinator(&self, config: &Path, run: &str) -> Command {
        self.coordinator_at(config, run, &self.server.url())
    }

    pub(crate) fn resume(&self, run: &str) -> Command {
        let mut command = Command::new(PLAYSELF);
        command.arg("resume").arg(self.bench.path(run)).args(["--fleet", &self.server.url()]);
        command.current_dir(self.bench.folder.path());
        command
    }

    /// The command of a worker at `url`.
    pub(crate) fn worker_at(&self, name: &str, url: &str) -> Command {
        self.worker_with(name, url, SLOTS, "cache")
    }

    fn worker_with(&self, name: &str, url: &str, slots: usize, cache: &str) -> Command {
        let (mut command, slots) = (Command::new(PLAYSELF), slots.to_string());
        command.args(["worker", url, "--name", name, "--slots", &slots]);
        command.args(["--retry", "0.3", "--sandbox", "off", "--cache"]).arg(self.bench.path(cache));
        command
    }

    /// A worker with one slot: it plays the pairs in their order, so that each counts at its end.
    pub(crate) fn single_worker_at(&self, name: &str, url: &str) -> Command {
        self.worker_with(name, url, 1, "cache")
    }

    /// A worker with a cache of its own, as on another machine.
    pub(crate) fn worker_elsewhere(&self, name: &str, cache: &str) -> Command {
        self.worker_with(name, &self.server.url(), SLOTS, cache)
    }

    pub(crate) fn worker(&self, name: &str) -> Command {
        self.worker_at(name, &self.server.url())
    }

    /// A worker with a slot for every pair of a usual match: it takes pairs of others as soon as they are offered.
    pub(crate) fn roomy_worker(&self, name: &str) -> Command {
        self.worker_with(name, &self.server.url(), PAIRS as usize, "cache")
    }

    /// Starts a command; its output goes to the file `NAME.log`.
    pub(crate) fn spawn(&self, log: &str, command: &mut Command) -> Process {
        let path = self.bench.path(&format!("{log}.log"));
        let file = fs::File::options().create(true).append(true).open(path).unwrap();
        let child = with_default_signals(command)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap();
        Process(child)
    }

    pub(crate) fn log(&self, name: &str) -> String {
        fs::read_to_string(self.bench.path(&format!("{name}.log"))).unwrap_or_default()
    }

    /// Counted pairs of a run, as far as its table shows them.
    pub(crate) fn rows(&self, run: &str) -> usize {
        let text = fs::read_to_string(self.bench.path(run).join("journal.ndjson")).unwrap_or_default();
        text.lines().filter(|line| line.contains("\"type\":\"game\"")).count() / 2
    }

    /// Records of this type in the journal of a run.
    pub(crate) fn records(&self, run: &str, kind: &str) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.bench.path(run).join("journal.ndjson")).unwrap_or_default();
        let records = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        records.filter(|record| record["type"] == kind).collect()
    }

    /// Number of pairs that both workers have claimed.
    pub(crate) fn claimed_by_both(&self, one: &str, other: &str) -> usize {
        self.pairs_claimed_by_both(one, other).len()
    }

    /// Pairs that both workers have claimed.
    pub(crate) fn pairs_claimed_by_both(&self, one: &str, other: &str) -> BTreeSet<u64> {
        let claims = self.records("there", "claimed");
        let of = |worker: &str| -> BTreeSet<u64> {
            claims
                .iter()
                .filter(|claim| claim["worker"] == worker)
                .map(|claim| claim["pair"].as_u64().unwrap())
                .collect()
        };
        of(one).intersection(&of(other)).copied().collect()
    }

    /// Games, pairs without the worker, and summary of a run, without what depends on time and interruptions.
    pub(crate) fn results(&self, run: &str) -> Results {
        let read = |name: &str| fs::read_to_string(self.bench.path(run).join(name)).unwrap();
        let mut summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
        for volatile in ["seconds", "voids", "after_stop", "workers"] {
            summary.as_object_mut().unwrap().remove(volatile);
        }
        // Void pairs are anomalies of the run that had them.
        if let Some(completion) = summary["completion"].as_object_mut() {
            completion.retain(|key, _| !["anomalies", "clean"].contains(&key.as_str()));
        }
        let columns = 11;
        let pairs = read("pairs.csv");
        let pairs = pairs.lines().map(|row| row.split(',').take(columns).collect::<Vec<_>>().join(","));
        (read("games.pgn"), pairs.collect(), summary.to_string())
    }

    /// Asserts that a run on the fleet has the results of the same run on this machine, and that nothing was counted twice.
    pub(crate) fn assert_same(&self, run: &str, here: &str) {
        self.assert_results(run, &self.results(here));
    }

    /// Asserts that a run with clocks has the results of the same run on this machine; the times differ.
    pub(crate) fn assert_same_pairs(&self, run: &str, here: &str) {
        assert_eq!(self.results(run).1, self.results(here).1, "{run}: pairs.csv");
        self.assert_verified(run);
    }

    /// Asserts that every pair of a run whose games are no engine's counts exactly once.
    pub(crate) fn assert_complete(&self, run: &str, pairs: u64) {
        let records = self.records(run, "game");
        let mut games: Vec<(u64, &str)> = records
            .iter()
            .map(|game| (game["pair"].as_u64().unwrap(), game["game"].as_str().unwrap()))
            .collect();
        games.sort_unstable();
        let expected: Vec<_> = (0..pairs).flat_map(|pair| [(pair, "first"), (pair, "second")]).collect();
        assert_eq!(games, expected, "{run}");
        self.assert_verified(run);
    }

    fn assert_results(&self, run: &str, (games_here, pairs_here, summary_here): &Results) {
        let (games, pairs, summary) = self.results(run);
        assert_eq!(&pairs, pairs_here, "{run}: pairs.csv");
        assert_eq!(&games, games_here, "{run}: games.pgn");
        assert_eq!(&summary, summary_here, "{run}: summary.json");
        self.assert_verified(run);
    }

    /// Asserts that the files of a run follow from its journal.
    fn assert_verified(&self, run: &str) {
        let verified = Command::new(PLAYSELF).arg("verify").arg(self.bench.path(run)).output().unwrap();
        let report = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(verified.status.success(), "{report}{}", String::from_utf8_lossy(&verified.stderr));
        assert!(!report.contains("rewritten"), "{report}");
    }
}

/// Runs all cases of a test at the same time: they mostly wait.
pub(crate) fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, test: impl Fn(T) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || test(case));
        }
    });
}
