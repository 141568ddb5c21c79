//! The signals that end a run.

use std::fs;
use std::io;

use nix::sys::signal::{SigSet, SigmaskHow, Signal as SignalName};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A request to end the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Ctrl-C: finish the pairs in play; a second one stops at once.
    Asked,
    /// The machine or the terminal goes away: finish the pairs in play within a few seconds.
    Leaving,
}

/// Handlers for SIGINT, SIGTERM and SIGHUP, and for the signal of exhausted processor time (`ulimit -t`), which would kill the
/// process without a word. A signal that was ignored when the program started stays ignored: that is how
/// `nohup` and shells protect a program in the background.
#[derive(Debug)]
pub struct Interrupts {
    int: Option<Signal>,
    term: Option<Signal>,
    hup: Option<Signal>,
    /// Processor time is used up. The system repeats the signal every second, and kills at a second limit.
    cpu: Option<Signal>,
}

impl Interrupts {
    /// Installs the handlers.
    pub fn listen() -> io::Result<Self> {
        let ignored = IgnoredSignals::of_this_process();
        let handler = |name: SignalName, kind: SignalKind| {
            if ignored.contains(name) { Ok(None) } else { signal(kind).map(Some) }
        };
        Ok(Self {
            int: handler(SignalName::SIGINT, SignalKind::interrupt())?,
            term: handler(SignalName::SIGTERM, SignalKind::terminate())?,
            hup: handler(SignalName::SIGHUP, SignalKind::hangup())?,
            cpu: handler(SignalName::SIGXCPU, SignalKind::from_raw(SignalName::SIGXCPU as i32))?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Interrupt {
        tokio::select! {
            () = received(&mut self.int) => Interrupt::Asked,
            () = received(&mut self.term) => Interrupt::Leaving,
            () = received(&mut self.hup) => Interrupt::Leaving,
            () = received(&mut self.cpu) => Interrupt::Leaving,
        }
    }
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) an error for the rest of the life of this process, instead of
/// its end without a word. Engines are not affected.
pub fn survive_file_limit() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    if !IgnoredSignals::of_this_process().contains(SignalName::SIGXFSZ) {
        // The handler stays when what receives the signal is dropped.
        drop(signal(SignalKind::from_raw(SignalName::SIGXFSZ as i32))?);
    }
    Ok(())
}

/// SIGINT, SIGTERM and SIGHUP, held back from this thread while a step is done that must not be cut off in its middle. Those
/// that were ignored when the program started stay ignored.
#[derive(Debug)]
pub struct HeldSignals {
    before: SigSet,
    waiting: SignalFd,
}

impl HeldSignals {
    /// Holds the signals back until this is dropped. The process must have no other thread that accepts them.
    pub fn hold() -> io::Result<Self> {
        let ignored = IgnoredSignals::of_this_process();
        let mut held = SigSet::empty();
        for name in [SignalName::SIGINT, SignalName::SIGTERM, SignalName::SIGHUP] {
            if !ignored.contains(name) {
                held.add(name);
            }
        }
        let waiting = SignalFd::with_flags(&held, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        let before = held.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        Ok(Self { before, waiting })
    }

    /// Returns whether a signal has arrived since the last call.
    pub fn has_arrived(&mut self) -> bool {
        matches!(self.waiting.read_signal(), Ok(Some(_)))
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        // Setting a mask that was valid before does not fail.
        let _ = self.before.thread_set_mask();
    }
}

/// Waits for a signal; never returns for one without a handler.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// The set of ignored signals, bit `n - 1` for signal `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct IgnoredSignals(u64);

impl IgnoredSignals {
    /// Read from procfs, which needs no unsafe code; without procfs none counts as ignored.
    fn of_this_process() -> Self {
        fs::read_to_string("/proc/self/status").map_or(Self::default(), |status| Self::parse(&status))
    }

    fn parse(status: &str) -> Self {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        Self(mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0))
    }

    fn contains(self, signal: SignalName) -> bool {
        self.0 >> (signal as u32 - 1) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read_by_number() {
        let ignored =
            IgnoredSignals::parse("Name:\tplayself\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n");
        assert!(ignored.contains(SignalName::SIGHUP) && ignored.contains(SignalName::SIGPIPE));
        assert!(!ignored.contains(SignalName::SIGINT) && !ignored.contains(SignalName::SIGTERM));
        assert_eq!(IgnoredSignals::parse("no such line"), IgnoredSignals::default());
    }
}
