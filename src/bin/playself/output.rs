//! Standard output and error for a run that nobody may hold up: a reader who stops reading misses lines, and that is all.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Lines that may wait for a slow reader; later ones are dropped until it catches up.
const PATIENCE: usize = 1 << 16;

/// How long the last lines may take.
const LEAVE: Duration = Duration::from_secs(1);

/// A stream written by a thread of its own, whole lines at a time.
pub(crate) struct Unhurried {
    lines: Option<SyncSender<Vec<u8>>>,
    written: Receiver<()>,
    line: Vec<u8>,
}

impl Unhurried {
    /// Takes over `stream`.
    pub(crate) fn new(mut stream: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel::<Vec<u8>>(PATIENCE);
        let (done, written) = sync_channel(1);
        thread::spawn(move || {
            for line in waiting {
                // A reader who has gone is no reason to stop; there is merely nobody left to write for.
                if stream.write_all(&line).and_then(|()| stream.flush()).is_err() {
                    break;
                }
            }
            let _ = done.send(());
        });
        Self { lines: Some(lines), written, line: Vec::new() }
    }
}

impl Write for Unhurried {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n")
                && let Some(lines) = &self.lines
            {
                // Full, or nobody there: the line is lost, the run goes on.
                let _ = lines.try_send(std::mem::take(&mut self.line));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Unhurried {
    fn drop(&mut self) {
        self.lines = None;
        let _ = self.written.recv_timeout(LEAVE);
    }
}

/// Writes a last word, unless its reader has stopped reading.
pub(crate) fn say_if_heard(mut stream: impl Write + AsFd, text: &str) {
    if takes_more(stream.as_fd()) {
        // People who closed their terminal do not want to hear it.
        let _ = writeln!(stream, "{text}");
    }
}

fn takes_more(stream: BorrowedFd<'_>) -> bool {
    let mut asked = [PollFd::new(stream, PollFlags::POLLOUT)];
    let limit = PollTimeout::try_from(LEAVE).unwrap_or(PollTimeout::NONE);
    poll(&mut asked, limit).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn whole_lines_come_through_in_order() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut output = Unhurried::new(writer);
        write!(output, "one\ntw").unwrap();
        writeln!(output, "o").unwrap();
        drop(output);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn a_reader_who_stops_holds_nobody_up() {
        let (reader, writer) = io::pipe().unwrap();
        let mut output = Unhurried::new(writer.try_clone().unwrap());
        for number in 0..4 * PATIENCE {
            writeln!(output, "line {number}").unwrap();
        }
        drop(output);
        assert!(!takes_more(writer.as_fd()), "the pipe is full");
        drop(reader);
    }
}
