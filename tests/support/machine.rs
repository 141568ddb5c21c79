//! A lock on the machine for tests that measure time or load every processor.

use std::sync::{Mutex, MutexGuard, PoisonError};

static MACHINE: Mutex<()> = Mutex::new(());

/// Waits until no other test of this program holds the lock. Tests that do not take the lock still run at the same time.
pub(crate) fn reserve() -> MutexGuard<'static, ()> {
    // A test that panicked has released the machine as well.
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}
