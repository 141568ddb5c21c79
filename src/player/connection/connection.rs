//! Line-based connection to one engine with bounded memory.

use std::io;
use std::ops::{Range, RangeInclusive};
use std::task::{Context, Poll, ready};

use tokio::time::Instant;

use crate::player::connection::line_buffer::LineBuffer;
use crate::player::connection::transcript::{Direction, Transcript};
use crate::player::tap::Tap;
use crate::player::{BlockingReader, ExitEvidence, LineSender, Timeouts, Transport};

/// Reason why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum ConnectionEnd {
    /// The engine closed its output.
    OutputClosed,
    /// The engine closed its input.
    InputClosed,
    /// The engine sent more output than allowed for one move.
    Flood,
    /// The engine refused a move or a command of the game.
    Refused,
    /// The process ended while another process kept its output open.
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
    tap: Option<Tap>,
    received_bytes: usize,
    move_bytes: usize,
    read_at: Instant,
    wrote_at: Option<Instant>,
    /// Consecutive blocking reads that ended without an answer.
    misses: u32,
    /// Number of questions for which no blocking read is attempted.
    skips: u32,
    ended: Option<ConnectionEnd>,
}

/// Questions skipped after consecutive blocking reads without an answer. The number starts at the lower bound and
/// doubles up to the upper one, so a slow engine is rarely waited for with a blocking read.
const SKIPS: RangeInclusive<u32> = 16..=1024;

impl<T: Transport> Connection<T> {
    pub(in crate::player) fn new(transport: T, timeouts: &Timeouts, tap: Option<Tap>) -> Self {
        Self {
            transport,
            inbox: LineBuffer::new(timeouts.line_bytes),
            outbox: Vec::with_capacity(1024),
            sent: 0,
            transcript: Transcript::new(),
            tap,
            received_bytes: 0,
            move_bytes: timeouts.move_bytes,
            read_at: Instant::now(),
            wrote_at: None,
            misses: 0,
            skips: 0,
            ended: None,
        }
    }

    /// Queues a line, given without its end, for [`Connection::poll_send`].
    pub(in crate::player) fn queue_line(&mut self, line: &[u8]) {
        if self.sent > 0 && self.sent == self.outbox.len() {
            self.outbox.clear();
            self.sent = 0;
        }
        self.outbox.extend_from_slice(line);
        self.outbox.push(b'\n');
        self.transcript.record(Direction::ToEngine, line);
        if let Some(tap) = &self.tap {
            tap.pass_on(LineSender::Harness, line);
        }
    }

    /// Resets the count of received bytes and the time at which the last message was written.
    pub(in crate::player) fn begin_exchange(&mut self) {
        self.received_bytes = 0;
        self.wrote_at = None;
    }

    /// Returns whether part of the queued message is still unwritten.
    pub(in crate::player) fn is_sending(&self) -> bool {
        self.sent < self.outbox.len()
    }

    /// Writes as much as the engine's pipe accepts. Ready when everything is written.
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

    /// Returns when the first byte of the current message was written, which is when the engine's clock starts.
    pub(in crate::player) fn wrote_at(&self) -> Instant {
        self.wrote_at.unwrap_or(self.read_at)
    }

    /// Returns when the latest bytes were read, which is when the engine's clock stops.
    pub(in crate::player) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// Polls for the next line, returned as a range for [`Connection::text`]. Complete lines are returned before the
    /// end of the connection.
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
                    // Output written before the exit may have arrived between the two polls.
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

    /// Returns the next line that arrived before a question. Reads the pipe directly, because the runtime may not
    /// have polled it since the last blocking read. `Pending` does not register a waker.
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

    /// Reads the answer if it arrives within one tick, so that an engine that answers immediately is never waited for
    /// through the runtime.
    pub(in crate::player) fn block_for_answer(&mut self, reader: &BlockingReader) {
        if self.ended.is_some() || self.skips > 0 {
            self.skips = self.skips.saturating_sub(1);
            reader.disarm();
        } else if let Poll::Ready(read) = self.transport.read_blocking(reader, self.inbox.spare()) {
            self.accept(&read);
            self.misses = 0;
        } else {
            // A single tick may have come at an unfortunate moment; two in a row mean that the engine needs longer.
            self.misses = self.misses.saturating_add(1);
            if self.misses > 1 {
                let doublings = self.misses.min(16) - 2;
                self.skips = (SKIPS.start() << doublings).min(*SKIPS.end());
            }
        }
    }

    /// Reads the bytes available in the pipe; returns whether there were any.
    pub(in crate::player) fn read_available(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let Poll::Ready(read) = self.transport.read_available(cx, self.inbox.spare()) else { return false };
        self.accept(&read);
        true
    }

    /// Returns the next complete line, or the end of the connection after the last one.
    fn next_received(&mut self) -> Option<Result<Range<usize>, ConnectionEnd>> {
        let Some(range) = self.inbox.next_line() else { return self.ended.map(Err) };
        self.transcript.record(Direction::FromEngine, self.inbox.line(range.clone()));
        if let Some(tap) = &self.tap {
            tap.pass_on(LineSender::Engine, self.inbox.line(range.clone()));
        }
        Some(Ok(range))
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

    /// Returns the bytes of a line just received.
    pub(in crate::player) fn text(&self, range: Range<usize>) -> &[u8] {
        self.inbox.line(range)
    }

    /// Returns the number of lines dropped for their length since the last call.
    pub(in crate::player) fn take_overlong(&mut self) -> u64 {
        self.inbox.take_overlong()
    }

    /// Returns the last lines in both directions, `>` to the engine and `<` from it.
    pub(in crate::player) fn transcript(&self) -> Vec<String> {
        self.transcript.lines()
    }
}
