//! Shortages of the host: descriptors, processes or memory that the system refuses for a while.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// First pause after a refusal; it doubles with every further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// Time after which a pair is given back while other slots are busy: what they need less, they may play.
const GIVE_BACK_AFTER: Duration = Duration::from_secs(2);
/// Time after which the host is considered unable to play, if it could before.
const LONGEST_SHORTAGE: Duration = Duration::from_secs(30 * 60);
/// The same, if no game has ended yet: then the limits of the system are too low for any.
const LONGEST_AT_START: Duration = Duration::from_secs(10);

/// What a slot does about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Try again after this time.
    Wait(Duration),
    /// Give the pair back and play with one slot less.
    GiveBack,
    /// End the run.
    GiveUp,
}

/// How long and how often one slot was refused in one shortage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusals {
    since: Instant,
    count: u32,
}

impl Refusals {
    /// Begins with the first refusal.
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), count: 0 }
    }

    /// Returns what follows from a refusal at this moment.
    fn remedy(&mut self, company: Company, history: History) -> Remedy {
        self.count += 1;
        let waited = self.since.elapsed();
        let longest = match history {
            History::HasPlayed => LONGEST_SHORTAGE,
            History::HasNotPlayed => LONGEST_AT_START,
        };
        if waited >= longest {
            Remedy::GiveUp
        } else if company == Company::Others && waited >= GIVE_BACK_AFTER {
            Remedy::GiveBack
        } else {
            let pause = FIRST_PAUSE * 2_u32.pow((self.count - 1).min(10));
            Remedy::Wait(pause.min(LONGEST_PAUSE))
        }
    }
}

/// Whether other slots have a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    Alone,
    Others,
}

/// Whether a game of this fleet has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum History {
    HasPlayed,
    HasNotPlayed,
}

/// The shortages of a fleet, shared by its slots.
#[derive(Debug)]
pub(super) struct Shortages {
    /// Whether there is one.
    current: watch::Sender<bool>,
    busy: AtomicUsize,
    has_played: AtomicBool,
}

impl Default for Shortages {
    fn default() -> Self {
        let (current, _) = watch::channel(false);
        Self { current, busy: AtomicUsize::new(0), has_played: AtomicBool::new(false) }
    }
}

impl Shortages {
    /// Notes that a slot has a pair, until the returned value is dropped.
    pub(super) fn busy_slot(&self) -> BusySlot<'_> {
        self.busy.fetch_add(1, Ordering::AcqRel);
        BusySlot(self)
    }

    /// Notes a refusal and returns what the slot does about it, and whether a shortage begins with it.
    pub(super) fn refused(&self, refusals: &mut Refusals) -> (Remedy, bool) {
        let begins = !self.current.send_replace(true);
        let company = if self.busy.load(Ordering::Acquire) > 1 { Company::Others } else { Company::Alone };
        let history =
            if self.has_played.load(Ordering::Acquire) { History::HasPlayed } else { History::HasNotPlayed };
        (refusals.remedy(company, history), begins)
    }

    /// Notes that a slot got what it had been refused.
    pub(super) fn passed(&self) {
        self.current.send_replace(false);
    }

    /// Notes that a game has ended.
    pub(super) fn has_played(&self) {
        self.has_played.store(true, Ordering::Release);
    }

    /// Returns a receiver that sees every shortage.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.current.subscribe()
    }
}

/// A slot that has a pair.
#[derive(Debug)]
pub(super) struct BusySlot<'a>(&'a Shortages);

impl Drop for BusySlot<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn a_slot_waits_longer_and_longer_and_gives_its_pair_back_if_others_can_play() {
        let (shortages, mut refusals) = (Shortages::default(), Refusals::new());
        let _own = shortages.busy_slot();
        shortages.has_played();
        assert_eq!(shortages.refused(&mut refusals), (Remedy::Wait(FIRST_PAUSE), true));
        assert_eq!(shortages.refused(&mut refusals), (Remedy::Wait(2 * FIRST_PAUSE), false));
        advance(GIVE_BACK_AFTER).await;
        assert!(matches!(shortages.refused(&mut refusals).0, Remedy::Wait(_)), "it is alone");
        let other = shortages.busy_slot();
        assert_eq!(shortages.refused(&mut refusals).0, Remedy::GiveBack);
        drop(other);
        for _ in 0..40 {
            assert!(
                matches!(shortages.refused(&mut refusals).0, Remedy::Wait(pause) if pause <= LONGEST_PAUSE)
            );
        }
        shortages.passed();
        assert!(shortages.refused(&mut Refusals::new()).1, "another shortage");
        advance(LONGEST_SHORTAGE).await;
        assert_eq!(shortages.refused(&mut refusals).0, Remedy::GiveUp);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_never_could_play_is_not_waited_for_all_night() {
        let (shortages, mut refusals) = (Shortages::default(), Refusals::new());
        let _own = shortages.busy_slot();
        assert!(matches!(shortages.refused(&mut refusals).0, Remedy::Wait(_)));
        advance(LONGEST_AT_START).await;
        assert_eq!(shortages.refused(&mut refusals).0, Remedy::GiveUp);
    }
}
