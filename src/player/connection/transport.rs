//! Byte transport to an engine: pipes of a process, or a duplex stream in a test.

use std::future::Future;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::player::{BlockingReader, ExitEvidence, Timeouts};

/// How an engine is shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownMode {
    /// Sends this line, then SIGTERM, then SIGKILL.
    Ask(&'static str),
    /// Sends SIGKILL at once, because the engine is not needed any more or not expected to react.
    Kill,
}

/// Processor use of an engine since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// Time on a processor.
    pub running: Duration,
    /// Time spent waiting for a processor.
    pub waiting: Duration,
}

impl CpuUse {
    /// Returns the use since then. Threads that have ended no longer count, so the difference may be too small; it is never
    /// below zero.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            running: self.running.saturating_sub(before.running),
            waiting: self.waiting.saturating_sub(before.waiting),
        }
    }
}

/// A byte stream in each direction to one engine, and the state of its process.
pub trait Transport: 'static {
    /// Reads output of the engine; 0 bytes mean the end of the stream.
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Reads output that is already available, whether or not the runtime has reported it. `Pending` does not
    /// register a waker; only [`Transport::poll_read`] does.
    fn read_available(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_read(cx, into)
    }

    /// Reads output of the engine, blocking until the next tick where that is supported. `Pending` does not register
    /// a waker.
    fn read_blocking(&mut self, _: &BlockingReader, _into: &mut [u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    /// Writes as many bytes as the engine's input accepts now.
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;

    /// Ready once the process of the engine has ended.
    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<ExitEvidence>;

    /// Returns the end of the engine's stderr.
    fn stderr_tail(&self) -> Vec<u8>;

    /// Returns the processor use, if it is known. Too slow for every move of a fast game.
    fn cpu_use(&self) -> Option<CpuUse>;

    /// Returns the processor time; cheap enough for every game.
    fn cpu_time(&self) -> Option<Duration>;

    /// Ends the engine and every process that it started, and waits for their end.
    fn shut_down(self, mode: ShutdownMode, timeouts: &Timeouts) -> impl Future<Output = ShutdownReport>;
}

/// Result of shutting down an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    /// How the process ended, if it is known.
    pub exit: Option<ExitEvidence>,
    /// Number of processes that the engine had left behind; they were killed.
    pub leaked: u64,
}
