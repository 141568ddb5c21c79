//! Standard output for programs that read every line: nothing is dropped, however slowly they read.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::run::StopHandle;

/// How long the last lines may take after an interruption.
const LAST_LINES: Duration = Duration::from_secs(5);

/// A stream that a thread of its own writes to, in whole lines, each flushed. Waiting for a slow reader delays no game.
#[derive(Debug)]
pub(super) struct LineWriter {
    lines: Sender<Message>,
    written: Receiver<()>,
    drain_timeout: Option<Duration>,
}

#[derive(Debug)]
enum Message {
    Lines(Vec<u8>),
    /// Nothing more is written, even if a handle still exists.
    End,
}

/// A handle that queues lines for the same writer.
#[derive(Clone, Debug)]
pub(super) struct LineHandle(Sender<Message>);

impl LineHandle {
    /// Queues whole lines. Readers decode ASCII, so other letters become question marks.
    pub(super) fn put(&self, text: &str) {
        let ascii = text.chars().map(|letter| if letter.is_ascii() { letter as u8 } else { b'?' });
        self.put_raw(ascii.collect());
    }

    /// Queues whole lines as they are, for a file.
    pub(super) fn put_raw(&self, lines: Vec<u8>) {
        // Without a reader there is nothing left to do.
        let _ = self.0.send(Message::Lines(lines));
    }
}

impl LineWriter {
    /// Takes over `stream`. If its reader is gone, the results have no use any more, and `stop` ends the run.
    pub(super) fn new(mut stream: impl Write + Send + 'static, stop: StopHandle) -> Self {
        let (lines, waiting) = channel();
        let (done, written) = channel();
        let writing = move || {
            while let Ok(Message::Lines(line)) = waiting.recv() {
                if stream.write_all(&line).and_then(|()| stream.flush()).is_err() {
                    stop.stop();
                    break;
                }
            }
            // Dropping completes a compressed file.
            drop(stream);
            let _ = done.send(());
        };
        thread::Builder::new().name("lines".to_owned()).spawn(writing).expect("failed to spawn thread");
        Self { lines, written, drain_timeout: None }
    }

    /// The writer of standard output.
    pub(super) fn stdout(stop: StopHandle) -> Self {
        Self::new(io::stdout(), stop)
    }

    /// Queues whole lines.
    pub(super) fn put(&self, text: &str) {
        self.handle().put(text);
    }

    /// Returns a handle that queues lines for the same writer.
    pub(super) fn handle(&self) -> LineHandle {
        LineHandle(self.lines.clone())
    }

    /// From now on the last lines have only a few seconds: the run was interrupted.
    pub(super) fn limit_drain(&mut self) {
        self.drain_timeout = Some(LAST_LINES);
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        let _ = self.lines.send(Message::End);
        match self.drain_timeout {
            Some(drain_timeout) => drop(self.written.recv_timeout(drain_timeout)),
            None => drop(self.written.recv()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn a_slow_reader_receives_every_line() {
        let (reader, writer) = io::pipe().unwrap();
        let sent = thread::spawn(move || {
            let lines = LineWriter::new(writer, StopHandle::default());
            (0..20_000).for_each(|number| lines.put(&format!("line {number} \u{e9}\n")));
        });
        thread::sleep(Duration::from_millis(50));
        let mut received = 0;
        for line in BufReader::new(reader).lines() {
            assert_eq!(line.unwrap(), format!("line {received} ?"));
            received += 1;
        }
        sent.join().unwrap();
        assert_eq!(received, 20_000);
    }

    #[test]
    fn a_reader_that_is_gone_does_not_hold_the_writer() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let lines = LineWriter::new(writer, StopHandle::default());
        (0..10).for_each(|_| lines.put("x\n"));
    }
}
