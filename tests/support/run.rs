//! Runs of the `playself` program with fake engines, in temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::signals::with_default_signals;

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

/// A temporary folder with a book, for configs and runs.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
}

/// Parameters of a test match.
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

    /// Writes the config of a match of two fake engines with depth 1 and at most 40 moves.
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

    /// The command that plays `config` in the folder `run`.
    pub(crate) fn start(&self, config: &Path, run: &str) -> Command {
        let mut command = Command::new(PLAYSELF);
        command.arg("match").arg(config).arg("--run-dir").arg(self.path(run)).current_dir(self.folder.path());
        command
    }

    /// The file `name` of the run `run`.
    pub(crate) fn read(&self, run: &str, name: &str) -> String {
        fs::read_to_string(self.path(run).join(name)).unwrap()
    }
}

/// Runs a command and returns its exit status and its output, standard error included.
pub(crate) fn finish(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap_or(-1), text)
}

/// Starts a command without input and output that can be ended by signals.
pub(crate) fn spawn(command: &mut Command) -> Child {
    with_default_signals(command)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until `condition` is true; fails after `seconds`.
pub(crate) fn wait_for(what: &str, seconds: u64, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(seconds), "{what} did not happen in {seconds} s");
        std::thread::sleep(Duration::from_millis(5));
    }
}
