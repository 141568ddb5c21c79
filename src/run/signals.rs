//! The signals that end a run.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A request to end the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Ctrl-C: finish the pairs in play; a second one stops at once.
    Asked,
    /// The machine or the terminal goes away: finish the pairs in play within a few seconds.
    Leaving,
}

/// Handlers for SIGINT, SIGTERM and SIGHUP.
#[derive(Debug)]
pub struct Interrupts {
    int: Signal,
    term: Signal,
    hup: Signal,
}

impl Interrupts {
    /// Installs the handlers.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.int.recv() => Interrupt::Asked,
            _ = self.term.recv() => Interrupt::Leaving,
            _ = self.hup.recv() => Interrupt::Leaving,
        }
    }
}
