//! Waiting for an engine on the spot, for a thread that has nothing else to do.
#![expect(unsafe_code, reason = "to be interrupted by a signal has no safe interface")]

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

/// The beat that ends a thread's waits on the spot.
///
/// A thread that serves one game only need not ask its runtime for news of the engine, which costs a quarter of an
/// instant move. It reads, and the kernel wakes it with the answer; a timer's signal interrupts it at every beat, so that
/// it looks after its other business: orders, timers, ends of processes. While answers come at once the timer runs on by
/// itself, for to set it costs as much as it saves; while engines think it rests.
///
/// With the beat goes a longer slice of the processor that the thread shares with its engine: so an engine is woken by its
/// question and answers it before the thread comes back, and both are spared a sleep.
#[derive(Debug)]
pub struct BlockingReader {
    timer: RefCell<Timer>,
    /// The thread's own, where slices can be chosen.
    slice: Option<SchedSlice>,
    state: Cell<TimerState>,
    serving: Cell<Serving>,
}

/// What a thread has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// One game: it may wait for its engines on the spot.
    OneGame,
    /// More than one, or none: waiting for one engine would keep the others waiting.
    Others,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimerState {
    Disarmed,
    Armed,
}

/// Ignored unless somebody installed, so that our listening changes nothing for anybody.
const SIGNAL: Signal = Signal::SIGURG;

impl BlockingReader {
    /// The longest that a thread is away from its other business.
    pub const TICK: Duration = Duration::from_millis(2);

    /// The reader of the thread that calls this. It serves others until told otherwise.
    #[cfg(target_env = "gnu")]
    pub fn start() -> io::Result<Self> {
        install_handler()?;
        let (thread_id, si_value) = (gettid().as_raw(), 0);
        let notify = SigevNotify::SigevThreadId { signal: SIGNAL, thread_id, si_value };
        let timer = Timer::new(ClockId::CLOCK_MONOTONIC, SigEvent::new(notify))?;
        let (state, serving) = (Cell::new(TimerState::Disarmed), Cell::new(Serving::Others));
        Ok(Self { timer: RefCell::new(timer), slice: SchedSlice::current(), state, serving })
    }

    /// Timers that signal one thread are not to be had here.
    #[cfg(not(target_env = "gnu"))]
    pub fn start() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Says what the thread has to do from now on.
    pub fn serve(&self, serving: Serving) {
        self.serving.set(serving);
    }

    /// Whether the thread may wait on the spot.
    pub(in crate::player) fn may_block(&self) -> bool {
        self.serving.get() == Serving::OneGame
    }

    /// Reads from a stream, waiting for a beat at most. Pending wakes nobody.
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

    /// Stops the beat until the next wait: nobody should be disturbed for nothing.
    pub fn disarm(&self) {
        // A timer that could be set can be stopped.
        let _ = self.set(TimerState::Disarmed);
    }

    fn set(&self, state: TimerState) -> io::Result<()> {
        if self.state.get() == state {
            return Ok(());
        }
        // Again and again, not once: a signal that comes just before a read does not interrupt it, the next one does.
        let expiration = match state {
            TimerState::Disarmed => Expiration::OneShot(TimeSpec::from_duration(Duration::ZERO)),
            TimerState::Armed => Expiration::Interval(TimeSpec::from_duration(Self::TICK)),
        };
        self.timer.borrow_mut().set(expiration, TimerSetTimeFlags::empty())?;
        let slice = self.slice.map(|slice| if state == TimerState::Armed { slice.doubled() } else { slice });
        // Refused, the thread plays on: slower, not wrong.
        let _ = slice.map(SchedSlice::take);
        self.state.set(state);
        Ok(())
    }
}

/// Listens for the signal, once for the whole process.
fn install_handler() -> io::Result<()> {
    extern "C" fn do_nothing(_: std::ffi::c_int) {}
    static INSTALLED: OnceLock<Result<(), Errno>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // Without a flag that would start interrupted calls again: to be interrupted is what it is for.
        let action = SigAction::new(SigHandler::Handler(do_nothing), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does nothing, so there is nothing that it could do at a wrong time.
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
    fn a_wait_on_the_spot_ends_with_news_or_with_the_next_beat() {
        let ((receiver, mut sender), mut bytes) = (io::pipe().unwrap(), [0; 8]);
        let reader = BlockingReader::start().unwrap();
        assert!(reader.read(&receiver, &mut bytes).is_pending(), "a thread that serves others does not wait");
        reader.serve(Serving::OneGame);
        let begun = Instant::now();
        assert!(reader.read(&receiver, &mut bytes).is_pending());
        assert!(begun.elapsed() >= BlockingReader::TICK, "it was waited for");
        sender.write_all(b"x").unwrap();
        assert!(matches!(reader.read(&receiver, &mut bytes), Poll::Ready(Ok(1))));
        drop(sender);
        assert!(matches!(reader.read(&receiver, &mut bytes), Poll::Ready(Ok(0))), "an end is news too");
    }
}
