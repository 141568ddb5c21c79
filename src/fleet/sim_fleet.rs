//! A fleet without machines, for tests of whatever drives a fleet.

use std::collections::{HashMap, VecDeque};

use crate::fleet::{Fleet, FleetError, FleetEvent, PairJob, PairReport};
use crate::game::{GameOfPair, GameRecord, LiveGame, PairId, VoidReason};

/// How a scripted pair ends.
#[derive(Clone, Debug)]
pub enum SimOutcome {
    /// With these games.
    Games(Vec<GameRecord>),
    /// Void.
    Void(VoidReason),
    /// Not at all, until the fleet is drained or killed.
    Silence,
}

/// What a [`SimFleet`] was asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimLog {
    /// Pairs submitted, in order.
    pub submitted: Vec<PairId>,
    /// Pairs whose end is durable, in order.
    pub settled: Vec<PairId>,
    /// Pairs of an earlier session that it was asked to take over.
    pub adopted: Vec<PairId>,
    /// Whether the test was decided.
    pub recalled: bool,
}

/// A fleet whose pairs end as a script states, in an order that a seed determines.
pub struct SimFleet<S> {
    script: S,
    slots: usize,
    ahead: Option<u64>,
    keeps: bool,
    leaves: bool,
    playing: Vec<PairJob>,
    silent: HashMap<PairId, PairJob>,
    events: VecDeque<FleetEvent>,
    random: u64,
    log: std::sync::Arc<std::sync::Mutex<SimLog>>,
}

impl<S: FnMut(&PairJob) -> SimOutcome> SimFleet<S> {
    /// Creates a fleet that plays `slots` pairs at once.
    pub fn new(slots: usize, seed: u64, script: S) -> Self {
        Self {
            script,
            slots,
            ahead: None,
            keeps: false,
            leaves: false,
            playing: Vec::new(),
            silent: HashMap::new(),
            events: VecDeque::new(),
            random: seed.wrapping_mul(2).wrapping_add(1),
            log: std::sync::Arc::default(),
        }
    }

    /// Limits how many pairs are started beyond the last one that counts.
    #[must_use]
    pub fn with_ahead(mut self, pairs: u64) -> Self {
        self.ahead = Some(pairs);
        self
    }

    /// Lets the fleet take over the pairs of an earlier session, as machines that played on would.
    #[must_use]
    pub fn that_played_on(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Lets the fleet leave its pairs to machines that play on, where others would report them void.
    #[must_use]
    pub fn that_leaves_pairs(mut self) -> Self {
        self.leaves = true;
        self
    }

    /// Returns what it is asked to do, now and later.
    pub fn log(&self) -> std::sync::Arc<std::sync::Mutex<SimLog>> {
        std::sync::Arc::clone(&self.log)
    }

    fn note(&self, change: impl FnOnce(&mut SimLog)) {
        change(&mut self.log.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    /// Ends one of the pairs in progress.
    fn end_one(&mut self) {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chosen = (self.random >> 33) as usize % self.playing.len();
        let job = self.playing.swap_remove(chosen);
        let id = job.id;
        match (self.script)(&job) {
            SimOutcome::Games(games) => {
                let both = id.part.games().iter().copied();
                for (game, record) in both.zip(&games) {
                    let record = Box::new(record.clone());
                    self.events.push_back(FleetEvent::GameFinished { id, game, record, bundle: None });
                }
                self.events.push_back(FleetEvent::PairFinished(Box::new(PairReport { id, games })));
            }
            SimOutcome::Void(reason) => {
                self.events.push_back(FleetEvent::Voided { id, game: GameOfPair::First, reason });
            }
            SimOutcome::Silence => drop(self.silent.insert(id, job)),
        }
    }

    fn cancel(&mut self) {
        let jobs = self.playing.drain(..).chain(self.silent.drain().map(|(_, job)| job));
        let leaves = self.leaves;
        let void = |job: PairJob| match leaves {
            true => FleetEvent::LeftInPlay(job.id),
            false => {
                FleetEvent::Voided { id: job.id, game: GameOfPair::First, reason: VoidReason::Cancelled }
            }
        };
        self.events.extend(jobs.map(void));
    }
}

impl<S: FnMut(&PairJob) -> SimOutcome> Fleet for SimFleet<S> {
    fn room(&self) -> usize {
        self.slots.saturating_sub(self.playing.len() + self.silent.len())
    }

    fn submit(&mut self, job: PairJob) {
        self.note(|log| log.submitted.push(job.id));
        self.playing.push(job);
    }

    async fn next_event(&mut self) -> Option<FleetEvent> {
        while self.events.is_empty() && !self.playing.is_empty() {
            self.end_one();
        }
        match self.events.pop_front() {
            Some(event) => Some(event),
            None => std::future::pending().await,
        }
    }

    fn settle(&mut self, id: PairId) {
        self.note(|log| log.settled.push(id));
    }

    fn adopt(&mut self, flying: Vec<PairId>) -> Vec<PairId> {
        self.note(|log| log.adopted.clone_from(&flying));
        if self.keeps { Vec::new() } else { flying }
    }

    fn recall(&mut self) {
        self.note(|log| log.recalled = true);
        self.cancel();
    }

    fn ahead(&self) -> Option<u64> {
        self.ahead
    }

    fn live(&self) -> Vec<LiveGame> {
        Vec::new()
    }

    fn want_dialogue(&self) {}

    fn concurrency(&self) -> usize {
        self.slots
    }

    fn set_concurrency(&mut self, concurrency: usize) -> Result<(), FleetError> {
        self.slots = concurrency.max(1);
        Ok(())
    }

    fn drain(&mut self) {
        self.cancel();
    }

    fn kill_now(&mut self) {
        self.cancel();
    }

    async fn close(self) -> Vec<FleetEvent> {
        self.events.into()
    }
}
