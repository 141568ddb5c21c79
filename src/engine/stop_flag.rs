//! The handle by which the world ends a search, or tells it that its expected move came.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cloneable handle on one search. Raise it from any thread; the search notices within a millisecond or so.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl StopFlag {
    /// A handle that has signalled nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search; it answers with the best move it knows.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    /// Tells a pondering search that the expected move was played, so its limits hold from now on.
    pub fn ponderhit(&self) {
        self.0.ponderhit.store(true, Ordering::Release);
    }

    /// Makes the handle ready for another search.
    pub fn reset(&self) {
        self.0.stop.store(false, Ordering::Release);
        self.0.ponderhit.store(false, Ordering::Release);
    }

    /// Whether the search must end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Whether the expected move was played.
    pub fn is_ponderhit(&self) -> bool {
        self.0.ponderhit.load(Ordering::Relaxed)
    }
}
