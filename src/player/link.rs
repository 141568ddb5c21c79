//! A conversation in lines with one engine, bounded in every direction.

use std::io;
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
    /// Answers taken in a row without waiting for news of them.
    at_once: u32,
    /// Questions still to come after which no look is worth its system call.
    unlooked: u32,
    ended: Option<LinkEnd>,
}

/// After so many answers taken at once, one is waited for like any other: other games of the thread, timers and ends of
/// processes are heard of while it waits.
const AT_ONCE: u32 = 16;

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
            at_once: 0,
            unlooked: 0,
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
            if let Some(place) = self.next_line() {
                return Poll::Ready(Ok(place));
            }
            if let Some(end) = self.ended {
                return Poll::Ready(Err(end));
            }
            let read = match self.transport.poll_read(cx, self.inbox.spare()) {
                Poll::Ready(read) => read,
                Poll::Pending => {
                    self.at_once = 0;
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
            self.take_in(&read);
        }
    }

    /// The next line that came before a question, as far as there is news of any.
    pub(super) fn line_before_question(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Result<Option<Range<usize>>, LinkEnd> {
        // Between two answers taken at once nobody has slept, so there is no news; not to ask for it is what makes
        // them cheap.
        if self.at_once > 0 && self.ended.is_none() {
            return Ok(self.next_line());
        }
        match self.poll_line(cx) {
            Poll::Ready(line) => line.map(Some),
            Poll::Pending => Ok(None),
        }
    }

    /// Takes in the answer if it is here already: an engine that shares our processor and answers at once has often done
    /// so by the time that the question is written. After one that has not, a while passes until the next look.
    pub(super) fn look_for_answer(&mut self, cx: &mut Context<'_>) {
        if self.unlooked > 0 {
            self.unlooked -= 1;
        } else if self.at_once < AT_ONCE {
            if self.look(cx) {
                self.at_once += 1;
            } else {
                self.unlooked = AT_ONCE;
            }
        }
    }

    /// Takes in what is here, and says whether there was anything.
    pub(super) fn look(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let Poll::Ready(read) = self.transport.read_now(cx, self.inbox.spare()) else { return false };
        self.take_in(&read);
        true
    }

    fn next_line(&mut self) -> Option<Range<usize>> {
        let place = self.inbox.next_line()?;
        self.transcript.note(Speaker::Engine, self.inbox.line(place.clone()));
        Some(place)
    }

    fn take_in(&mut self, read: &io::Result<usize>) {
        self.read_at = Instant::now();
        match *read {
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
