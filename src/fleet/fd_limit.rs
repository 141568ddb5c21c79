//! Limit on open files, as required by the engines of a fleet.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Three pipes and a process handle per engine of a slot, plus those of one engine that is being replaced.
const PER_SLOT: u64 = 2 * 4 + 4;
/// Descriptors for the journal, reports, sockets, timers and the program itself.
const RESERVED: u64 = 64;

/// Returns how many slots the limit on open files allows; `None` if the limit is unknown.
pub fn most_slots() -> Option<usize> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some((hard.saturating_sub(RESERVED) / PER_SLOT) as usize)
}

/// Raises the soft limit as needed for `slots`. `Err` contains the number of slots that the hard limit allows.
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
