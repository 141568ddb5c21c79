//! Blocking reads from an engine's pipe, bounded by a timer signal, for a thread that serves a single game.
//!
//! Waiting for an immediate answer through the runtime costs a quarter of the whole move: a timer is set and
//! cancelled for every wait, followed by an epoll and a wake-up. A thread that serves a single game therefore reads
//! the pipe directly and the kernel wakes it with the answer.
//!
//! A timer signal interrupts the read every [`BlockingReader::TICK`], so that the thread still handles its other
//! work: orders, timers, ends of processes. The timer keeps running while answers are immediate, because arming it
//! costs as much as it saves; it is disarmed while an engine thinks.
//!
//! While the timer is armed, the thread also has a longer scheduler slice than the engine with which it shares a
//! processor. The engine then preempts it when the question wakes it, and answers before the thread runs again, which
//! saves both of them a sleep.
#![expect(unsafe_code, reason = "installing a signal handler has no safe interface")]

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{SaFlags, SigAction, SigEvent, SigHandler, SigSet, SigevNotify, Signal, sigaction};
use nix::sys::time::TimeSpec;
use nix::sys::timer::{Expiration, Timer, TimerSetTimeFlags};
use nix::time::ClockId;
use nix::unistd::{gettid, read};

use crate::player::connection::sched_slice::SchedSlice;

/// Blocking reader of one thread; see the module documentation.
#[derive(Debug)]
pub struct BlockingReader {
    timer: RefCell<Timer>,
    /// The thread's regular slice, if slices can be set.
    slice: Option<SchedSlice>,
    state: Cell<TimerState>,
    serving: Cell<Serving>,
}

/// Games that a thread serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// A single game: the thread may block on its engines.
    OneGame,
    /// Several or none: blocking on one engine would delay the others.
    Others,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimerState {
    Disarmed,
    Armed,
}

/// The default action of this signal is to be ignored, so installing a handler for it affects nothing else.
const SIGNAL: Signal = Signal::SIGURG;

impl BlockingReader {
    /// The longest time for which a thread neglects its other work.
    pub const TICK: Duration = Duration::from_millis(2);

    /// Creates the reader of the calling thread. It does not block until [`BlockingReader::serve`] allows it.
    #[cfg(target_env = "gnu")]
    pub fn start() -> io::Result<Self> {
        install_handler()?;
        let (thread_id, si_value) = (gettid().as_raw(), 0);
        let notify = SigevNotify::SigevThreadId { signal: SIGNAL, thread_id, si_value };
        let timer = Timer::new(ClockId::CLOCK_MONOTONIC, SigEvent::new(notify))?;
        let (state, serving) = (Cell::new(TimerState::Disarmed), Cell::new(Serving::Others));
        Ok(Self { timer: RefCell::new(timer), slice: SchedSlice::current(), state, serving })
    }

    /// Timers that signal a single thread are not available on this platform.
    #[cfg(not(target_env = "gnu"))]
    pub fn start() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Sets what the thread serves from now on.
    pub fn serve(&self, serving: Serving) {
        self.serving.set(serving);
    }

    /// Returns whether the thread may block.
    pub(in crate::player) fn may_block(&self) -> bool {
        self.serving.get() == Serving::OneGame
    }

    /// Reads from a stream, blocking for at most one tick. `Pending` does not register a waker.
    pub(in crate::player) fn read(&self, stream: impl AsFd, into: &mut [u8]) -> Poll<io::Result<usize>> {
        if !self.may_block() || self.set(TimerState::Armed).is_err() {
            return Poll::Pending;
        }
        match read(stream, into) {
            Err(Errno::EINTR | Errno::EAGAIN) => {
                self.disarm();
                Poll::Pending
            }
            read => Poll::Ready(read.map_err(io::Error::from)),
        }
    }

    /// Disarms the timer until the next read, so that it does not interrupt the thread needlessly.
    pub fn disarm(&self) {
        // A timer that could be armed can be disarmed.
        let _ = self.set(TimerState::Disarmed);
    }

    fn set(&self, state: TimerState) -> io::Result<()> {
        if self.state.get() == state {
            return Ok(());
        }
        // Periodic, not one-shot: a signal that arrives just before a read does not interrupt it, but the next one
        // does.
        let expiration = match state {
            TimerState::Disarmed => Expiration::OneShot(TimeSpec::from_duration(Duration::ZERO)),
            TimerState::Armed => Expiration::Interval(TimeSpec::from_duration(Self::TICK)),
        };
        self.timer.borrow_mut().set(expiration, TimerSetTimeFlags::empty())?;
        let slice = self.slice.map(|slice| if state == TimerState::Armed { slice.doubled() } else { slice });
        // If the kernel refuses, the thread continues without the longer slice: slower, but correct.
        let _ = slice.map(SchedSlice::apply);
        self.state.set(state);
        Ok(())
    }
}

/// Installs the handler, once per process.
fn install_handler() -> io::Result<()> {
    extern "C" fn do_nothing(_: std::ffi::c_int) {}
    static INSTALLED: OnceLock<Result<(), Errno>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // Without `SA_RESTART`: the purpose of the signal is to interrupt the read.
        let action = SigAction::new(SigHandler::Handler(do_nothing), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does nothing, so it is safe at any time.
        unsafe { sigaction(SIGNAL, &action) }.map(drop)
    });
    installed.map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_blocking_read_ends_with_data_or_with_the_next_tick() {
        let ((receiver, mut sender), mut bytes) = (io::pipe().unwrap(), [0; 8]);
        let reader = BlockingReader::start().unwrap();
        assert!(
            reader.read(&receiver, &mut bytes).is_pending(),
            "a thread that serves several games does not block"
        );
        reader.serve(Serving::OneGame);
        let started = Instant::now();
        assert!(reader.read(&receiver, &mut bytes).is_pending());
        assert!(started.elapsed() >= BlockingReader::TICK, "the read blocked for a tick");
        sender.write_all(b"x").unwrap();
        assert!(matches!(reader.read(&receiver, &mut bytes), Poll::Ready(Ok(1))));
        drop(sender);
        assert!(
            matches!(reader.read(&receiver, &mut bytes), Poll::Ready(Ok(0))),
            "the end of the stream ends the read too"
        );
    }
}
