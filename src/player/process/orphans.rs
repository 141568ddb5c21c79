//! Finding and killing processes by a tag in their environment, whatever group or session they have moved to.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Environment variable that holds the tag of the run.
pub(super) const RUN_VARIABLE: &str = "PLAYSELF_RUN";
/// Environment variable that holds the tag of the engine process from which a process descends.
pub(super) const ENGINE_VARIABLE: &str = "PLAYSELF_ENGINE";

/// Consecutive scans that must find nothing: a process forked unseen during one scan is seen by the next.
const EMPTY_SCANS: u32 = 2;
/// Pause between two scans, in which a process in the middle of `exec` completes it.
const SCAN_PAUSE: Duration = Duration::from_millis(2);
/// Time after which scanning stops: the remaining processes are stuck in the kernel, or fork faster than they can be
/// killed.
const SCAN_LIMIT: Duration = Duration::from_millis(700);

/// Kills every process whose environment contains `variable=value`, except the calling one, and the children of these
/// processes; returns their number.
///
/// A child that has left its parent's group and session still has its environment. A process in the middle of `exec`
/// has none for a moment, and one just forked may not be listed yet, so a single scan is not enough: scans are
/// repeated until several in a row have found neither a tagged process nor one in the middle of `exec`.
pub(super) fn kill_tagged(variable: &str, value: &str) -> u64 {
    let tag = format!("{variable}={value}");
    let started = Instant::now();
    let (mut killed, mut empty) = (BTreeSet::new(), 0);
    loop {
        let seen = scan(tag.as_bytes());
        for &pid in &seen.tagged_pids {
            if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() {
                killed.insert(pid);
            }
        }
        empty = if seen.tagged_pids.is_empty() && seen.unknown == 0 { empty + 1 } else { 0 };
        if empty == EMPTY_SCANS || started.elapsed() > SCAN_LIMIT {
            return killed.len() as u64;
        }
        std::thread::sleep(SCAN_PAUSE);
    }
}

/// Result of one scan over all processes.
#[derive(Debug, Default)]
struct Scan {
    tagged_pids: BTreeSet<i32>,
    /// Number of processes in the middle of `exec`, whose owner is not known yet.
    unknown: usize,
}

fn scan(tag: &[u8]) -> Scan {
    let mut seen = Scan::default();
    let Ok(entries) = fs::read_dir("/proc") else { return seen };
    let own_pid = std::process::id().cast_signed();
    // Entries are ordered by process number, which mostly follows the order of creation, so parents mostly precede
    // their children.
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if pid == own_pid {
            continue;
        }
        match owner_of(&entry.path(), tag, &seen.tagged_pids) {
            Owner::Run => drop(seen.tagged_pids.insert(pid)),
            Owner::Unknown => seen.unknown += 1,
            Owner::Other => {}
        }
    }
    seen
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Run,
    Other,
    Unknown,
}

fn owner_of(process: &Path, tag: &[u8], tagged_pids: &BTreeSet<i32>) -> Owner {
    let environment = || fs::read(process.join("environ"));
    let tagged = |items: &[u8]| items.split(|&byte| byte == 0).any(|item| item == tag);
    // The environment of other users' processes is not readable.
    let Ok(found) = environment() else { return Owner::Other };
    if tagged(&found) {
        return Owner::Run;
    }
    let Some(stat) = Stat::read(process) else { return Owner::Other };
    // A child started with an empty environment still has its parent.
    if tagged_pids.contains(&stat.parent) {
        return Owner::Run;
    }
    if !found.is_empty() {
        return Owner::Other;
    }
    if stat.is_in_exec() {
        return Owner::Unknown;
    }
    // An `exec` may have completed between the two reads.
    if environment().is_ok_and(|found| tagged(&found)) { Owner::Run } else { Owner::Other }
}

/// Fields of `/proc/PID/stat` that are needed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
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
        Some(Self { parent, memory: number(23)?, environment_end: number(51)? })
    }

    /// Between the old and the new program, a process has memory but no environment yet. A zombie and a kernel thread
    /// have neither.
    fn is_in_exec(self) -> bool {
        self.memory > 0 && self.environment_end == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_in_exec_is_distinguished_from_one_without_an_environment() {
        let stat = |name: &str, memory: u64, end: u64| {
            let before = "0 ".repeat(18);
            let between = "0 ".repeat(27);
            Stat::parse(&format!("77 ({name}) S 42 {before}{memory} {between}{end} 0\n")).unwrap()
        };
        assert_eq!(stat("a) b (c", 4096, 99), Stat { parent: 42, memory: 4096, environment_end: 99 });
        assert!(stat("in exec", 4096, 0).is_in_exec());
        assert!(!stat("alive", 4096, 99).is_in_exec());
        assert!(!stat("kernel thread or zombie", 0, 0).is_in_exec());
        assert_eq!(Stat::parse("nonsense"), None);
        let own = Stat::read(Path::new("/proc/self")).unwrap();
        assert!(own.memory > 0 && !own.is_in_exec(), "{own:?}");
    }
}
