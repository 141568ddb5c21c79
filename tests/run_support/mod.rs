//! The program as its users call it, with fake engines, in folders that vanish.
#![allow(dead_code, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(crate) const PLAYSELF: &str = env!("CARGO_BIN_EXE_playself");
pub(crate) const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

/// Eight positions a few moves into known openings.
const BOOK: &str = "\
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"sicilian\";
rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"french\";
rnbqkbnr/pp1ppppp/2p5/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"caro-kann\";
rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - id \"queen's gambit\";
rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - id \"indian\";
rnbqkbnr/ppppp1pp/8/5p2/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - id \"dutch\";
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - id \"open\";
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - id \"english\";
";

/// A folder with a book, a config, and room for runs.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
}

/// What a test match is made of.
pub(crate) struct Match<'a> {
    pub(crate) pairs: u64,
    pub(crate) candidate: &'a [&'a str],
    pub(crate) baseline: &'a [&'a str],
    pub(crate) games: &'a str,
    pub(crate) rest: &'a str,
}

impl Default for Match<'_> {
    fn default() -> Self {
        Self { pairs: 10, candidate: &["--salt", "1"], baseline: &["--salt", "2"], games: "", rest: "" }
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("book.epd"), BOOK).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A shell script that can be run as an engine; its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Writes the config of a match of two fake engines by depth, 40 moves at most.
    pub(crate) fn config(&self, name: &str, wanted: &Match<'_>) -> PathBuf {
        let list = |args: &[&str]| format!("{args:?}");
        let text = format!(
            "name = \"{name}\"\nseed = 5\n\
             [candidate]\nengine = \"{FAKE}\"\nname = \"new\"\nargs = {}\n\
             [baseline]\nengine = \"{FAKE}\"\nname = \"old\"\nargs = {}\n\
             [games]\ndepth = 1\nopenings = \"{}\"\nmax_pairs = {}\n{}\n\
             [adjudicate]\nmax_moves = 40\n{}\n",
            list(wanted.candidate),
            list(wanted.baseline),
            self.path("book.epd").display(),
            wanted.pairs,
            wanted.games,
            wanted.rest,
        );
        let path = self.path(&format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes the config of a test between two settings of the built-in engine. It plays by nodes, so that the games,
    /// unlike those of scripted engines, depend on nothing but the pair: not on what a process has done before.
    pub(crate) fn engine_test(&self, name: &str, candidate: &str, baseline: &str, elo: [u32; 2]) -> PathBuf {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("openings/balanced.epd");
        let text = format!(
            "name = \"{name}\"\nseed = 3\n[candidate]\nengine = \"builtin\"\n{candidate}\n\
             [baseline]\nengine = \"builtin\"\n{baseline}\n\
             [games]\nnodes = 200\nconcurrency = 2\nmax_pairs = 1500\nopenings = \"{}\"\n\
             [adjudicate]\nresign = {{ moves = 3, cp = 500 }}\nmax_moves = 80\n[sprt]\nelo = {elo:?}\n",
            book.display(),
        );
        let path = self.path(&format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        path
    }

    /// The command that plays `config` in the folder `run`.
    pub(crate) fn start(&self, config: &Path, run: &str) -> Command {
        let mut command = Command::new(PLAYSELF);
        command.arg("match").arg(config).arg("--run-dir").arg(self.path(run)).current_dir(self.folder.path());
        command
    }

    pub(crate) fn resume(&self, run: &str) -> Command {
        let mut command = Command::new(PLAYSELF);
        command.arg("resume").arg(self.path(run)).current_dir(self.folder.path());
        command
    }

    pub(crate) fn verify(&self, run: &str) -> Output {
        Command::new(PLAYSELF).arg("verify").arg(self.path(run)).output().unwrap()
    }

    /// The file `name` of the run `run`.
    pub(crate) fn read(&self, run: &str, name: &str) -> String {
        fs::read_to_string(self.path(run).join(name)).unwrap()
    }

    /// Everything about a run that must not depend on how it came about.
    pub(crate) fn results(&self, run: &str) -> (String, String, String) {
        let mut summary: serde_json::Value = serde_json::from_str(&self.read(run, "summary.json")).unwrap();
        for volatile in ["seconds", "voids", "after_stop"] {
            summary[volatile] = serde_json::Value::Null;
        }
        (self.read(run, "games.pgn"), self.read(run, "pairs.csv"), summary.to_string())
    }
}

/// Runs a command to its end; its status and its output, for messages.
pub(crate) fn finish(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap_or(-1), text)
}

/// Starts a command and leaves it running, silent.
pub(crate) fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until `true`; fails after `seconds`.
pub(crate) fn wait_for(what: &str, seconds: u64, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(seconds), "{what} did not happen in {seconds} s");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes whose command line names `mark`.
pub(crate) fn processes_naming(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if let Ok(line) = fs::read(entry.path().join("cmdline")) {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(mark) {
                found.push(line);
            }
        }
    }
    found
}

/// The program under a limit of the shell's.
pub(crate) fn limited(limit: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    shell.current_dir(command.get_current_dir().unwrap());
    shell
}

/// The games that a run told of with `--json`: what it acknowledged.
pub(crate) fn acknowledged(command: &mut Command) -> (i32, Vec<(u64, u64)>, String) {
    let output = command.arg("--json").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let games = events.filter(|event| event["event"] == "game");
    let games = games.map(|game| (game["pair"].as_u64().unwrap(), game["game"].as_u64().unwrap())).collect();
    (output.status.code().unwrap_or(-1), games, text + &String::from_utf8_lossy(&output.stderr))
}

/// The games of a journal.
pub(crate) fn on_record(journal: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(journal).unwrap();
    let records = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let games = records.filter(|record| record["type"] == "game");
    let number = |game: &serde_json::Value| if game["game"] == "first" { 1 } else { 2 };
    games.map(|game| (game["pair"].as_u64().unwrap() + 1, number(&game))).collect()
}
