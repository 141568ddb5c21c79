//! Scheduler slice of a thread: how long it runs before other threads of its processor get their turn.
#![expect(unsafe_code, reason = "sched_setattr has no safe interface")]

use std::io;

use nix::errno::Errno;
use nix::libc::{SCHED_OTHER, SYS_sched_getattr, SYS_sched_setattr, c_long, sched_attr, syscall};

/// Scheduler slice of a thread, in nanoseconds.
///
/// A thread that wakes up preempts the running one if its slice is shorter. Linux supports this since 6.12; before
/// that, a slice has no effect or cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchedSlice(u64);

impl SchedSlice {
    /// Returns the slice of the calling thread; `None` if slices cannot be set or the thread has another scheduling
    /// policy.
    pub(super) fn current() -> Option<Self> {
        let attributes = attributes().ok()?;
        let is_regular = attributes.sched_policy == SCHED_OTHER as u32 && attributes.sched_runtime > 0;
        is_regular.then_some(Self(attributes.sched_runtime))
    }

    /// Returns a slice of twice the length.
    pub(super) const fn doubled(self) -> Self {
        Self(self.0.saturating_mul(2))
    }

    /// Sets the slice of the calling thread.
    pub(super) fn apply(self) -> io::Result<()> {
        // The attributes are read again each time because the priority may have been changed from outside.
        let attributes = sched_attr { sched_runtime: self.0, ..attributes()? };
        // SAFETY: the kernel reads as many bytes as the size field of the structure states.
        checked(unsafe { syscall(SYS_sched_setattr, 0, &raw const attributes, 0) })
    }
}

fn attributes() -> io::Result<sched_attr> {
    // SAFETY: all fields are integers, for which zero is valid.
    let mut attributes: sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of::<sched_attr>() as u32;
    // SAFETY: the kernel writes at most `size` bytes, which is the size of the structure.
    checked(unsafe { syscall(SYS_sched_getattr, 0, &raw mut attributes, size, 0) })?;
    Ok(attributes)
}

fn checked(result: c_long) -> io::Result<()> {
    Errno::result(result).map(drop).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_that_was_set_is_the_current_one() {
        let Some(regular) = SchedSlice::current() else { return };
        regular.doubled().apply().unwrap();
        assert_eq!(SchedSlice::current(), Some(regular.doubled()));
        regular.apply().unwrap();
        assert_eq!(SchedSlice::current(), Some(regular));
    }
}
