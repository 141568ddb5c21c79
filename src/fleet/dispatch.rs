//! Assignment of pairs to slots.

use std::collections::{BTreeSet, VecDeque};

use crate::fleet::PairJob;

/// Whether new pairs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Running,
    /// Pairs in progress are finished; no other pair begins.
    Draining,
}

/// Queued jobs and idle slots. Pure: the caller carries out the assignments.
#[derive(Debug)]
pub(super) struct Dispatch {
    queue: VecDeque<PairJob>,
    idle: BTreeSet<usize>,
    busy: usize,
    concurrency: usize,
    flow: Flow,
}

impl Dispatch {
    pub(super) fn new(concurrency: usize) -> Self {
        Self { queue: VecDeque::new(), idle: BTreeSet::new(), busy: 0, concurrency, flow: Flow::Running }
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
