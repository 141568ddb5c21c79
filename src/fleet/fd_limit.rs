//! Enough file descriptors for the engines of a fleet.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Three pipes and a process handle for each engine of a slot, one old and one new while they change over.
const PER_SLOT: u64 = 2 * 4 + 4;
/// Journal, reports, sockets, timers, the program itself.
const RESERVED: u64 = 64;

/// How many slots the limit on open files allows; `None` if the system does not send.
pub fn most_slots() -> Option<usize> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some((hard.saturating_sub(RESERVED) / PER_SLOT) as usize)
}

/// Raises the soft limit as far as `slots` need. `Err` holds how many slots the hard limit allows.
pub(super) fn reserve(slots: usize) -> Result<(), usize> {
    let needed = RESERVED + PER_SLOT * slots as u64;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    if hard < needed || setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_err() {
        return Err((hard.saturating_sub(RESERVED) / PER_SLOT) as usize);
    }
    Ok(())
}
