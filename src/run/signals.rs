//! The signals that end a run.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the user, or the system, asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Ctrl-C: finish what is being played; once more: stop now.
    Asked,
    /// The machine or the terminal goes away: finish what is being played, but not for long.
    Leaving,
}

/// The signals, listened to from now on.
#[derive(Debug)]
pub struct Interrupts {
    int: Signal,
    term: Signal,
    hup: Signal,
}

impl Interrupts {
    /// Takes the signals over from the system.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.int.recv() => Interrupt::Asked,
            _ = self.term.recv() => Interrupt::Leaving,
            _ = self.hup.recv() => Interrupt::Leaving,
        }
    }
}
