//! Attempts of an engine, or of what it starts, to outlive the harness.
#![expect(unsafe_code, reason = "fork has no safe interface")]

use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Duration;

use nix::unistd::{ForkResult, Pid, fork, getpgid, getppid, setpgid, setsid};

use crate::program;

/// Whether a process has escaped already.
const ESCAPED: &str = "FAKE_ENGINE_ESCAPED";

/// Starts a process that clears its environment and leaves its parent, group and session.
pub(crate) fn start_daemon(name: &str, kind: &str) {
    let started = program()
        .args(["--daemon", kind, "--name", name])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    drop(started);
}

/// Continues in a process of its own; with `hops`, in a new one every 0.3 ms.
pub(crate) fn become_daemon(hops: bool) -> ! {
    let _ = setsid();
    fork_and_leave();
    loop {
        if hops {
            std::thread::sleep(Duration::from_micros(300));
            fork_and_leave();
        } else {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
}

fn fork_and_leave() {
    // SAFETY: this process has one thread.
    if let Ok(ForkResult::Parent { .. }) = unsafe { fork() } {
        std::process::exit(0);
    }
}

/// Leaves the group, clears the environment and the signal at the death of the parent, once.
pub(crate) fn escape() {
    if std::env::var_os(ESCAPED).is_some() {
        return;
    }
    let _ = getpgid(Some(getppid())).and_then(|group| setpgid(Pid::from_raw(0), group));
    let _ = nix::sys::prctl::set_pdeathsig(None);
    let _ = program().args(std::env::args_os().skip(1)).env_clear().env(ESCAPED, "1").exec();
}
