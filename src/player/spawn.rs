//! Starting an engine process so that it cannot outlive us, alone or with its children.
#![expect(unsafe_code, reason = "what a process sets up between fork and exec has no safe interface")]

use std::io;
use std::process::Stdio;

use nix::libc;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{Pid, getpid, getppid};
use tokio::process::{Child, Command};

use crate::player::Sandbox;

/// What a new process is bound to.
#[derive(Clone, Debug, Default)]
pub(super) struct Bonds {
    pub(super) sandbox: Sandbox,
    /// The processors it may run on; empty means any.
    pub(super) cpus: Vec<usize>,
}

/// Starts `command` in its own process group, with pipes on all three streams, to be killed by the kernel when the
/// calling thread ends. Call it only from threads that live as long as the engines should.
pub(super) fn spawn(mut command: Command, bonds: &Bonds) -> io::Result<Child> {
    let parent = getpid();
    let sandbox = bonds.sandbox;
    let cpus = cpu_set(&bonds.cpus)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    // SAFETY: the closure runs in the child between fork and exec. It makes system calls on values captured by copy;
    // it allocates nothing and takes no lock, so it cannot meet a lock that another thread held at the fork.
    unsafe {
        command.pre_exec(move || bind(parent, sandbox, cpus));
    }
    command.spawn()
}

fn cpu_set(cpus: &[usize]) -> io::Result<Option<CpuSet>> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|&cpu| set.set(cpu))?;
    Ok((!cpus.is_empty()).then_some(set))
}

fn bind(parent: Pid, sandbox: Sandbox, cpus: Option<CpuSet>) -> io::Result<()> {
    // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number and touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // Had the parent died before the line above, nobody would ever send that signal.
    if getppid() != parent {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let limits = [
        (Resource::RLIMIT_AS, sandbox.memory_bytes),
        (Resource::RLIMIT_FSIZE, sandbox.file_bytes),
        (Resource::RLIMIT_NPROC, sandbox.processes),
    ];
    for (resource, limit) in limits {
        if let Some(limit) = limit {
            setrlimit(resource, limit, limit)?;
        }
    }
    if let Some(cpus) = cpus {
        sched_setaffinity(Pid::from_raw(0), &cpus)?;
    }
    Ok(())
}
