//! A lock on the machine for tests that measure time or load every processor.

use std::sync::{Mutex, MutexGuard, PoisonError};

static MACHINE: Mutex<()> = Mutex::new(());

/// Waits until no other test of this program holds the lock. Tests that do not take it still run beside the caller.
pub(crate) fn reserve() -> MutexGuard<'static, ()> {
    // A holder that failed has released the machine all the same.
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}
