//! Standard output and error for a run: a reader that stops reading loses lines, and never blocks the run.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Lines queued for a slow reader; later ones are dropped until it catches up.
const QUEUED_LINES: usize = 1 << 16;

/// How long the last lines may take to be written.
const LINGER: Duration = Duration::from_secs(1);

/// A stream that a separate thread writes to, in whole lines.
pub(super) struct NonBlockingWriter {
    lines: Option<SyncSender<Vec<u8>>>,
    written: Receiver<()>,
    line: Vec<u8>,
}

impl NonBlockingWriter {
    /// Takes over `stream`.
    pub(super) fn new(mut stream: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel::<Vec<u8>>(QUEUED_LINES);
        let (done, written) = sync_channel(1);
        thread::spawn(move || {
            for line in waiting {
                // A closed stream does not stop the run; its lines are dropped.
                if stream.write_all(&line).and_then(|()| stream.flush()).is_err() {
                    break;
                }
            }
            let _ = done.send(());
        });
        Self { lines: Some(lines), written, line: Vec::new() }
    }
}

impl Write for NonBlockingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n")
                && let Some(lines) = &self.lines
            {
                // The queue is full or the stream is closed: the line is lost.
                let _ = lines.try_send(std::mem::take(&mut self.line));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for NonBlockingWriter {
    fn drop(&mut self) {
        self.lines = None;
        let _ = self.written.recv_timeout(LINGER);
    }
}

/// Writes a line, unless the reader has stopped reading.
pub(super) fn write_if_writable(mut stream: impl Write + AsFd, text: &str) {
    if is_writable(stream.as_fd()) {
        // A closed terminal needs no message.
        let _ = writeln!(stream, "{text}");
    }
}

fn is_writable(stream: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::new(stream, PollFlags::POLLOUT)];
    let limit = PollTimeout::try_from(LINGER).unwrap_or(PollTimeout::NONE);
    poll(&mut asked, limit).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn whole_lines_come_through_in_order() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut output = NonBlockingWriter::new(writer);
        write!(output, "one\ntw").unwrap();
        writeln!(output, "o").unwrap();
        drop(output);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn a_reader_that_stops_reading_does_not_block_the_writer() {
        let (reader, writer) = io::pipe().unwrap();
        let mut output = NonBlockingWriter::new(writer.try_clone().unwrap());
        for number in 0..4 * QUEUED_LINES {
            writeln!(output, "line {number}").unwrap();
        }
        drop(output);
        assert!(!is_writable(writer.as_fd()), "the pipe is full");
        drop(reader);
    }
}
