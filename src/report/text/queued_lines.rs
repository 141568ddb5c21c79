//! Lines for a reader that may be slow or stop reading.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use crate::report::text::harmless;
use crate::report::text::stream_thread::{Queue, StreamThread};

/// Bytes that wait for a slow reader at most; a run of a hundred thousand games prints as much.
const MAX_WAITING: usize = 16 << 20;

/// Bytes that are taken from the queue at once.
const BATCH: usize = 16 << 10;

/// What happens if a reader is so slow that the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowReader {
    /// The oldest lines are dropped, and a line in their place states how many. The writer never waits.
    LosesLines,
    /// The writer waits for the reader. No line is dropped.
    DelaysWriter,
}

/// A stream that a separate thread writes to, in whole lines.
pub struct QueuedLines {
    thread: StreamThread<LineQueue>,
    slow_reader: SlowReader,
    /// The line that is not complete yet.
    line: Vec<u8>,
}

impl QueuedLines {
    /// Takes over `stream`. `lost` returns the line that stands for a number of dropped ones. When the last line is
    /// written, a reader that accepts nothing for `drain_timeout` is given up.
    pub fn new(
        stream: impl Write + Send + 'static,
        slow_reader: SlowReader,
        lost: fn(u64) -> String,
        drain_timeout: Duration,
    ) -> io::Result<Self> {
        let queue = LineQueue { lines: VecDeque::new(), bytes: 0, dropped: 0, lost };
        let thread = StreamThread::start(stream, queue, drain_timeout)?;
        Ok(Self { thread, slow_reader, line: Vec::new() })
    }
}

impl Write for QueuedLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = printable(std::mem::take(&mut self.line));
                match self.slow_reader {
                    SlowReader::LosesLines => self.thread.put(|queue| queue.push_or_drop(line)),
                    SlowReader::DelaysWriter => {
                        self.thread.put_when(LineQueue::has_room, |queue| queue.push(line));
                    }
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the line without what could control a terminal.
fn printable(line: Vec<u8>) -> Vec<u8> {
    match String::from_utf8_lossy(&line) {
        Cow::Borrowed(text) => match harmless(text) {
            Cow::Borrowed(_) => line,
            Cow::Owned(text) => text.into_bytes(),
        },
        Cow::Owned(text) => harmless(&text).into_owned().into_bytes(),
    }
}

struct LineQueue {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Number of lines dropped before the first one that waits.
    dropped: u64,
    lost: fn(u64) -> String,
}

impl LineQueue {
    fn has_room(&self) -> bool {
        self.bytes < MAX_WAITING
    }

    fn push(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }

    /// Appends a line. The end of a run matters most, so the oldest lines make room for it.
    fn push_or_drop(&mut self, line: Vec<u8>) {
        while !self.has_room() && self.pop().is_some() {
            self.dropped += 1;
        }
        self.push(line);
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        let line = self.lines.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }
}

impl Queue for LineQueue {
    fn take(&mut self) -> Option<Vec<u8>> {
        let mut batch = Vec::new();
        if self.dropped > 0 {
            batch = (self.lost)(std::mem::take(&mut self.dropped)).into_bytes();
            batch.push(b'\n');
        }
        while batch.len() < BATCH
            && let Some(line) = self.pop()
        {
            batch.extend_from_slice(&line);
        }
        (!batch.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, PipeReader, Read};
    use std::sync::mpsc::channel;
    use std::thread;

    fn pipe(slow_reader: SlowReader) -> (PipeReader, QueuedLines) {
        let (reader, writer) = io::pipe().unwrap();
        let lost = |lines| format!("{lines} lost");
        (reader, QueuedLines::new(writer, slow_reader, lost, Duration::from_millis(300)).unwrap())
    }

    #[test]
    fn whole_lines_arrive_in_order() {
        let (mut reader, mut output) = pipe(SlowReader::LosesLines);
        write!(output, "one\ntw").unwrap();
        writeln!(output, "o").unwrap();
        drop(output);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn a_reader_that_stops_reading_loses_the_oldest_lines_and_learns_how_many() {
        let (reader, mut output) = pipe(SlowReader::LosesLines);
        let filler = "x".repeat(1 << 10);
        let count = 2 * MAX_WAITING / filler.len();
        for number in 0..count {
            writeln!(output, "{number} {filler}").unwrap();
        }
        let mut lines = BufReader::new(reader).lines();
        let (first, mut lost, mut read) = (lines.next().unwrap().unwrap(), 0, 1);
        assert!(first.starts_with("0 "));
        // The last lines are read while the writer lingers.
        let reading = thread::spawn(move || {
            let mut last = String::new();
            for line in lines.map(Result::unwrap) {
                match line.strip_suffix(" lost") {
                    Some(number) => lost += number.parse::<usize>().unwrap(),
                    None => read += 1,
                }
                last = line;
            }
            (lost, read, last)
        });
        drop(output);
        let (lost, read, last) = reading.join().unwrap();
        assert!(lost > 0 && lost + read == count, "{lost} lost and {read} read of {count}");
        assert!(last.starts_with(&format!("{} ", count - 1)), "the newest line is kept");
    }

    #[test]
    fn a_writer_that_may_wait_drops_no_line() {
        let (reader, mut output) = pipe(SlowReader::DelaysWriter);
        let (done, waits) = channel();
        let filler = "x".repeat(1 << 10);
        let count = MAX_WAITING / filler.len() + 500;
        let writing = thread::spawn(move || {
            for number in 0..count {
                writeln!(output, "{number} {filler}").unwrap();
            }
            done.send(()).unwrap();
        });
        assert!(waits.recv_timeout(Duration::from_millis(300)).is_err(), "the writer waits for its reader");
        let mut expected = 0..count;
        for line in BufReader::new(reader).lines().map(Result::unwrap) {
            assert!(line.starts_with(&format!("{} ", expected.next().unwrap())));
        }
        assert_eq!(expected.len(), 0, "every line was read");
        writing.join().unwrap();
    }

    #[test]
    fn a_closed_stream_or_one_that_is_never_read_does_not_block_the_writer() {
        let (reader, mut output) = pipe(SlowReader::DelaysWriter);
        drop(reader);
        for _ in 0..100 {
            writeln!(output, "{}", "x".repeat(1 << 20)).unwrap();
        }
        drop(output);
        let (_reader, mut output) = pipe(SlowReader::LosesLines);
        writeln!(output, "{}", "x".repeat(1 << 20)).unwrap();
        drop(output);
    }
}
