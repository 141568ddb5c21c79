//! Finding and killing the processes of a run by its mark, whatever group or session they have moved to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::player::process::run_mark::RunMark;

/// Consecutive scans that must find nothing: a process forked unseen during one scan is seen by the next.
const EMPTY_SCANS: u32 = 2;
/// Pause after a scan that found nothing, in which a process in the middle of `exec` completes it.
const SCAN_PAUSE: Duration = Duration::from_millis(2);
/// Time after which scanning stops: the remaining processes are stuck in the kernel.
const SCAN_LIMIT: Duration = Duration::from_millis(700);

/// Kills every process of a run that descends from an engine process for which `is_wanted` is true, except the calling one;
/// returns their number.
///
/// A child that has left its parent's group and session still has the mark. A process just forked may not be listed yet, so a
/// single scan is not enough: scans are repeated until several in a row have found nothing. While they find something they
/// follow each other without a pause and only look at processes that are new, which is faster than a process can fork again and
/// again.
pub(super) fn kill_marked(mark: &RunMark, is_wanted: impl Fn(u64) -> bool) -> u64 {
    let started = Instant::now();
    let (mut scanner, mut killed, mut empty) = (Scanner::new(mark), BTreeSet::new(), 0);
    loop {
        let seen = scanner.scan();
        let mut wanted = seen.marked.iter().filter(|&(_, &engine)| is_wanted(engine)).peekable();
        empty = if wanted.peek().is_none() && seen.unknown == 0 { empty + 1 } else { 0 };
        for (&pid, _) in wanted {
            if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() {
                killed.insert(pid);
            }
        }
        if empty == EMPTY_SCANS || started.elapsed() > SCAN_LIMIT {
            return killed.len() as u64;
        }
        if empty > 0 || seen.unknown > 0 {
            std::thread::sleep(SCAN_PAUSE);
        }
    }
}

/// Result of one scan over all processes.
#[derive(Debug, Default)]
struct Scan {
    /// Processes of the run that are alive, with the engine process from which they descend.
    marked: BTreeMap<i32, u64>,
    /// Number of processes in the middle of `exec`, whose owner is not known yet.
    unknown: usize,
}

/// Scans over all processes one after the other.
#[derive(Debug)]
struct Scanner<'a> {
    mark: &'a RunMark,
    /// Processes that do not belong to the run. Numbers are not reused for long enough.
    others: BTreeSet<i32>,
}

impl<'a> Scanner<'a> {
    fn new(mark: &'a RunMark) -> Self {
        Self { mark, others: BTreeSet::from([std::process::id().cast_signed()]) }
    }

    fn scan(&mut self) -> Scan {
        let mut seen = Scan::default();
        let Ok(entries) = fs::read_dir("/proc") else { return seen };
        // Entries are ordered by process number, which mostly follows the order of creation, so parents mostly precede
        // their children.
        for entry in entries.flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            if self.others.contains(&pid) {
                continue;
            }
            match owner_of(&entry.path(), self.mark, &seen.marked) {
                Owner::Run(engine) => drop(seen.marked.insert(pid, engine)),
                Owner::Unknown => seen.unknown += 1,
                Owner::Other => drop(self.others.insert(pid)),
                Owner::Ended => {}
            }
        }
        seen
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The run, through this engine process.
    Run(u64),
    Other,
    Unknown,
    /// The process has ended, though it may still be listed.
    Ended,
}

fn owner_of(process: &Path, mark: &RunMark, marked: &BTreeMap<i32, u64>) -> Owner {
    let Some(stat) = Stat::read(process) else { return Owner::Ended };
    if stat.has_ended {
        return Owner::Ended;
    }
    if let Some(engine) = mark.engine_of_limits(process) {
        return Owner::Run(engine);
    }
    let environment = || fs::read(process.join("environ"));
    // The environment of other users' processes is not readable.
    let Ok(found) = environment() else { return Owner::Other };
    if let Some(engine) = mark.engine_in_environment(&found) {
        return Owner::Run(engine);
    }
    // A child without any mark still has its parent.
    if let Some(&engine) = marked.get(&stat.parent) {
        return Owner::Run(engine);
    }
    if !found.is_empty() {
        return Owner::Other;
    }
    if stat.is_in_exec() {
        return Owner::Unknown;
    }
    // An `exec` may have completed between the two reads.
    match environment().ok().and_then(|found| mark.engine_in_environment(&found)) {
        Some(engine) => Owner::Run(engine),
        None => Owner::Other,
    }
}

/// Fields of `/proc/PID/stat` that are needed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    has_ended: bool,
    parent: i32,
    memory: u64,
    environment_end: u64,
}

impl Stat {
    fn read(process: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(process.join("stat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The name of the program, the second field, may contain any character; the last parenthesis closes it.
        let (_, rest) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let parent = fields.get(4 - 3)?.parse().ok()?;
        let has_ended = matches!(*fields.first()?, "Z" | "X" | "x");
        Some(Self { has_ended, parent, memory: number(23)?, environment_end: number(51)? })
    }

    /// Between the old and the new program, a process has memory but no environment yet. A kernel thread has neither.
    fn is_in_exec(self) -> bool {
        self.memory > 0 && self.environment_end == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_in_exec_is_distinguished_from_one_without_an_environment() {
        let stat = |name: &str, state: &str, memory: u64, end: u64| {
            let before = "0 ".repeat(18);
            let between = "0 ".repeat(27);
            Stat::parse(&format!("77 ({name}) {state} 42 {before}{memory} {between}{end} 0\n")).unwrap()
        };
        let alive = Stat { has_ended: false, parent: 42, memory: 4096, environment_end: 99 };
        assert_eq!(stat("a) b (c", "S", 4096, 99), alive);
        assert!(stat("in exec", "R", 4096, 0).is_in_exec());
        assert!(!alive.is_in_exec());
        assert!(!stat("kernel thread", "I", 0, 0).is_in_exec());
        assert!(stat("zombie", "Z", 0, 0).has_ended);
        assert_eq!(Stat::parse("nonsense"), None);
        let own = Stat::read(Path::new("/proc/self")).unwrap();
        assert!(own.memory > 0 && !own.is_in_exec() && !own.has_ended, "{own:?}");
    }
}
