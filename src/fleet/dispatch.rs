//! Assignment of pairs to slots.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::fleet::PairJob;

/// Whether new pairs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Running,
    /// Pairs in progress are finished; no other pair begins.
    Draining,
}

/// Time after a refusal of the system before one more pair is played again; it doubles with every refusal.
const FIRST_RETRY: Duration = Duration::from_secs(5);
/// Longest such time.
const LAST_RETRY: Duration = Duration::from_secs(10 * 60);

/// Queued jobs and idle slots. Pure: the caller carries out the assignments.
#[derive(Debug)]
pub(super) struct Dispatch {
    queue: VecDeque<PairJob>,
    idle: BTreeSet<usize>,
    busy: usize,
    /// Pairs that may be played at once: fewer than `wanted` if the system has refused more.
    concurrency: usize,
    wanted: usize,
    /// When one more pair may be played again.
    retry_at: Option<Instant>,
    retry_after: Duration,
    flow: Flow,
}

impl Dispatch {
    pub(super) fn new(concurrency: usize) -> Self {
        Self {
            queue: VecDeque::new(),
            idle: BTreeSet::new(),
            busy: 0,
            concurrency,
            wanted: concurrency,
            retry_at: None,
            retry_after: FIRST_RETRY,
            flow: Flow::Running,
        }
    }

    /// Queues a job; returns it if no pair begins any more.
    pub(super) fn submit(&mut self, job: PairJob) -> Option<PairJob> {
        match self.flow {
            Flow::Running => self.queue.push_back(job),
            Flow::Draining => return Some(job),
        }
        None
    }

    /// Adds a slot that has just been created or has finished a pair.
    pub(super) fn add_idle(&mut self, slot: usize) {
        self.idle.insert(slot);
    }

    pub(super) fn finished(&mut self, slot: usize) {
        self.busy = self.busy.saturating_sub(1);
        self.add_idle(slot);
    }

    pub(super) fn set_concurrency(&mut self, concurrency: usize) {
        self.concurrency = concurrency.max(1);
        self.wanted = self.concurrency;
        (self.retry_at, self.retry_after) = (None, FIRST_RETRY);
    }

    /// Plays one pair less at once, because the system has refused resources for as many as now.
    pub(super) fn refused(&mut self, now: Instant) {
        self.concurrency = self.concurrency.saturating_sub(1).max(1);
        self.retry_at = Some(now + self.retry_after);
        self.retry_after = (2 * self.retry_after).min(LAST_RETRY);
    }

    /// Notes that a pair was played: after a while, one more is tried again.
    pub(super) fn played(&mut self, now: Instant) {
        if self.concurrency < self.wanted && self.retry_at.is_some_and(|at| now >= at) {
            self.concurrency += 1;
        }
    }

    pub(super) fn concurrency(&self) -> usize {
        self.concurrency
    }

    pub(super) fn busy(&self) -> usize {
        self.busy
    }

    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Stops beginning pairs, permanently. Returns the queued jobs, which will not begin.
    pub(super) fn drain(&mut self) -> Vec<PairJob> {
        self.flow = Flow::Draining;
        self.queue.drain(..).collect()
    }

    /// Returns the next pair to begin and its slot: the lowest idle one, so that running engines are reused.
    pub(super) fn next(&mut self) -> Option<(usize, PairJob)> {
        if self.flow == Flow::Draining || self.busy >= self.concurrency {
            return None;
        }
        let slot = *self.idle.first()?;
        let job = self.queue.pop_front()?;
        self.idle.remove(&slot);
        self.busy += 1;
        Some((slot, job))
    }

    /// Returns the idle slots beyond the current concurrency.
    pub(super) fn surplus_slots(&self) -> impl Iterator<Item = usize> {
        self.idle.range(self.concurrency..).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrency_is_lowered_by_refusals_and_comes_back_after_a_while() {
        let (start, mut dispatch) = (Instant::now(), Dispatch::new(4));
        dispatch.refused(start);
        dispatch.refused(start);
        assert_eq!(dispatch.concurrency(), 2);
        dispatch.played(start + FIRST_RETRY);
        assert_eq!(dispatch.concurrency(), 2, "the second refusal doubled the time");
        for expected in [3, 4, 4] {
            dispatch.played(start + 2 * FIRST_RETRY);
            assert_eq!(dispatch.concurrency(), expected);
        }
        for _ in 0..50 {
            dispatch.refused(start);
        }
        assert_eq!(dispatch.concurrency(), 1, "one is always played");
        dispatch.played(start + LAST_RETRY);
        assert_eq!(dispatch.concurrency(), 2);
        dispatch.set_concurrency(3);
        dispatch.played(start + 2 * LAST_RETRY);
        assert_eq!(dispatch.concurrency(), 3, "an order of the user is final");
    }
}
