//! Starting an engine process so that neither it nor its children can outlive the harness.
#![expect(unsafe_code, reason = "pre_exec and prctl have no safe interface")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::Stdio;
use std::sync::Arc;
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

/// Limits that a new process is confined to.
#[derive(Debug)]
pub(super) struct Confinement {
    pub(super) sandbox: Sandbox,
    /// Processors on which it may run; empty means any.
    pub(super) cpus: Vec<usize>,
    /// The limit that marks it and its descendants, see [`RunMark`](super::run_mark::RunMark).
    pub(super) mark: u64,
    /// The control group that it joins: its file `cgroup.procs`.
    pub(super) group: Option<Arc<OwnedFd>>,
}

/// A thread that starts processes one at a time, and exits when this value is dropped.
///
/// Starting a process waits until it gets a processor, which takes a tenth of a second on a busy machine. A thread
/// that serves games cannot wait that long: output that it does not read in time would be charged to engines that
/// have already moved.
#[derive(Debug)]
pub(super) struct Spawner {
    requests: Sender<SpawnRequest>,
}

struct SpawnRequest {
    command: Command,
    confinement: Confinement,
    /// Runtime of the thread that will communicate with the process.
    runtime: Handle,
    done: oneshot::Sender<io::Result<Child>>,
}

impl Spawner {
    pub(super) fn start() -> io::Result<Self> {
        let (requests, inbox) = channel::<SpawnRequest>();
        thread::Builder::new().name("starts".to_owned()).spawn(move || {
            for SpawnRequest { command, confinement, runtime, done } in inbox {
                let _inside = runtime.enter();
                // If the requester has gone, the child is dropped and thereby killed.
                let _ = done.send(spawn(command, &confinement));
            }
        })?;
        Ok(Self { requests })
    }

    /// Starts `command` in its own process group, with pipes on standard input and output; its standard error is that of the
    /// command. The kernel kills it when this spawner is dropped.
    pub(super) async fn spawn(&self, command: Command, confinement: Confinement) -> io::Result<Child> {
        let (done, child) = oneshot::channel();
        let order = SpawnRequest { command, confinement, runtime: Handle::current(), done };
        let gone = || io::Error::other("the thread that starts engines has ended");
        self.requests.send(order).map_err(|_| gone())?;
        child.await.map_err(|_| gone())?
    }
}

fn spawn(mut command: Command, confinement: &Confinement) -> io::Result<Child> {
    let parent = getpid();
    let (sandbox, mark) = (confinement.sandbox, confinement.mark);
    let group = confinement.group.as_ref().map(AsRawFd::as_raw_fd);
    let cpus = cpu_set(&confinement.cpus)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    // SAFETY: the closure runs in the child between fork and exec. It only makes system calls on values captured by
    // copy; it allocates nothing and takes no lock, so it cannot block on a lock that another thread held at the
    // fork.
    unsafe {
        command.pre_exec(move || {
            die_with(parent)?;
            join(group, mark);
            bind(sandbox, cpus)
        });
    }
    command.spawn()
}

fn cpu_set(cpus: &[usize]) -> io::Result<Option<CpuSet>> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|&cpu| set.set(cpu))?;
    Ok((!cpus.is_empty()).then_some(set))
}

/// Puts this process into a control group and marks it. Either may be refused; then the other one, and the mark in the
/// environment, are what it is found by.
fn join(group: Option<RawFd>, mark: u64) {
    if let Some(group) = group {
        // SAFETY: write reads one byte of a constant.
        unsafe { libc::write(group, b"0".as_ptr().cast(), 1) };
    }
    let _ = setrlimit(Resource::RLIMIT_RTTIME, mark, mark);
}

/// Makes this process end with its parent. Until it has called `exec` it has every descriptor of the parent, among them the one
/// that holds the lock of the journal, and entering a control group takes milliseconds: without this call first, the lock of a
/// harness that is killed would be held until then.
fn die_with(parent: Pid) -> io::Result<()> {
    // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number and accesses no memory.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // If the parent died before the call above, that signal would never be sent.
    if getppid() != parent {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    Ok(())
}

/// Marks every descriptor but those of the standard streams, so that programs started from here do not inherit it. Kernels before
/// 5.11 lack this; there they inherit what was open when this program was started.
pub fn close_descriptors_at_exec() {
    // SAFETY: close_range takes numbers and accesses no memory; it only marks descriptors to be closed by exec.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

fn bind(sandbox: Sandbox, cpus: Option<CpuSet>) -> io::Result<()> {
    // Files that were open when the harness was started are not the engine's business.
    close_descriptors_at_exec();
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let limits = [
        (Resource::RLIMIT_AS, sandbox.memory_bytes),
        (Resource::RLIMIT_FSIZE, sandbox.file_bytes),
        (Resource::RLIMIT_NPROC, sandbox.processes),
    ];
    for (resource, limit) in limits {
        if let Some(limit) = limit {
            // A limit cannot be raised above the hard limit of the system.
            let limit = limit.min(getrlimit(resource)?.1);
            setrlimit(resource, limit, limit)?;
        }
    }
    if let Some(cpus) = cpus {
        sched_setaffinity(Pid::from_raw(0), &cpus)?;
    }
    Ok(())
}
