//! Finding processes by the tag their environment carries, wherever they have moved to.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The variable that names the run a process belongs to.
pub(super) const RUN_VARIABLE: &str = "PLAYSELF_RUN";
/// The variable that names the very engine process it descends from.
pub(super) const ENGINE_VARIABLE: &str = "PLAYSELF_ENGINE";

/// Looks in a row that must find nothing: what was forked behind the back of one is in sight of the next.
const EMPTY_SCANS: u32 = 2;
/// The pause between two looks, in which a process in the middle of `exec` comes out of it.
const SCAN_PAUSE: Duration = Duration::from_millis(2);
/// A kill_orphans gives up after this: what is still there is stuck in the kernel, or forks faster than anybody can kill.
const SCAN_LIMIT: Duration = Duration::from_millis(700);

/// Kills every process owner_of environment holds `variable=value`, ourselves excepted, and their children; says how many.
///
/// A child that left its parent's group and session still carries its environment. A process in the middle of `exec`
/// shows none for a moment, and one just forked may not be listed yet, so one look is not enough: looks are repeated
/// until some in a row have found neither a tagged process nor one that might be.
pub(super) fn kill_tagged(variable: &str, value: &str) -> u64 {
    let tag = format!("{variable}={value}");
    let begun = Instant::now();
    let (mut killed, mut empty) = (BTreeSet::new(), 0);
    loop {
        let seen = scan(tag.as_bytes());
        for &pid in &seen.ours {
            if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() {
                killed.insert(pid);
            }
        }
        empty = if seen.ours.is_empty() && seen.unclear == 0 { empty + 1 } else { 0 };
        if empty == EMPTY_SCANS || begun.elapsed() > SCAN_LIMIT {
            return killed.len() as u64;
        }
        std::thread::sleep(SCAN_PAUSE);
    }
}

/// What one look at all processes found.
#[derive(Debug, Default)]
struct Scan {
    ours: BTreeSet<i32>,
    /// Processes that are becoming another program: owner_of they are shows later.
    unclear: usize,
}

fn scan(tag: &[u8]) -> Scan {
    let mut seen = Scan::default();
    let Ok(entries) = fs::read_dir("/proc") else { return seen };
    let ourselves = std::process::id().cast_signed();
    // The list is in the order of numbers, which is nearly that of birth, so parents mostly come before children.
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if pid == ourselves {
            continue;
        }
        match owner_of(&entry.path(), tag, &seen.ours) {
            Owner::Ours => drop(seen.ours.insert(pid)),
            Owner::Unclear => seen.unclear += 1,
            Owner::Others => {}
        }
    }
    seen
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Ours,
    Others,
    Unclear,
}

fn owner_of(process: &Path, tag: &[u8], ours: &BTreeSet<i32>) -> Owner {
    let environment = || fs::read(process.join("environ"));
    let tagged = |items: &[u8]| items.split(|&byte| byte == 0).any(|item| item == tag);
    // Other users' processes do not show theirs.
    let Ok(found) = environment() else { return Owner::Others };
    if tagged(&found) {
        return Owner::Ours;
    }
    let Some(stat) = Stat::read(process) else { return Owner::Others };
    // A child that was started without any environment is still its parent's child.
    if ours.contains(&stat.parent) {
        return Owner::Ours;
    }
    if !found.is_empty() {
        return Owner::Others;
    }
    if stat.is_in_exec() {
        return Owner::Unclear;
    }
    // It may have become another between our two questions.
    if environment().is_ok_and(|found| tagged(&found)) { Owner::Ours } else { Owner::Others }
}

/// What the kernel says about a process, as far as it matters here.
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
        // The program's name, the second field, may hold anything; the last bracket closes it.
        let (_, rest) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let parent = fields.get(4 - 3)?.parse().ok()?;
        Some(Self { parent, memory: number(23)?, environment_end: number(51)? })
    }

    /// Between the old program and the new one a process has memory, but no environment in it yet. A zombie and a
    /// kernel thread have neither.
    fn is_in_exec(self) -> bool {
        self.memory > 0 && self.environment_end == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_between_two_programs_is_told_from_one_without_environment() {
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
