//! How long a thread may run at a stretch before others of its processor have their turn.
#![expect(unsafe_code, reason = "the kernel's slices have no safe interface")]

use std::io;

use nix::errno::Errno;
use nix::libc::{SCHED_OTHER, SYS_sched_getattr, SYS_sched_setattr, c_long, sched_attr, syscall};

/// The slice that a thread was given, in nanoseconds.
///
/// A thread that is woken goes before the one that runs if its slice is the shorter one. Linux has this since 6.12;
/// before that a slice does nothing, or cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchedSlice(u64);

impl SchedSlice {
    /// What the calling thread has. None where slices cannot be chosen, or the thread is scheduled by other rules.
    pub(super) fn current() -> Option<Self> {
        let attributes = attributes().ok()?;
        let usual = attributes.sched_policy == SCHED_OTHER as u32 && attributes.sched_runtime > 0;
        usual.then_some(Self(attributes.sched_runtime))
    }

    /// Twice as long.
    pub(super) const fn doubled(self) -> Self {
        Self(self.0.saturating_mul(2))
    }

    /// Gives it to the calling thread.
    pub(super) fn take(self) -> io::Result<()> {
        // Read again each time: somebody may have changed our priority.
        let attributes = sched_attr { sched_runtime: self.0, ..attributes()? };
        // SAFETY: the kernel reads as many bytes as the structure says it has.
        checked(unsafe { syscall(SYS_sched_setattr, 0, &raw const attributes, 0) })
    }
}

fn attributes() -> io::Result<sched_attr> {
    // SAFETY: a structure of numbers, all of which may be zero.
    let mut attributes: sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of::<sched_attr>() as u32;
    // SAFETY: the kernel writes at most `size` bytes, which the structure has.
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
    fn a_thread_has_the_slice_it_took() {
        let Some(usual) = SchedSlice::current() else { return };
        usual.doubled().take().unwrap();
        assert_eq!(SchedSlice::current(), Some(usual.doubled()));
        usual.take().unwrap();
        assert_eq!(SchedSlice::current(), Some(usual));
    }
}
