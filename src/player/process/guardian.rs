//! A small process that outlives us just long enough to kill what we leave behind.
//!
//! The kernel kills an engine when the thread that started it dies, but not the engine's own children, and nothing at
//! all if an engine gives up that bond. The guardian holds one end of a pipe. When the other end closes, for whatever
//! reason, it kills every process group it was told of, and then every process that carries the run's tag.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use nix::sys::signal::{SigSet, SigmaskHow, Signal, killpg, pthread_sigmask};
use nix::unistd::{Pid, setsid};

use crate::player::process::orphans::{RUN_VARIABLE, kill_tagged};
use crate::player::process::scratch_dir::remove_scratch_dirs;

/// How to start a guardian: a program that ends up in [`run_guardian`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardianProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

impl GuardianProgram {
    /// The argument that makes our own program a guardian.
    pub const ARGUMENT: &'static str = "__guardian";

    /// This very program, started as a guardian.
    pub fn ourselves() -> io::Result<Self> {
        Ok(Self { program: std::env::current_exe()?, args: vec![Self::ARGUMENT.to_owned()] })
    }
}

/// Our end of the pipe to a guardian.
#[derive(Debug)]
pub(super) struct Guardian {
    process: Mutex<(ChildStdin, Child)>,
    state: AtomicU8,
}

/// Values of [`Guardian::state`]. The loss of a guardian is reported once.
const ALIVE: u8 = 0;
const LOST: u8 = 1;
const REPORTED: u8 = 2;

impl Guardian {
    /// Starts a guardian for the run with this tag.
    pub(super) fn start(program: &GuardianProgram, run: &str) -> io::Result<Self> {
        let mut child = Command::new(&program.program)
            .args(&program.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut pipe = child.stdin.take().expect("its input was asked to be a pipe");
        writeln!(pipe, "run {run}")?;
        Ok(Self { process: Mutex::new((pipe, child)), state: AtomicU8::new(ALIVE) })
    }

    /// Adds a process group to those that must not outlive us.
    pub(super) fn watch(&self, group: Pid) {
        self.send(&format!("+{group}\n"));
    }

    /// Takes a group off the list: it is gone, and its number may be given to somebody else.
    pub(super) fn forget(&self, group: Pid) {
        self.send(&format!("-{group}\n"));
    }

    /// Returns true once, the first time it is called after the guardian was found to have ended.
    pub(super) fn take_loss(&self) -> bool {
        self.state.compare_exchange(LOST, REPORTED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn send(&self, line: &str) {
        let mut process = self.process.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The games continue without a guardian that was killed; the caller learns of it from `take_loss`.
        if process.0.write_all(line.as_bytes()).is_err() {
            let _ = self.state.compare_exchange(ALIVE, LOST, Ordering::AcqRel, Ordering::Acquire);
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = writeln!(process.0, "bye");
        // It leaves at that word, having swept; waiting keeps it from staying behind as a zombie.
        let _ = process.1.wait();
    }
}

/// The guardian's whole life: reads groups from stdin until it ends, then kills what is left.
pub fn run_guardian() {
    // In a session of its own, no terminal's Ctrl-C or hang-up reaches it; it must not die with those it guards.
    let _ = setsid();
    let mut blocked = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGTSTP, Signal::SIGQUIT] {
        blocked.add(signal);
    }
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&blocked), None);
    let (mut groups, mut run) = (BTreeSet::new(), None);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.split_at_checked(1) {
            _ if line == "bye" => break,
            Some(("+", group)) => drop(group.parse::<i32>().map(|group| groups.insert(group))),
            Some(("-", group)) => drop(group.parse::<i32>().map(|group| groups.remove(&group))),
            _ => run = line.strip_prefix("run ").map(str::to_owned).or(run),
        }
    }
    for &group in &groups {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let Some(run) = run else { return };
    kill_tagged(RUN_VARIABLE, &run);
    remove_scratch_dirs(&run);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guardian_that_ended_is_reported_once() {
        let args = ["-c", "read -r run"].map(str::to_owned).to_vec();
        let guardian = Guardian::start(&GuardianProgram { program: "sh".into(), args }, "a-run").unwrap();
        guardian.process.lock().unwrap().1.wait().unwrap();
        assert!(!guardian.take_loss(), "nothing has been written to it yet");
        guardian.watch(Pid::this());
        assert!(guardian.take_loss());
        guardian.forget(Pid::this());
        assert!(!guardian.take_loss(), "the loss has been reported");
    }
}
