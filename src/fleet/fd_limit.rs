//! Limit on open files, as required by the engines of a fleet and by what else this process does.

use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Three pipes and a process handle per engine of a slot, plus those of one engine that is being replaced.
const PER_SLOT: u64 = 2 * 4 + 4;
/// Descriptors for the journal, reports, sockets, timers and the program itself.
const RESERVED: u64 = 64;

/// The most pairs that can be played at once; no machine has the processors for more.
pub const MAX_CONCURRENCY: usize = 4096;

/// Descriptors that are set aside for other parts of the program. The limit belongs to the process, and so does this.
static SET_ASIDE: AtomicU64 = AtomicU64::new(0);

/// Returns how many slots the limit on open files allows; `None` if the limit is unknown.
pub fn most_slots() -> Option<usize> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    Some(slots_within(hard))
}

/// Sets descriptors aside for a part of the program that is not a fleet, so that it and the games never take each other's.
/// Returns how many there are: `wanted`, or what the games of `slots` slots leave of the hard limit.
pub fn set_aside_descriptors(wanted: u64, slots: usize) -> u64 {
    let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    let games = RESERVED + PER_SLOT * slots.min(MAX_CONCURRENCY) as u64;
    let given = wanted.min(hard.saturating_sub(games));
    SET_ASIDE.store(given, Ordering::Relaxed);
    // If the limit cannot be raised for them, the fleet reports it when it starts.
    let _ = reserve(slots);
    given
}

/// Raises the soft limit as needed for `slots`. `Err` contains the number of slots that the hard limit allows.
pub(super) fn reserve(slots: usize) -> Result<(), usize> {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if slots > MAX_CONCURRENCY {
        return Err(slots_within(hard));
    }
    let needed = set_aside() + PER_SLOT * slots as u64;
    if soft >= needed {
        return Ok(());
    }
    if hard < needed || setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_err() {
        return Err(slots_within(hard));
    }
    Ok(())
}

fn set_aside() -> u64 {
    RESERVED + SET_ASIDE.load(Ordering::Relaxed)
}

fn slots_within(descriptors: u64) -> usize {
    let slots = descriptors.saturating_sub(set_aside()) / PER_SLOT;
    usize::try_from(slots).map_or(MAX_CONCURRENCY, |slots| slots.min(MAX_CONCURRENCY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_numbers_of_slots_are_refused_and_never_wrap() {
        for slots in [MAX_CONCURRENCY + 1, usize::MAX / 12, usize::MAX / 12 + 1, usize::MAX] {
            assert!(reserve(slots).is_err_and(|possible| possible <= MAX_CONCURRENCY), "{slots}");
        }
        assert_eq!((slots_within(0), slots_within(u64::MAX)), (0, MAX_CONCURRENCY));
        assert_eq!(slots_within(set_aside() + 2 * PER_SLOT + 1), 2);
    }
}
