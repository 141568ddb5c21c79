//! Odd things in the place of the files of a run: nothing hangs, nothing is lost, and nothing outside is written to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::Pid;

use crate::run::{Bench, Match, PLAYSELF, finish, spawn, wait_for};

const VICTIM: &str = "not a file of this run\n";

/// What is put in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Odd {
    Directory,
    Pipe,
    Link,
    Dangling,
    Device,
    Empty,
}

const ODD: [Odd; 6] = [Odd::Directory, Odd::Pipe, Odd::Link, Odd::Dangling, Odd::Device, Odd::Empty];

/// The files that follow from the journal.
const DERIVED: [&str; 4] = ["games.pgn", "pairs.csv", "summary.json", "report.html"];

/// What else a run folder holds.
const OTHERS: [&str; 4] = ["faults", "programs", "control.sock", "accept"];

impl Odd {
    fn put(self, path: &Path, victim: &Path) {
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else if path.symlink_metadata().is_ok() {
            fs::remove_file(path).unwrap();
        }
        match self {
            Self::Directory => fs::create_dir(path).unwrap(),
            Self::Pipe => nix::unistd::mkfifo(path, Mode::S_IRWXU).unwrap(),
            Self::Link => symlink(victim, path).unwrap(),
            Self::Dangling => symlink(path.with_file_name("nowhere"), path).unwrap(),
            Self::Device => symlink("/dev/full", path).unwrap(),
            Self::Empty => fs::write(path, "").unwrap(),
        }
    }
}

/// A run that was stopped before its end.
struct Stopped {
    bench: Bench,
}

impl Stopped {
    fn new() -> Self {
        let bench = Bench::new();
        let slow = ["--salt", "1", "--sleep-ms", "3"];
        let config = bench.config("stopped", &Match { pairs: 4, candidate: &slow, ..Match::default() });
        let mut child = spawn(&mut bench.start(&config, "run"));
        let journal = bench.path("run/journal.ndjson");
        let games =
            || fs::read_to_string(&journal).map_or(0, |text| text.matches("\"type\":\"game\"").count());
        wait_for("some games", 60, || games() >= 3);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(games() < 8, "it was stopped too late");
        Self { bench }
    }

    /// Copies the run and returns the folder of the copy.
    fn copy(&self, name: &str) -> PathBuf {
        let (from, to) = (self.bench.path("run"), self.bench.path(name));
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
        to
    }
}

/// Runs a command that must end soon and without a panic.
fn call(command: &str, run: &Path) -> (i32, String) {
    let (status, printed) =
        finish(Command::new("timeout").args(["-s", "KILL", "30", PLAYSELF, command]).arg(run));
    let what = format!("{command} {}: {printed}", run.display());
    assert!([0, 4].contains(&status), "{status} {what}");
    assert!(!printed.contains("panicked"), "{what}");
    (status, printed)
}

/// Puts odd things into the places of files, and resumes, verifies and reports the run.
fn attack(names: &[&str], odd: &[Odd], commands: &[&str]) -> usize {
    let stopped = Stopped::new();
    let victim = stopped.bench.path("victim");
    fs::write(&victim, VICTIM).unwrap();
    let mut attacks = 0;
    for name in names {
        for odd in odd {
            for command in commands {
                let run = stopped.copy(&format!("{command}-{name}-{odd:?}"));
                odd.put(&run.join(name), &victim);
                let (status, printed) = call(command, &run);
                let what = format!("{command} with {odd:?} as {name}: {printed}");
                assert_eq!(fs::read_to_string(&victim).unwrap(), VICTIM, "{what}");
                assert!(!run.join("nowhere").exists(), "{what}");
                if status == 4 {
                    assert!(printed.contains(name), "{what}");
                } else if *command == "resume" {
                    let rows = fs::read_to_string(run.join("pairs.csv")).unwrap().lines().count();
                    assert_eq!(rows, 5, "{what}");
                }
                fs::remove_dir_all(&run).unwrap();
                attacks += 1;
            }
        }
    }
    attacks
}

#[test]
fn row_241_a_run_writes_to_no_link_and_waits_for_no_pipe() {
    assert_eq!(attack(&["games.pgn"], &[Odd::Directory, Odd::Pipe, Odd::Link], &["resume", "verify"]), 6);
}

#[test]
#[ignore = "takes a minute; `just attack`"]
fn row_241_nothing_in_a_run_folder_is_followed_or_waited_for() {
    let derived = attack(&DERIVED, &ODD, &["resume", "verify", "report"]);
    let others = attack(&OTHERS, &ODD, &["resume", "status", "list"]);
    assert_eq!(derived + others, 4 * 6 * 3 + 4 * 6 * 3);
}

/// Changes of a file, each with a name and what `resume` and `verify` must answer.
type Edit = (&'static str, fn(Vec<u8>) -> Vec<u8>, i32);

const JOURNALS: [Edit; 11] = [
    ("half a record", |text| [text, b"{\"seq\":99".to_vec()].concat(), 0),
    ("a line of something else", |text| [text, b"something else\n".to_vec()].concat(), 4),
    ("blank lines", |text| [text, b"\n\n".to_vec()].concat(), 4),
    ("the last record twice", |text| [text.clone(), last_line(&text)].concat(), 4),
    ("two records swapped", |text| swapped(&text), 4),
    ("line ends of another system", |text| replaced(&text, b"\n", b"\r\n"), 4),
    ("a byte order mark", |text| [b"\xef\xbb\xbf".to_vec(), text].concat(), 4),
    (
        "no first record",
        |text| text.split_inclusive(|&byte| byte == b'\n').skip(1).flatten().copied().collect(),
        4,
    ),
    ("zeros at the end", |text| [text, vec![0; 5000]].concat(), 0),
    ("zeros at the beginning", |text| [vec![0; 5000], text].concat(), 4),
    ("capital letters", |text| text.to_ascii_uppercase(), 4),
];

const PLANS: [Edit; 5] = [
    ("a byte order mark", |text| [b"\xef\xbb\xbf".to_vec(), text].concat(), 4),
    ("line ends of another system", |text| replaced(&text, b"\n", b"\r\n"), 4),
    ("nothing", |_| Vec::new(), 4),
    ("a comment more", |text| [text, b"# more\n".to_vec()].concat(), 4),
    ("deep brackets", |_| [b"a = ".to_vec(), vec![b'['; 100_000]].concat(), 4),
];

fn last_line(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|&byte| byte == b'\n').next_back().unwrap().to_vec()
}

fn swapped(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    lines.swap(2, 3);
    lines.concat()
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text)
        .replace(&*String::from_utf8_lossy(from), &String::from_utf8_lossy(to))
        .into_bytes()
}

#[test]
fn rows_67_and_71_edited_journals_and_plans_are_refused_and_nothing_is_changed() {
    let stopped = Stopped::new();
    for (file, edits) in [("journal.ndjson", &JOURNALS[..]), ("plan.toml", &PLANS[..])] {
        for (edit, change, expected) in edits {
            let run = stopped.copy(&format!("{file}-{edit}"));
            let edited = change(fs::read(run.join(file)).unwrap());
            fs::write(run.join(file), &edited).unwrap();
            let games = fs::read(run.join("games.pgn")).unwrap();
            for command in ["verify", "resume"] {
                let (status, printed) = call(command, &run);
                assert_eq!(status, *expected, "{command}, {file} with {edit}: {printed}");
                if status == 4 {
                    assert_eq!(fs::read(run.join(file)).unwrap(), edited, "{command}, {file} with {edit}");
                    assert_eq!(
                        fs::read(run.join("games.pgn")).unwrap(),
                        games,
                        "{command}, {file} with {edit}"
                    );
                }
            }
        }
    }
}

#[test]
fn row_100_zeros_in_the_last_game_of_an_interrupted_run_are_damage() {
    let bench = Bench::new();
    let slow = ["--salt", "1", "--sleep-ms", "3"];
    let config = bench.config("zeros", &Match { pairs: 1000, candidate: &slow, ..Match::default() });
    let mut child = spawn(&mut bench.start(&config, "run"));
    let journal = bench.path("run/journal.ndjson");
    let game = || fs::read(&journal).ok()?.windows(13).rposition(|bytes| bytes == b"\"type\":\"game\"");
    wait_for("a game", 60, || game().is_some());
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut bytes = fs::read(&journal).unwrap();
    let at = game().unwrap();
    bytes[at..at + 2].fill(0);
    fs::write(&journal, bytes).unwrap();
    let (status, printed) = call("verify", &bench.path("run"));
    assert_eq!((status, printed.contains("damaged at byte")), (4, true), "{printed}");
}

#[test]
fn row_246_outputs_replace_neither_inputs_nor_the_record_of_a_run() {
    let bench = Bench::new();
    let config = bench.config("outputs", &Match { pairs: 2, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let [journal, book] = [bench.path("run/journal.ndjson"), bench.path("book.epd")];
    let before = [&journal, &book].map(|path| fs::read(path).unwrap());
    let mut log = bench.start(&config, "again");
    let (status, printed) = finish(log.arg("--log-dialogue").arg(&book));
    assert_eq!((status, printed.contains("is read by this run")), (2, true), "{printed}");
    let run = bench.path("run");
    let mut page = Command::new(PLAYSELF);
    let (status, printed) = finish(page.arg("report").args([&run, &run]).arg("--page").arg(&journal));
    assert_eq!((status, printed.contains("it belongs to a run")), (4, true), "{printed}");
    let mut summary = bench.start(&config, "third");
    let (status, printed) = finish(summary.arg("--summary-md").arg(&journal));
    assert_eq!((status, printed.contains("it belongs to a run")), (4, true), "{printed}");
    assert_eq!([&journal, &book].map(|path| fs::read(path).unwrap()), before);
}

#[test]
fn row_123_charts_replace_links_and_pipes_and_do_not_write_through_them() {
    let bench = Bench::new();
    let config = bench.config("charts", &Match { pairs: 2, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let [folder, precious] = [bench.path("charts"), bench.path("precious")];
    fs::create_dir(&folder).unwrap();
    fs::write(&precious, "mine").unwrap();
    std::os::unix::fs::symlink(&precious, folder.join("pentanomial.svg")).unwrap();
    let mut report = Command::new(PLAYSELF);
    let (status, printed) = finish(report.arg("report").arg(bench.path("run")).arg("--svg").arg(&folder));
    assert_eq!(status, 0, "{printed}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert!(fs::read_to_string(folder.join("pentanomial.svg")).unwrap().contains("<svg"));
}

#[test]
fn row_100_a_report_of_an_emptied_journal_is_refused_and_keeps_the_page() {
    let bench = Bench::new();
    let config = bench.config("emptied", &Match { pairs: 2, ..Match::default() });
    assert_eq!(finish(&mut bench.start(&config, "run")).0, 0);
    let page = fs::read(bench.path("run/report.html")).unwrap();
    fs::write(bench.path("run/journal.ndjson"), "").unwrap();
    let (status, printed) = finish(Command::new(PLAYSELF).arg("report").arg(bench.path("run")));
    assert_eq!((status, printed.contains("is empty")), (4, true), "{printed}");
    assert_eq!(fs::read(bench.path("run/report.html")).unwrap(), page);
}
