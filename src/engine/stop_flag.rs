//! Handle to stop a running search, or to signal a ponder hit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cloneable handle to one search. It may be used from any thread; the search reacts within about a millisecond.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl StopFlag {
    /// Creates a handle on which nothing has been signalled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the search, which then returns its best move.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    /// Signals a pondering search that the expected move was played: its limits apply from now on.
    pub fn ponderhit(&self) {
        self.0.ponderhit.store(true, Ordering::Release);
    }

    /// Resets the handle for another search.
    pub fn reset(&self) {
        self.0.stop.store(false, Ordering::Release);
        self.0.ponderhit.store(false, Ordering::Release);
    }

    /// Whether the search was stopped.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Whether the expected move was played.
    pub fn is_ponderhit(&self) -> bool {
        self.0.ponderhit.load(Ordering::Relaxed)
    }
}
