//! A separate process that kills the remaining engine processes after the harness has died.
//!
//! The kernel kills an engine when the thread that started it dies (`PR_SET_PDEATHSIG`), but not the engine's own
//! children, and not an engine that has reset that signal. The guardian reads from a pipe. When the pipe closes, for
//! whatever reason, it kills every engine registered with it and its process group, and then every process with the mark of the
//! run. Where the run has a control group, everything in that is killed first.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, killpg, pthread_sigmask};
use nix::unistd::{Pid, setsid};

use crate::player::process::control_group::ControlGroup;
use crate::player::process::orphans::kill_marked;
use crate::player::process::run_mark::RunMark;
use crate::player::process::scratch_dir::remove_scratch_dirs;

/// How to start a guardian: a program that calls [`run_guardian`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardianProgram {
    /// The program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub args: Vec<String>,
}

impl GuardianProgram {
    /// The argument that makes the crate's own program a guardian.
    pub const ARGUMENT: &'static str = "__guardian";

    /// Returns the current program, started as a guardian. It can be started even if its file has been replaced or deleted.
    pub fn ourselves() -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), args: vec![Self::ARGUMENT.to_owned()] }
    }
}

/// The harness's end of the pipe to a guardian.
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
    /// Starts a guardian for a run.
    pub(super) fn start(
        program: &GuardianProgram,
        mark: &RunMark,
        group: Option<&ControlGroup>,
    ) -> io::Result<Self> {
        let mut child = Command::new(&program.program)
            .args(&program.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut pipe = child.stdin.take().expect("stdin was configured as a pipe");
        writeln!(pipe, "run {}", mark.text())?;
        if let Some(path) = group.and_then(|group| group.path().to_str()) {
            writeln!(pipe, "group {path}")?;
        }
        // A guardian that is stopped does not read; a full pipe must not block the games.
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(Self { process: Mutex::new((pipe, child)), state: AtomicU8::new(ALIVE) })
    }

    /// Registers a process group that must not outlive the harness.
    pub(super) fn watch(&self, group: Pid) {
        self.send(&format!("+{group}\n"));
    }

    /// Removes a group that has ended, because its number may be reused.
    pub(super) fn forget(&self, group: Pid) {
        self.send(&format!("-{group}\n"));
    }

    /// Returns whether the guardian was found to have ended, or not to respond.
    pub(super) fn is_lost(&self) -> bool {
        self.state.load(Ordering::Acquire) != ALIVE
    }

    /// Returns true once, the first time it is called after the guardian was found to have ended.
    pub(super) fn take_loss(&self) -> bool {
        self.state.compare_exchange(LOST, REPORTED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn send(&self, line: &str) {
        let mut process = self.process.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The games continue without a guardian that was killed or stopped; the caller learns of it from `take_loss`.
        if process.0.write_all(line.as_bytes()).is_err() {
            let _ = self.state.compare_exchange(ALIVE, LOST, Ordering::AcqRel, Ordering::Acquire);
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = writeln!(process.0, "bye");
        // The guardian kills the rest of the run and exits after this line; waiting for it avoids a zombie. One that was
        // stopped does not exit, and is killed.
        let deadline = Instant::now() + EXIT_LIMIT;
        while Instant::now() < deadline {
            if !matches!(process.1.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(EXIT_POLL);
        }
        let _ = process.1.kill();
        let _ = process.1.wait();
    }
}

/// Time that a guardian may take to exit: a scan for left-over processes, and some more.
const EXIT_LIMIT: Duration = Duration::from_secs(3);
/// Pause between two checks whether it has exited.
const EXIT_POLL: Duration = Duration::from_millis(2);

/// Main function of the guardian: reads process groups from stdin until it closes, then kills what is left.
pub fn run_guardian() {
    // A separate session is not reached by Ctrl-C or a hang-up of the terminal; the guardian must not die with the
    // processes it guards.
    let _ = setsid();
    let mut blocked = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGTSTP, Signal::SIGQUIT] {
        blocked.add(signal);
    }
    let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&blocked), None);
    let (mut groups, mut run, mut control) = (BTreeSet::new(), None, None);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.split_at_checked(1) {
            _ if line == "bye" => break,
            Some(("+", group)) => drop(group.parse::<i32>().map(|group| groups.insert(group))),
            Some(("-", group)) => drop(group.parse::<i32>().map(|group| groups.remove(&group))),
            _ => match line.split_once(' ') {
                Some(("run", text)) => run = Some(RunMark::from_text(text.to_owned())),
                Some(("group", path)) => control = Some(ControlGroup::existing(path.into())),
                _ => {}
            },
        }
    }
    if let Some(control) = &control {
        control.kill();
    }
    for &group in &groups {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        // An engine may have left its own group.
        let _ = kill(Pid::from_raw(group), Signal::SIGKILL);
    }
    let Some(run) = run else { return };
    kill_marked(&run, |_| true);
    remove_scratch_dirs(run.text());
    if let Some(control) = control {
        control.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_guardian_blocks_neither_the_games_nor_the_end() {
        let args = ["-c", "kill -STOP $$"].map(str::to_owned).to_vec();
        let guardian =
            Guardian::start(&GuardianProgram { program: "sh".into(), args }, &RunMark::new(), None).unwrap();
        for number in 0..100_000 {
            guardian.watch(Pid::from_raw(number));
        }
        assert!(guardian.take_loss(), "its pipe is full");
        let started = Instant::now();
        drop(guardian);
        assert!(started.elapsed() < 3 * EXIT_LIMIT);
    }

    #[test]
    fn a_guardian_that_ended_is_reported_once() {
        let args = ["-c", "read -r run"].map(str::to_owned).to_vec();
        let guardian =
            Guardian::start(&GuardianProgram { program: "sh".into(), args }, &RunMark::new(), None).unwrap();
        guardian.process.lock().unwrap().1.wait().unwrap();
        assert!(!guardian.take_loss(), "nothing has been written to it yet");
        guardian.watch(Pid::this());
        assert!(guardian.take_loss());
        guardian.forget(Pid::this());
        assert!(!guardian.take_loss(), "the loss has been reported");
    }
}
