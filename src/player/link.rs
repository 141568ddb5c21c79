//! A conversation in lines with one engine, bounded in every direction.

use std::ops::Range;
use std::task::{Context, Poll, ready};

use tokio::time::Instant;

use crate::player::line_buffer::LineBuffer;
use crate::player::transcript::{Speaker, Transcript};
use crate::player::{ExitEvidence, Patience, Transport};

/// Why a conversation cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkEnd {
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
pub(super) struct Link<T> {
    pub(super) transport: T,
    inbox: LineBuffer,
    outbox: Vec<u8>,
    sent: usize,
    transcript: Transcript,
    heard_bytes: usize,
    move_bytes: usize,
    read_at: Instant,
    wrote_at: Option<Instant>,
    ended: Option<LinkEnd>,
}

impl<T: Transport> Link<T> {
    pub(super) fn new(transport: T, patience: &Patience) -> Self {
        Self {
            transport,
            inbox: LineBuffer::new(patience.line_bytes),
            outbox: Vec::with_capacity(1024),
            sent: 0,
            transcript: Transcript::new(),
            heard_bytes: 0,
            move_bytes: patience.move_bytes,
            read_at: Instant::now(),
            wrote_at: None,
            ended: None,
        }
    }

    /// Adds a line, given without its end, to the message that goes out with [`Link::poll_send`].
    pub(super) fn say(&mut self, line: &[u8]) {
        if self.sent > 0 && self.sent == self.outbox.len() {
            self.outbox.clear();
            self.sent = 0;
        }
        self.outbox.extend_from_slice(line);
        self.outbox.push(b'\n');
        self.transcript.note(Speaker::Harness, line);
    }

    /// Starts a new count of output and forgets when the last message went out.
    pub(super) fn begin_exchange(&mut self) {
        self.heard_bytes = 0;
        self.wrote_at = None;
    }

    /// Whether a message waits of which the engine has seen nothing yet.
    pub(super) fn is_unsent(&self) -> bool {
        self.is_sending() && self.wrote_at.is_none()
    }

    /// Whether part of a message is still ours.
    pub(super) fn is_sending(&self) -> bool {
        self.sent < self.outbox.len()
    }

    /// Writes what the engine takes. Ready when all is written.
    pub(super) fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        while self.sent < self.outbox.len() {
            if self.wrote_at.is_none() {
                self.wrote_at = Some(Instant::now());
            }
            match ready!(self.transport.poll_write(cx, &self.outbox[self.sent..])) {
                Ok(count) if count > 0 => self.sent += count,
                _ => {
                    self.sent = self.outbox.len();
                    return Poll::Ready(Err(LinkEnd::InputClosed));
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// When the current message began to go out: the moment an engine's clock starts.
    pub(super) fn wrote_at(&self) -> Instant {
        self.wrote_at.unwrap_or(self.read_at)
    }

    /// When the newest bytes were read: the moment an engine's clock stops.
    pub(super) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// The next line, as a place for [`Link::text`]. Whole lines already received come before any ending.
    pub(super) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Range<usize>, LinkEnd>> {
        loop {
            if let Some(place) = self.inbox.next_line() {
                self.transcript.note(Speaker::Engine, self.inbox.line(place.clone()));
                return Poll::Ready(Ok(place));
            }
            if let Some(end) = self.ended {
                return Poll::Ready(Err(end));
            }
            let read = match self.transport.poll_read(cx, self.inbox.spare()) {
                Poll::Ready(read) => read,
                Poll::Pending => {
                    let exit = ready!(self.transport.poll_exit(cx));
                    // What it wrote before it ended may have arrived between the two polls.
                    match self.transport.poll_read(cx, self.inbox.spare()) {
                        Poll::Ready(read) => read,
                        Poll::Pending => {
                            self.ended = Some(LinkEnd::Exited(exit));
                            continue;
                        }
                    }
                }
            };
            self.read_at = Instant::now();
            match read {
                Ok(count) if count > 0 => {
                    self.inbox.filled(count);
                    self.heard_bytes += count;
                    if self.heard_bytes > self.move_bytes {
                        self.ended = Some(LinkEnd::Flood);
                    }
                }
                _ => self.ended = Some(LinkEnd::OutputClosed),
            }
        }
    }

    /// The bytes of a line just received.
    pub(super) fn text(&self, place: Range<usize>) -> &[u8] {
        self.inbox.line(place)
    }

    /// Lines dropped for their length since the last call.
    pub(super) fn take_overlong(&mut self) -> u64 {
        self.inbox.take_overlong()
    }

    /// The last lines each way, `>` ours and `<` the engine's.
    pub(super) fn transcript(&self) -> Vec<String> {
        self.transcript.lines()
    }
}
