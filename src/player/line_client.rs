//! Lines to and from an engine without a protocol, for programs that examine engines.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::player::connection::Connection;
use crate::player::{ExitEvidence, ProcessTransport, ShutdownMode, ShutdownReport, Timeouts, Transport};

/// A connection to an engine that sends and receives lines as they are.
#[derive(Debug)]
pub struct LineClient {
    connection: Connection<ProcessTransport>,
    timeouts: Timeouts,
}

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedLine {
    /// The text, with replacement characters where it is not UTF-8.
    pub text: String,
    /// When it was read.
    pub at: Instant,
}

/// Reason why no line was received or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The deadline passed.
    Late,
    /// The engine ended, closed a stream or exceeded the limit on output.
    Closed,
}

impl LineClient {
    /// Creates a client of a process that was just started.
    pub fn new(transport: ProcessTransport, timeouts: &Timeouts) -> Self {
        Self { connection: Connection::new(transport, timeouts, None), timeouts: timeouts.clone() }
    }

    /// Sends lines in one write; returns when it began.
    pub async fn send(&mut self, lines: &[&str]) -> Result<Instant, LineError> {
        self.connection.begin_exchange();
        for line in lines {
            self.connection.queue_line(line.as_bytes());
        }
        let deadline = Instant::now() + self.timeouts.write;
        let sent = std::future::poll_fn(|cx| self.connection.poll_send(cx));
        match timeout_at(deadline, sent).await {
            Ok(Ok(())) => Ok(self.connection.wrote_at()),
            Ok(Err(_)) => Err(LineError::Closed),
            Err(_) => Err(LineError::Late),
        }
    }

    /// Waits for the next line.
    pub async fn line(&mut self, deadline: Instant) -> Result<ReceivedLine, LineError> {
        let received = std::future::poll_fn(|cx| self.connection.poll_line(cx));
        match timeout_at(deadline, received).await {
            Ok(Ok(range)) => {
                let text = String::from_utf8_lossy(self.connection.text(range)).into_owned();
                Ok(ReceivedLine { text, at: self.connection.read_at() })
            }
            Ok(Err(_)) => Err(LineError::Closed),
            Err(_) => Err(LineError::Late),
        }
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.connection.transport.close_input();
    }

    /// Sends SIGTERM to the engine.
    pub fn terminate(&self) {
        self.connection.transport.terminate();
    }

    /// Waits for the end of the process.
    pub async fn exit(&mut self, allowed: Duration) -> Option<ExitEvidence> {
        self.connection.transport.wait(allowed).await
    }

    /// Returns the process.
    pub fn transport(&self) -> &ProcessTransport {
        &self.connection.transport
    }

    /// Returns the last lines in both directions.
    pub fn transcript(&self) -> Vec<String> {
        self.connection.transcript()
    }

    /// Kills the engine and waits for its end.
    pub async fn kill(self) -> ShutdownReport {
        self.connection.transport.shut_down(ShutdownMode::Kill, &self.timeouts).await
    }
}
