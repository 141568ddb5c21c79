//! The ledger of a coordinator: which worker holds which pair, and what becomes of claims, results and signs of life.
//!
//! Pure: messages and times in, [`Action`]s out. Messages may arrive late, twice, out of order or never.

mod audit;
mod conduct;
mod signs_of_life;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use self::audit::Audits;
use crate::fleet::nats::health::Health;
use crate::fleet::nats::messages::{CoordinatorAnswer, Heartbeat, Token, TokenTuple, WorkerReport};
use crate::fleet::nats::{RunId, WorkerName};
use crate::fleet::{FleetEvent, PairJob};
use crate::game::{AdjudicationRules, GameOfPair, PairId, VoidReason};
use crate::journal::{Claim, WorkerFacts};

/// Workers that may be lost on one pair before the pair is considered the cause.
const MOST_LOST: usize = 4;

/// Deliveries of a job between two that are claimed.
const MOST_DELIVERIES: u64 = 1 << 20;

/// What the coordinator has to do.
#[derive(Clone, Debug)]
pub enum Action {
    /// Publish the job of a pair.
    Publish {
        /// The pair.
        job: Arc<PairJob>,
        /// Added to the number of the delivery.
        base: u64,
        /// Whether it is published for the first time.
        first: Publication,
    },
    /// Delete the job of this attempt at a pair.
    Delete {
        /// Index of the pair.
        pair: u64,
        /// Attempt at it.
        attempt: u32,
    },
    /// Acknowledge a report, by its number in the stream.
    Acknowledge(u64),
    /// Answer a worker.
    Answer(WorkerName, CoordinatorAnswer),
    /// Report an event to the run.
    Report(FleetEvent),
}

/// Whether a job is published for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// For the first time; the server drops a repetition.
    First,
    /// Again, because the server has lost it.
    Again,
}

/// The last worker and token that were accepted for a pair.
#[derive(Clone, Debug)]
struct Holder {
    token: Token,
    worker: WorkerName,
    nonce: Option<u64>,
    since: Duration,
    /// Half-moves of its game, and since when there are as many.
    progress: (u64, Duration),
}

/// A pair in flight.
#[derive(Debug)]
struct Flight {
    id: PairId,
    job: Option<Arc<PairJob>>,
    holder: Option<Holder>,
    /// The highest delivery that was claimed.
    highest: u64,
    /// Workers that fell silent with it, and the processes that they were.
    lost: BTreeMap<WorkerName, Option<u64>>,
    /// When the server confirmed the job, counted in comparisons with the server.
    stored: Option<u64>,
    /// Reports to acknowledge once the end of the pair is durable.
    ended: Option<(Token, WorkerName, Vec<u64>)>,
    /// Since when a worker waits for an answer to its result.
    waiting_since: Option<Duration>,
}

/// What is known about a worker.
#[derive(Debug)]
struct Presence {
    beat: Heartbeat,
    seen: Duration,
    listed: BTreeSet<Token>,
    /// Nonce of the process that had the name before.
    former: Option<u64>,
    /// Nonce of a process that has the name of one that is alive.
    later: Option<u64>,
    joined: Option<WorkerFacts>,
}

/// Whether the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LedgerPhase {
    Open,
    Draining,
    Over,
    /// The coordinator leaves, and the workers play on.
    Left,
}

/// What the ledger knows about a run.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The run.
    pub run: RunId,
    /// Rules by which its games end early.
    pub rules: AdjudicationRules,
    /// Time between two signs of life of a worker.
    pub beat: Duration,
    /// Time without a move after which a game does not go on.
    pub stuck: Duration,
    /// Part of the pairs that a second worker plays as well, where the engines play the same moves everywhere.
    pub audit: f64,
}

/// The ledger of a coordinator: who holds which pair.
#[derive(Debug)]
pub struct Ledger {
    run: RunId,
    rules: AdjudicationRules,
    beat: Duration,
    stuck: Duration,
    audits: Audits,
    phase: LedgerPhase,
    flights: BTreeMap<u64, Flight>,
    unclaimed: BTreeSet<u64>,
    members: BTreeMap<WorkerName, Presence>,
    health: Health,
    /// Excluded workers whose reports are ignored as well: their games were impossible, or they were banned.
    ignored: BTreeSet<WorkerName>,
    comparisons: u64,
    /// Reports that waited behind the latest one, and when it arrived.
    backlog: (u64, Duration),
    refused_since: Option<Duration>,
    actions: Vec<Action>,
    answers: BTreeMap<WorkerName, CoordinatorAnswer>,
}

impl Ledger {
    /// Opens the ledger of a run.
    pub fn new(Terms { run, rules, beat, stuck, audit }: Terms) -> Self {
        Self {
            run,
            rules,
            beat,
            stuck,
            audits: Audits::new(audit),
            phase: LedgerPhase::Open,
            flights: BTreeMap::new(),
            unclaimed: BTreeSet::new(),
            members: BTreeMap::new(),
            health: Health::default(),
            ignored: BTreeSet::new(),
            comparisons: 0,
            backlog: (0, Duration::ZERO),
            refused_since: None,
            actions: Vec::new(),
            answers: BTreeMap::new(),
        }
    }

    /// Takes what has to be done.
    pub fn actions(&mut self) -> Vec<Action> {
        let answers =
            take(&mut self.answers).into_iter().map(|(worker, answer)| Action::Answer(worker, answer));
        let mut actions = take(&mut self.actions);
        actions.extend(answers);
        actions
    }

    /// Takes over a pair that an earlier coordinator published, with the latest claim on record.
    pub fn adopt(&mut self, id: PairId, claim: Option<&Claim>) {
        let holder = claim.and_then(|claim| {
            let token = Token { pair: id.index, attempt: id.attempt, delivery: claim.delivery };
            let worker = WorkerName::try_from(claim.worker.clone()).ok()?;
            Some(Holder { token, worker, nonce: None, since: Duration::ZERO, progress: (0, Duration::ZERO) })
        });
        let highest = holder.as_ref().map_or(0, |holder| holder.token.delivery);
        if holder.is_none() {
            self.unclaimed.insert(id.index);
        }
        // Whether the server still has the job is seen at the first comparison.
        let stored = Some(self.comparisons);
        self.flights.insert(id.index, Flight { stored, highest, holder, ..Flight::new(id, None) });
    }

    /// Excludes a worker that an earlier coordinator excluded.
    pub fn restore_exclusion(&mut self, worker: &WorkerName, why: &str) {
        self.health.exclude(worker, why.to_owned());
    }

    /// Takes a pair to be played. A pair that was adopted is not published again.
    pub fn submit(&mut self, job: PairJob) {
        let id = job.id;
        if let Some(flight) = self.flights.get_mut(&id.index).filter(|flight| flight.id == id) {
            flight.job = Some(Arc::new(job));
            return;
        }
        if self.phase != LedgerPhase::Open {
            return self.event(cancelled(id));
        }
        let job = Arc::new(job);
        self.flights.insert(id.index, Flight::new(id, Some(Arc::clone(&job))));
        self.unclaimed.insert(id.index);
        self.actions.push(Action::Publish { job, base: 0, first: Publication::First });
    }

    /// Notes that the server has stored the job of a pair.
    pub fn stored(&mut self, id: PairId) {
        if let Some(flight) = self.flights.get_mut(&id.index).filter(|flight| flight.id == id) {
            flight.stored = Some(self.comparisons);
        }
    }

    /// Begins a comparison with the jobs that the server has: jobs that are stored from now on are not missed in it.
    pub fn begin_comparison(&mut self) -> u64 {
        self.comparisons += 1;
        self.comparisons
    }

    /// Compares the pairs in flight with the jobs that the server had when a comparison began.
    pub fn compare(&mut self, comparison: u64, listed: &BTreeSet<(u64, u32)>) {
        if self.phase == LedgerPhase::Left {
            return;
        }
        let mut missing = Vec::new();
        for flight in self.flights.values_mut() {
            let known = flight.stored.is_some_and(|stored| stored < comparison);
            if known && flight.ended.is_none() && !listed.contains(&(flight.id.index, flight.id.attempt)) {
                flight.stored = None;
                missing.extend(flight.job.clone().map(|job| (job, flight.highest)));
            }
        }
        for (job, base) in missing {
            self.actions.push(Action::Publish { job, base, first: Publication::Again });
        }
        for &(pair, attempt) in listed {
            let wanted = self.flights.get(&pair).is_some_and(|flight| flight.id.attempt == attempt);
            if !wanted && !self.audits.wants(pair, attempt) {
                self.actions.push(Action::Delete { pair, attempt });
            }
        }
    }

    /// Applies a report that arrived as `message` from `sender`.
    pub fn report(&mut self, now: Duration, message: u64, sender: &WorkerName, report: WorkerReport) {
        if self.phase == LedgerPhase::Left {
            return;
        }
        // Anything may be stored under another's name, so it is dropped and not held against the name.
        if report.worker() != sender {
            return self.actions.push(Action::Acknowledge(message));
        }
        if let Some(token) = report.token().filter(|token| token.attempt == audit::ATTEMPT) {
            self.actions.push(Action::Acknowledge(message));
            return self.audited(token, sender, report);
        }
        match report {
            WorkerReport::Refuse { refusal, .. } => {
                self.actions.push(Action::Acknowledge(message));
                self.refuse(now, sender, &refusal);
            }
            WorkerReport::Claim { token, scale_ppm, .. } => {
                self.actions.push(Action::Acknowledge(message));
                self.claim(now, token, sender, scale_ppm);
            }
            WorkerReport::Pair { token, games, bundles, .. } => {
                if let Some(job) = self.entitled(now, message, token, sender) {
                    self.pair(sender, &job, games, bundles);
                }
            }
            WorkerReport::Void { token, reason, .. } => {
                if let Some(job) = self.entitled(now, message, token, sender) {
                    let why = self.health.void(sender, &reason);
                    let worker = sender.to_string();
                    self.event(FleetEvent::VoidedBy { id: job.id, reason, worker });
                    self.exclude_if(sender, why);
                }
            }
        }
    }

    /// Accepts or refuses a claim.
    fn claim(&mut self, now: Duration, token: Token, worker: &WorkerName, scale_ppm: Option<u32>) {
        match self.assign_holder(now, token, worker) {
            ClaimRuling::Accepted { new } => {
                if new {
                    let claim = Claim { delivery: token.delivery, worker: worker.to_string(), scale_ppm };
                    let id = self.flights[&token.pair].id;
                    self.event(FleetEvent::Claimed { id, claim });
                }
                self.void_if_workers_were_lost(now, token.pair);
            }
            ClaimRuling::Stale => self.answer(worker).stale.push(TokenTuple(token)),
            ClaimRuling::Over => self.answer(worker).over.push(TokenTuple(token)),
            ClaimRuling::Ending => {}
        }
    }

    /// Returns the job of a report about its end if it is the holder's. The report is acknowledged when its pair is settled.
    fn entitled(
        &mut self,
        now: Duration,
        message: u64,
        token: Token,
        worker: &WorkerName,
    ) -> Option<Arc<PairJob>> {
        let judgement = self.assign_holder(now, token, worker);
        let flight = self.flights.get_mut(&token.pair);
        match judgement {
            ClaimRuling::Accepted { .. } => {
                let flight = flight?;
                // A pair of an earlier session whose job is not known yet: the report comes again.
                let job = flight.job.clone()?;
                flight.ended = Some((token, worker.clone(), vec![message]));
                self.unclaimed.remove(&token.pair);
                return Some(job);
            }
            ClaimRuling::Ending => {
                if let Some((_, _, messages)) = flight.and_then(|flight| flight.ended.as_mut()) {
                    messages.push(message);
                }
                return None;
            }
            ClaimRuling::Stale => self.answer(worker).stale.push(TokenTuple(token)),
            ClaimRuling::Over => self.answer(worker).over.push(TokenTuple(token)),
        }
        self.actions.push(Action::Acknowledge(message));
        None
    }

    /// Decides who holds a pair, and returns what becomes of the token.
    fn assign_holder(&mut self, now: Duration, token: Token, worker: &WorkerName) -> ClaimRuling {
        let Some(flight) = self.flights.get_mut(&token.pair) else { return ClaimRuling::Over };
        if flight.id.attempt != token.attempt {
            return ClaimRuling::Over;
        }
        if let Some((ended, by, _)) = &flight.ended {
            let same = (*ended, by) == (token, worker);
            return if same { ClaimRuling::Ending } else { ClaimRuling::Over };
        }
        // No job is delivered as often; a token like that would outdo all later ones.
        let impossible = token.delivery > flight.highest.saturating_add(MOST_DELIVERIES);
        if impossible || self.ignored.contains(worker) {
            return ClaimRuling::Stale;
        }
        let nonce = self.members.get(worker).map(|presence| presence.beat.nonce);
        if let Some(holder) = &flight.holder {
            if (holder.token, &holder.worker) == (token, worker) {
                return ClaimRuling::Accepted { new: false };
            }
            if token <= holder.token {
                return ClaimRuling::Stale;
            }
            if &holder.worker != worker {
                let presence = self.members.get(&holder.worker);
                let ignored = self.ignored.contains(&holder.worker);
                if !ignored && plays_on(holder, presence, now, 3 * self.beat) {
                    return ClaimRuling::Stale;
                }
                let left = presence.is_some_and(|presence| {
                    Some(presence.beat.nonce) == holder.nonce && now < presence.seen + 3 * self.beat
                });
                if !ignored && !left {
                    flight.lost.insert(holder.worker.clone(), holder.nonce);
                }
            }
        }
        flight.holder = Some(Holder { token, worker: worker.clone(), nonce, since: now, progress: (0, now) });
        flight.highest = flight.highest.max(token.delivery);
        flight.waiting_since = None;
        self.unclaimed.remove(&token.pair);
        ClaimRuling::Accepted { new: true }
    }

    /// Voids a pair on which too many workers were lost: the pair is considered the cause.
    fn void_if_workers_were_lost(&mut self, now: Duration, pair: u64) {
        let Some(flight) = self.flights.get_mut(&pair) else { return };
        // One that was only cut off for a while is back.
        let is_back = |(worker, nonce): &(&WorkerName, &Option<u64>)| {
            self.members.get(worker).is_some_and(|presence| {
                Some(presence.beat.nonce) == **nonce && now < presence.seen + 3 * self.beat
            })
        };
        let lost = flight.lost.iter().filter(|lost| !is_back(lost)).count();
        if lost >= MOST_LOST
            && let (Some(holder), None) = (&flight.holder, &flight.ended)
        {
            let count = u32::try_from(lost).unwrap_or(u32::MAX);
            flight.ended = Some((holder.token, holder.worker.clone(), Vec::new()));
            let (game, reason) = (GameOfPair::First, VoidReason::WorkersLost { count });
            let id = flight.id;
            self.event(FleetEvent::Voided { id, game, reason });
        }
    }

    /// Notes that the end of a pair is durable.
    pub fn settle(&mut self, id: PairId) {
        let ended =
            self.flights.get(&id.index).is_some_and(|flight| flight.id == id && flight.ended.is_some());
        if !ended {
            return;
        }
        self.unclaimed.remove(&id.index);
        if let Some((token, worker, messages)) =
            self.flights.remove(&id.index).and_then(|flight| flight.ended)
        {
            self.answer(&worker).counted.push(TokenTuple(token));
            self.actions.extend(messages.into_iter().map(Action::Acknowledge));
            self.begin_audit(id);
        }
    }

    /// Starts nothing more: pairs that no worker has are given back.
    pub fn drain(&mut self) {
        if self.phase == LedgerPhase::Open {
            self.phase = LedgerPhase::Draining;
        }
        self.end_audits();
        for pair in take(&mut self.unclaimed) {
            if let Some(flight) = self.flights.remove(&pair) {
                self.actions.push(Action::Delete { pair, attempt: flight.id.attempt });
                self.event(cancelled(flight.id));
            }
        }
    }

    /// Gives every pair back: the run is decided.
    pub fn recall(&mut self) {
        self.phase = LedgerPhase::Over;
        self.end_audits();
        self.unclaimed.clear();
        let (ending, flying): (BTreeMap<_, _>, BTreeMap<_, _>) =
            take(&mut self.flights).into_iter().partition(|(_, flight)| flight.ended.is_some());
        self.flights = ending;
        for (pair, flight) in flying {
            self.actions.push(Action::Delete { pair, attempt: flight.id.attempt });
            if let Some(Holder { token, worker, .. }) = flight.holder {
                self.answer(&worker).over.push(TokenTuple(token));
            }
            self.event(cancelled(flight.id));
        }
    }

    /// Leaves every pair to the workers: a later coordinator takes them over.
    pub fn leave(&mut self) {
        self.phase = LedgerPhase::Left;
        self.end_audits();
        self.unclaimed.clear();
        let (ending, flying): (BTreeMap<_, _>, BTreeMap<_, _>) =
            take(&mut self.flights).into_iter().partition(|(_, flight)| flight.ended.is_some());
        self.flights = ending;
        for (_, flight) in flying {
            self.event(FleetEvent::LeftInPlay(flight.id));
        }
    }

    fn answer(&mut self, worker: &WorkerName) -> &mut CoordinatorAnswer {
        self.answers.entry(worker.clone()).or_insert_with(|| CoordinatorAnswer::new(self.run.clone()))
    }

    fn event(&mut self, event: FleetEvent) {
        self.actions.push(Action::Report(event));
    }
}

/// What becomes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClaimRuling {
    /// It is the holder's.
    Accepted { new: bool },
    /// Another worker holds the pair.
    Stale,
    /// The pair is on record, or not needed.
    Over,
    /// Its report is being made durable.
    Ending,
}

impl Flight {
    fn new(id: PairId, job: Option<Arc<PairJob>>) -> Self {
        Self {
            id,
            job,
            holder: None,
            highest: 0,
            lost: BTreeMap::new(),
            stored: None,
            ended: None,
            waiting_since: None,
        }
    }
}

fn cancelled(id: PairId) -> FleetEvent {
    FleetEvent::Voided { id, game: GameOfPair::First, reason: VoidReason::Cancelled }
}

/// Returns whether a holder is known to play on: its latest sign of life lists its token and is fresh, or its claim is
/// younger than any sign of life.
fn plays_on(holder: &Holder, presence: Option<&Presence>, now: Duration, silence: Duration) -> bool {
    match presence {
        Some(presence) if presence.seen >= holder.since => {
            presence.listed.contains(&holder.token) && now < presence.seen + silence
        }
        _ => now < holder.since + silence,
    }
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;
