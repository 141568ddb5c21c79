//! A lock on the machine for tests that measure time or load every processor.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

/// Reserves the machine for a test that loads every processor. Waits until no other test of this program holds the lock;
/// tests that do not take it still run at the same time.
pub(crate) fn reserve() -> RwLockWriteGuard<'static, ()> {
    // A test that panicked has released the machine as well.
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Shares the machine with other tests that measure time and need little of it. Waits until none loads every processor.
#[allow(dead_code, reason = "shared by several test programs")]
pub(crate) fn share() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}
