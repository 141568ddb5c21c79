//! A conversation in lines with one engine, bounded in every direction.

use std::io;
use std::ops::{Range, RangeInclusive};
use std::task::{Context, Poll, ready};

use tokio::time::Instant;

use crate::player::connection::line_buffer::LineBuffer;
use crate::player::connection::transcript::{Direction, Transcript};
use crate::player::{BlockingReader, ExitEvidence, Timeouts, Transport};

/// Why a conversation cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum ConnectionEnd {
    /// The engine closed its output.
    OutputClosed,
    /// The engine closed its input.
    InputClosed,
    /// It said more than one move may cost.
    Flood,
    /// Its process ended while something else still held its output open.
    Exited(ExitEvidence),
}

/// Lines to and from one engine.
#[derive(Debug)]
pub(in crate::player) struct Connection<T> {
    pub(in crate::player) transport: T,
    inbox: LineBuffer,
    outbox: Vec<u8>,
    sent: usize,
    transcript: Transcript,
    received_bytes: usize,
    move_bytes: usize,
    read_at: Instant,
    wrote_at: Option<Instant>,
    /// Waits on the spot in a row that a beat ended.
    misses: u32,
    /// Questions still to come that are not worth such a wait.
    skips: u32,
    ended: Option<ConnectionEnd>,
}

/// An engine that thinks for longer than a beat is waited for on the spot once in so many questions, and more and more
/// rarely, up to the last.
const SKIPS: RangeInclusive<u32> = 16..=1024;

impl<T: Transport> Connection<T> {
    pub(in crate::player) fn new(transport: T, timeouts: &Timeouts) -> Self {
        Self {
            transport,
            inbox: LineBuffer::new(timeouts.line_bytes),
            outbox: Vec::with_capacity(1024),
            sent: 0,
            transcript: Transcript::new(),
            received_bytes: 0,
            move_bytes: timeouts.move_bytes,
            read_at: Instant::now(),
            wrote_at: None,
            misses: 0,
            skips: 0,
            ended: None,
        }
    }

    /// Adds a line, given without its end, to the message that goes out with [`Connection::poll_send`].
    pub(in crate::player) fn queue_line(&mut self, line: &[u8]) {
        if self.sent > 0 && self.sent == self.outbox.len() {
            self.outbox.clear();
            self.sent = 0;
        }
        self.outbox.extend_from_slice(line);
        self.outbox.push(b'\n');
        self.transcript.note(Direction::ToEngine, line);
    }

    /// Starts a new count of output and forgets when the last message went out.
    pub(in crate::player) fn begin_exchange(&mut self) {
        self.received_bytes = 0;
        self.wrote_at = None;
    }

    /// Whether part of a message is still ours.
    pub(in crate::player) fn is_sending(&self) -> bool {
        self.sent < self.outbox.len()
    }

    /// Writes what the engine takes. Ready when all is written.
    pub(in crate::player) fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectionEnd>> {
        while self.sent < self.outbox.len() {
            if self.wrote_at.is_none() {
                self.wrote_at = Some(Instant::now());
            }
            match ready!(self.transport.poll_write(cx, &self.outbox[self.sent..])) {
                Ok(count) if count > 0 => self.sent += count,
                _ => {
                    self.sent = self.outbox.len();
                    return Poll::Ready(Err(ConnectionEnd::InputClosed));
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// When the current message began to go out: the moment an engine's clock starts.
    pub(in crate::player) fn wrote_at(&self) -> Instant {
        self.wrote_at.unwrap_or(self.read_at)
    }

    /// When the newest bytes were read: the moment an engine's clock stops.
    pub(in crate::player) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// The next line, as a place for [`Connection::text`]. Whole lines already received come before any ending.
    pub(in crate::player) fn poll_line(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Range<usize>, ConnectionEnd>> {
        loop {
            if let Some(next_received) = self.next_received() {
                return Poll::Ready(next_received);
            }
            let read = match self.transport.poll_read(cx, self.inbox.spare()) {
                Poll::Ready(read) => read,
                Poll::Pending => {
                    let exit = ready!(self.transport.poll_exit(cx));
                    // What it wrote before it ended may have arrived between the two polls.
                    match self.transport.poll_read(cx, self.inbox.spare()) {
                        Poll::Ready(read) => read,
                        Poll::Pending => {
                            self.ended = Some(ConnectionEnd::Exited(exit));
                            continue;
                        }
                    }
                }
            };
            self.accept(&read);
        }
    }

    /// The next line that came before a question. Only the pipe itself knows: the runtime may not have looked since
    /// answers are waited for on the spot. Pending wakes nobody.
    pub(in crate::player) fn poll_early_line(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Range<usize>, ConnectionEnd>> {
        loop {
            if let Some(next_received) = self.next_received() {
                return Poll::Ready(next_received);
            }
            if !self.read_available(cx) {
                return Poll::Pending;
            }
        }
    }

    /// Takes in the answer if it comes within a beat: an engine that answers at once is then never waited for through
    /// the runtime.
    pub(in crate::player) fn block_for_answer(&mut self, reader: &BlockingReader) {
        if self.ended.is_some() || self.skips > 0 {
            self.skips = self.skips.saturating_sub(1);
            reader.disarm();
        } else if let Poll::Ready(read) = self.transport.read_blocking(reader, self.inbox.spare()) {
            self.accept(&read);
            self.misses = 0;
        } else {
            // One beat may have come at the wrong moment; two in a row queue_line that the engine takes its time.
            self.misses = self.misses.saturating_add(1);
            if self.misses > 1 {
                let doublings = self.misses.min(16) - 2;
                self.skips = (SKIPS.start() << doublings).min(*SKIPS.end());
            }
        }
    }

    /// Takes in what is here, and says whether there was anything.
    pub(in crate::player) fn read_available(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let Poll::Ready(read) = self.transport.read_available(cx, self.inbox.spare()) else { return false };
        self.accept(&read);
        true
    }

    /// A line that has been taken in, or the end behind the last one.
    fn next_received(&mut self) -> Option<Result<Range<usize>, ConnectionEnd>> {
        let Some(place) = self.inbox.next_line() else { return self.ended.map(Err) };
        self.transcript.note(Direction::FromEngine, self.inbox.line(place.clone()));
        Some(Ok(place))
    }

    fn accept(&mut self, read: &io::Result<usize>) {
        self.read_at = Instant::now();
        match *read {
            Ok(count) if count > 0 => {
                self.inbox.filled(count);
                self.received_bytes += count;
                if self.received_bytes > self.move_bytes {
                    self.ended = Some(ConnectionEnd::Flood);
                }
            }
            _ => self.ended = Some(ConnectionEnd::OutputClosed),
        }
    }

    /// The bytes of a line just received.
    pub(in crate::player) fn text(&self, place: Range<usize>) -> &[u8] {
        self.inbox.line(place)
    }

    /// Lines dropped for their length since the last call.
    pub(in crate::player) fn take_overlong(&mut self) -> u64 {
        self.inbox.take_overlong()
    }

    /// The last lines each way, `>` ours and `<` the engine's.
    pub(in crate::player) fn transcript(&self) -> Vec<String> {
        self.transcript.lines()
    }
}
