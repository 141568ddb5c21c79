//! A thread that writes to a stream, so that a reader that stops reading does not block the caller.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};

/// Bytes of one write: the most that a pipe takes in one piece.
const WRITE_BYTES: usize = 4096;

/// Time before the next attempt to write to a stream that another process made non-blocking.
const RETRY: Duration = Duration::from_millis(10);

/// Longest wait for the last output, however steadily it is read.
const LONGEST_LINGER: Duration = Duration::from_secs(60);

/// Output that waits to be written.
pub(super) trait Queue: Send + 'static {
    /// Removes and returns the bytes to write next, or `None` if there are none.
    fn take(&mut self) -> Option<Vec<u8>>;
}

/// A thread that writes the contents of a queue to a stream.
///
/// When dropped, it waits for the rest to be written: as long as the stream accepts more within `drain_timeout`.
pub(super) struct StreamThread<Q> {
    shared: Arc<Shared<Q>>,
    drain_timeout: Duration,
}

struct Shared<Q> {
    state: Mutex<State<Q>>,
    changed: Condvar,
}

struct State<Q> {
    queue: Q,
    phase: Phase,
    /// Number of writes that the stream accepted.
    writes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The queue gets no more output; the thread ends once it is empty.
    Closing,
    /// The thread has ended. The stream may have been closed by its reader.
    Ended,
}

impl<Q: Queue> StreamThread<Q> {
    /// Starts the thread. Fails if the system refuses one.
    pub(super) fn start(
        stream: impl Write + Send + 'static,
        queue: Q,
        drain_timeout: Duration,
    ) -> io::Result<Self> {
        let state = State { queue, phase: Phase::Open, writes: 0 };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("output".to_owned()).spawn(move || theirs.write_to(stream))?;
        Ok(Self { shared, drain_timeout })
    }

    /// Changes the queue. Without effect if the reader has closed the stream.
    pub(super) fn put(&self, change: impl FnOnce(&mut Q)) {
        self.put_when(|_| true, change);
    }

    /// Changes the queue once it `has_room`, which may block for as long as the reader does not read.
    pub(super) fn put_when(&self, has_room: impl Fn(&Q) -> bool, change: impl FnOnce(&mut Q)) {
        let mut state = self.shared.lock();
        while state.phase == Phase::Open && !has_room(&state.queue) {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.phase == Phase::Open {
            change(&mut state.queue);
            self.shared.changed.notify_all();
        }
    }
}

impl<Q> Drop for StreamThread<Q> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state.phase == Phase::Open {
            state.phase = Phase::Closing;
            self.shared.changed.notify_all();
        }
        let began = Instant::now();
        let (mut writes, mut last_write) = (state.writes, began);
        while state.phase != Phase::Ended
            && last_write.elapsed() < self.drain_timeout
            && began.elapsed() < LONGEST_LINGER
        {
            let waited = self.shared.changed.wait_timeout(state, self.drain_timeout);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.writes != writes {
                (writes, last_write) = (state.writes, Instant::now());
            }
        }
    }
}

impl<Q> Shared<Q> {
    fn lock(&self) -> MutexGuard<'_, State<Q>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q: Queue> Shared<Q> {
    fn write_to(&self, mut stream: impl Write) {
        // With `stty tostop` a background job that writes to its terminal would be stopped, and all games with it. A thread
        // that blocks the signal may write.
        let _ = SigSet::from(Signal::SIGTTOU).thread_block();
        while let Some(bytes) = self.next() {
            // A stream that its reader closed needs no more output.
            if bytes.chunks(WRITE_BYTES).any(|part| self.write(&mut stream, part).is_err()) {
                break;
            }
        }
        self.lock().phase = Phase::Ended;
        self.changed.notify_all();
    }

    /// Waits for output. Returns `None` if there is none left and none will come.
    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            let bytes = state.queue.take();
            if bytes.is_some() || state.phase != Phase::Open {
                // Another caller may wait for room.
                self.changed.notify_all();
                return bytes;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write(&self, stream: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    bytes = &bytes[written..];
                    self.lock().writes += 1;
                    self.changed.notify_all();
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => thread::sleep(RETRY),
                Err(why) => return Err(why),
            }
        }
        stream.flush()
    }
}
