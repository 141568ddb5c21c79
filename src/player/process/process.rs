//! The process of an engine: its pipes, its state and its end.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::signal::{Signal, killpg};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::player::process::guardian::Guardian;
use crate::player::process::scratch_dir::ScratchDir;
use crate::player::process::stderr_tail::StderrTail;
use crate::player::process::sweeper::Sweeper;
use crate::player::{
    BlockingReader, CpuUse, ExitEvidence, Isolation, ShutdownMode, ShutdownReport, Timeouts, Transport,
};

/// A running engine. If dropped without [`Transport::shut_down`], its process group is killed.
#[derive(Debug)]
pub struct ProcessTransport {
    child: Child,
    group: Pid,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// The same pipe in blocking mode; opened when first needed, which is not for every engine.
    blocking_stdout: OnceCell<Option<File>>,
    /// The end of its standard error, unless that goes to a file.
    stderr: Option<StderrTail>,
    exit: Option<ExitEvidence>,
    // Dropped, and thereby removed, after the process has ended.
    _dir: Option<ScratchDir>,
    supervision: Supervision,
    state: ProcessState,
}

/// What makes sure that nothing is left of an engine process; ends with it.
#[derive(Debug)]
pub(super) struct Supervision {
    /// Number of the engine process in its run.
    engine: u64,
    isolation: Isolation,
    sweeper: Sweeper,
    guardian: Option<Arc<Guardian>>,
}

impl Supervision {
    /// Begins before the process is started, so that nothing of it is taken for a left-over.
    pub(super) fn begin(
        engine: u64,
        isolation: Isolation,
        sweeper: Sweeper,
        guardian: Option<Arc<Guardian>>,
    ) -> Self {
        sweeper.begin(engine);
        Self { engine, isolation, sweeper, guardian }
    }
}

impl Drop for Supervision {
    fn drop(&mut self) {
        self.sweeper.end(self.engine);
        self.sweeper.sweep_soon();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessState {
    Running,
    Gone,
}

/// Time that a killed process may take to be reaped; only one stuck in the kernel takes longer.
const REAP: Duration = Duration::from_secs(5);

impl ProcessTransport {
    pub(super) fn new(
        mut child: Child,
        dir: Option<ScratchDir>,
        supervision: Supervision,
        stderr_bytes: usize,
    ) -> Self {
        let id = child.id().expect("the child has not been waited for");
        let group = Pid::from_raw(id as i32);
        if let Some(guardian) = &supervision.guardian {
            guardian.watch(group);
        }
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout was configured as a pipe");
        let stderr = child.stderr.take().map(|stderr| StderrTail::drain(stderr, stderr_bytes));
        Self {
            child,
            group,
            stdin,
            stdout,
            blocking_stdout: OnceCell::new(),
            stderr,
            exit: None,
            _dir: dir,
            supervision,
            state: ProcessState::Running,
        }
    }

    /// Returns the process ID, which is also the ID of its process group.
    pub fn id(&self) -> i32 {
        self.group.as_raw()
    }

    /// Removes the processor affinity of the engine and all its threads.
    pub fn run_anywhere(&self) {
        let mut all = CpuSet::new();
        for processor in 0..CpuSet::count() {
            let _ = all.set(processor);
        }
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", self.group)) else { return };
        let numbers = tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok());
        for number in numbers {
            // A thread that has just ended needs no affinity.
            let _ = sched_setaffinity(Pid::from_raw(number), &all);
        }
    }

    /// Closes the input of the engine.
    pub(in crate::player) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Sends SIGTERM to the engine's process group.
    pub(in crate::player) fn terminate(&self) {
        let _ = killpg(self.group, Signal::SIGTERM);
    }

    /// Waits for the end of the process and discards its output, so that it cannot block on writing.
    pub(in crate::player) async fn wait(&mut self, allowed: Duration) -> Option<ExitEvidence> {
        let mut scratch = [0; 4096];
        let ended = std::future::poll_fn(|cx| {
            while let Poll::Ready(Ok(1..)) = self.poll_read(cx, &mut scratch) {}
            self.poll_exit(cx)
        });
        timeout(allowed, ended).await.ok()
    }

    async fn request_exit(&mut self, line: &str, timeouts: &Timeouts) -> Option<ExitEvidence> {
        if let Some(stdin) = &mut self.stdin {
            // If the pipe is full or closed, the engine does not read any more, and SIGTERM follows.
            let _ = timeout(Duration::from_millis(50), stdin.write_all(line.as_bytes())).await;
        }
        if let Some(exit) = self.wait(timeouts.quit).await {
            return Some(exit);
        }
        self.stdin = None;
        let _ = killpg(self.group, Signal::SIGTERM);
        self.wait(timeouts.term).await
    }

    fn release(&mut self) {
        self.state = ProcessState::Gone;
        if let Some(guardian) = &self.supervision.guardian {
            guardian.forget(self.group);
        }
    }
}

impl Transport for ProcessTransport {
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(into);
        Pin::new(&mut self.stdout).poll_read(cx, &mut buffer).map_ok(|()| buffer.filled().len())
    }

    fn read_available(&mut self, _: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        // Reads the file descriptor directly: tokio would only learn of the data after parking. At worst this leaves
        // a spurious readiness event, which tokio clears on its next poll.
        match nix::unistd::read(&self.stdout, into) {
            Err(Errno::EAGAIN | Errno::EINTR) => Poll::Pending,
            read => Poll::Ready(read.map_err(io::Error::from)),
        }
    }

    fn read_blocking(&mut self, reader: &BlockingReader, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let open = || File::open(format!("/proc/self/fd/{}", self.stdout.as_raw_fd())).ok();
        match reader.may_block().then(|| self.blocking_stdout.get_or_init(open)) {
            Some(Some(stdout)) => reader.read(stdout, into),
            _ => Poll::Pending,
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.stdin {
            // The pipe nearly always has room, so the runtime is only needed if it does not.
            Some(stdin) => match nix::unistd::write(&*stdin, bytes) {
                Err(Errno::EAGAIN | Errno::EINTR) => Pin::new(stdin).poll_write(cx, bytes),
                written => Poll::Ready(written.map_err(io::Error::from)),
            },
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<ExitEvidence> {
        if let Some(exit) = self.exit {
            return Poll::Ready(exit);
        }
        let status = std::task::ready!(pin!(self.child.wait()).poll(cx));
        let exit = match status.map_or(ExitEvidence::Code(-1), evidence) {
            // The program that isolates an engine reports a signal as a shell does.
            ExitEvidence::Code(code @ 129..) if !self.supervision.isolation.is_off() => {
                ExitEvidence::Signal(code - 128)
            }
            exit => exit,
        };
        self.exit = Some(exit);
        Poll::Ready(exit)
    }

    fn stderr_tail(&self) -> Vec<u8> {
        self.stderr.as_ref().map(StderrTail::bytes).unwrap_or_default()
    }

    fn cpu_use(&self) -> Option<CpuUse> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.group)).ok()?;
        let mut total = CpuUse::default();
        for task in tasks.flatten() {
            let used = schedstat(&task.path()).unwrap_or_default();
            total.running += used.running;
            total.waiting += used.waiting;
        }
        Some(total)
    }

    fn cpu_time(&self) -> Option<Duration> {
        let clock = clock_getcpuclockid(self.group).ok()?;
        clock.now().ok().map(Duration::from)
    }

    async fn shut_down(mut self, mode: ShutdownMode, timeouts: &Timeouts) -> ShutdownReport {
        let exited = match mode {
            ShutdownMode::Ask(line) => self.request_exit(line, timeouts).await,
            ShutdownMode::Kill => None,
        };
        if exited.is_none() {
            let _ = killpg(self.group, Signal::SIGKILL);
            self.wait(REAP).await;
        }
        // The leader has been reaped, so any process left in the group is a child that it left behind.
        let mut leaked = u64::from(self.exit.is_some() && killpg(self.group, Signal::SIGKILL).is_ok());
        if exited.is_none() {
            leaked += self.supervision.sweeper.sweep(self.supervision.engine).await;
        }
        self.release();
        ShutdownReport { exit: self.exit, leaked }
    }
}

impl Drop for ProcessTransport {
    fn drop(&mut self) {
        if self.state == ProcessState::Running {
            let _ = killpg(self.group, Signal::SIGKILL);
            self.release();
        }
    }
}

fn evidence(status: ExitStatus) -> ExitEvidence {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitEvidence::Code(code),
        (None, Some(signal)) => ExitEvidence::Signal(signal),
        (None, None) => ExitEvidence::Code(-1),
    }
}

/// Reads the time on a processor and the time waiting for one, in nanoseconds, as the scheduler counts them per
/// thread.
fn schedstat(task: &Path) -> Option<CpuUse> {
    let text = std::fs::read_to_string(task.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok().map(Duration::from_nanos));
    Some(CpuUse { running: numbers.next()??, waiting: numbers.next()?? })
}
