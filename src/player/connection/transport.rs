//! How bytes reach an engine and come back: pipes to a process, or a duplex in a test.

use std::future::Future;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::player::{BlockingReader, ExitEvidence, Timeouts};

/// How an engine is told to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownMode {
    /// Asked with this line, then told by SIGTERM, then killed.
    Ask(&'static str),
    /// Killed at once: it is of no more use, or cannot be trusted to listen.
    Kill,
}

/// Processor use of an engine since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// Time on a processor.
    pub running: Duration,
    /// Time waiting for one.
    pub waiting: Duration,
}

/// A byte stream each way to one engine, and what can be known about its life.
pub trait Transport: 'static {
    /// Reads what the engine wrote; 0 bytes mean that it never will again.
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Reads what is here already, whether or not news of it has come. Pending does not promise to wake anybody: only
    /// [`Transport::poll_read`] does.
    fn read_available(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_read(cx, into)
    }

    /// Reads what the engine writes next, waiting for it on the spot until the next beat, where that can be done. Pending
    /// does not promise to wake anybody.
    fn read_blocking(&mut self, _: &BlockingReader, _into: &mut [u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    /// Writes to the engine, as much as it takes now.
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;

    /// Ready once the engine's process has ended.
    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<ExitEvidence>;

    /// The end of what it wrote on stderr.
    fn stderr_tail(&self) -> Vec<u8>;

    /// Its processor use, where it can be known; for a look into a fault, not for every move.
    fn cpu_use(&self) -> Option<CpuUse>;

    /// Its time on processors, read cheaply.
    fn cpu_time(&self) -> Option<Duration>;

    /// Ends it and everything it started, and waits until that is so.
    fn shut_down(self, mode: ShutdownMode, timeouts: &Timeouts) -> impl Future<Output = ShutdownReport>;
}

/// How an engine left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    /// How its process ended, where it can be known.
    pub exit: Option<ExitEvidence>,
    /// Processes of its own that it left behind; they were killed.
    pub leaked: u64,
}
