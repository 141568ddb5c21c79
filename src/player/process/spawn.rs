//! Starting an engine process so that it cannot outlive us, alone or with its children.
#![expect(unsafe_code, reason = "what a process sets up between fork and exec has no safe interface")]

use std::io;
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use nix::libc;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{Pid, getpid, getppid};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::player::Sandbox;

/// What a new process is bound to.
#[derive(Clone, Debug, Default)]
pub(super) struct Confinement {
    pub(super) sandbox: Sandbox,
    /// The processors it may run on; empty means any.
    pub(super) cpus: Vec<usize>,
}

/// A thread that starts processes, one after the other, and lives as long as this value does.
///
/// A start waits for the new process to get a processor, which takes a busy machine a tenth of a second: a thread that
/// listens to games has no such time, and what it did not hear would be billed to engines that have moved.
#[derive(Debug)]
pub(super) struct Spawner {
    requests: Sender<SpawnRequest>,
}

struct SpawnRequest {
    command: Command,
    confinement: Confinement,
    /// Of the thread that will listen to the process.
    runtime: Handle,
    done: oneshot::Sender<io::Result<Child>>,
}

impl Spawner {
    pub(super) fn start() -> io::Result<Self> {
        let (requests, inbox) = channel::<SpawnRequest>();
        thread::Builder::new().name("starts".to_owned()).spawn(move || {
            for SpawnRequest { command, confinement, runtime, done } in inbox {
                let _inside = runtime.enter();
                // Nobody waits for it any more: dropped, it is killed.
                let _ = done.send(spawn(command, &confinement));
            }
        })?;
        Ok(Self { requests })
    }

    /// Starts `command` in its own process group, with pipes on all three streams, to be killed by the kernel when
    /// this spawner is gone.
    pub(super) async fn spawn(&self, command: Command, confinement: Confinement) -> io::Result<Child> {
        let (done, child) = oneshot::channel();
        let order = SpawnRequest { command, confinement, runtime: Handle::current(), done };
        let gone = || io::Error::other("the thread that starts engines is gone");
        self.requests.send(order).map_err(|_| gone())?;
        child.await.map_err(|_| gone())?
    }
}

fn spawn(mut command: Command, confinement: &Confinement) -> io::Result<Child> {
    let parent = getpid();
    let sandbox = confinement.sandbox;
    let cpus = cpu_set(&confinement.cpus)?;
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
            // Where the system allows less already, nobody may allow more.
            let limit = limit.min(getrlimit(resource)?.1);
            setrlimit(resource, limit, limit)?;
        }
    }
    if let Some(cpus) = cpus {
        sched_setaffinity(Pid::from_raw(0), &cpus)?;
    }
    Ok(())
}
