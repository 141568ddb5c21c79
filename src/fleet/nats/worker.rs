//! A worker: takes jobs of the runs of a server and plays them on this machine.

mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::fleet::nats::messages::{Card, CardState, Message, PLAY, Report, Token};
use crate::fleet::nats::service::{Engines, Service, Step};
use crate::fleet::nats::spool::{Spool, SpoolError, SpoolKey};
use crate::fleet::nats::{
    Access, Backoff, ConnectError, Connection, Delivery, Link, NatsError, Role, RunId, Subscription, Timing,
    WorkerName, subject,
};

/// What a worker is and may do.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// How to reach the server.
    pub access: Access,
    /// Its name.
    pub name: WorkerName,
    /// Pairs that it plays at once.
    pub slots: usize,
    /// Folder for engines and results.
    pub cache: PathBuf,
    /// How engines are obtained and started.
    pub engines: Engines,
    /// Which runs it plays.
    pub choice: RunChoice,
    /// When it ends.
    pub stay: Stay,
    /// Times of the connection.
    pub backoff: Backoff,
    /// Times of the protocol that a run does not state.
    pub timing: Timing,
}

/// Which runs a worker plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunChoice {
    /// All.
    All,
    /// Those without a clock or a time per move.
    Untimed,
}

/// When a worker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// When it is asked to.
    UntilAsked,
    /// When no run has a job for it.
    UntilIdle,
}

/// A request to a worker to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Finish the pairs in play.
    Drain,
    /// Drop them.
    Now,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// With its pairs finished.
    Drained,
    /// At once.
    AtOnce,
}

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The server cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The folder for results cannot be used.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The server, a coordinator or this machine refuses.
    #[error("{0}")]
    Refused(String),
}

/// Something that a worker reports to its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its kind, for scripts.
    pub event: &'static str,
    /// What happened.
    pub text: String,
}

/// A result that waits for an answer.
#[derive(Debug)]
struct Waiting {
    payload: Vec<u8>,
    /// The lease of its job, if this process has it.
    delivery: Option<Delivery>,
    resends: u32,
}

/// What tasks report to the loop.
#[derive(Debug)]
pub(super) enum Done {
    /// A claim was stored, or not.
    Claimed { token: Token, stored: bool },
    /// A result was stored.
    Sent,
}

/// A worker at work.
pub struct Worker {
    pub(super) config: WorkerConfig,
    pub(super) connection: Connection,
    nonce: u64,
    cpu: String,
    spool: Spool,
    /// Why results cannot be kept on disk.
    disk_trouble: Option<String>,
    waiting: BTreeMap<SpoolKey, Waiting>,
    cards: BTreeMap<RunId, Card>,
    /// Runs that this machine cannot play.
    refused: BTreeSet<RunId>,
    notes: UnboundedSender<Note>,
    pub(super) done: UnboundedSender<Done>,
    finished: UnboundedReceiver<Done>,
    draining: bool,
    unsent: usize,
    /// Since when nothing but answers to results is missing.
    waiting_since: Option<Instant>,
    /// Whether it has waited for a run in vain.
    idled: bool,
}

impl Worker {
    /// Connects to the server. `notes` receives what the user should know.
    pub async fn start(config: WorkerConfig, notes: UnboundedSender<Note>) -> Result<Self, WorkerError> {
        let spool = Spool::open(&config.cache, &config.name)?;
        let role = Role::Worker(config.name.clone());
        let connection =
            Connection::open(&config.access, &role, &config.backoff, config.timing.patience).await?;
        let (done, finished) = unbounded_channel();
        let waiting =
            spool.read().map(|(key, payload)| (key, Waiting { payload, delivery: None, resends: 0 }));
        Ok(Self {
            waiting: waiting.collect(),
            nonce: nonce(),
            cpu: cpu(),
            config,
            connection,
            spool,
            disk_trouble: None,
            cards: BTreeMap::new(),
            refused: BTreeSet::new(),
            notes,
            done,
            finished,
            draining: false,
            unsent: 0,
            waiting_since: None,
            idled: false,
        })
    }

    /// Plays pairs until it is asked to leave, or refused.
    pub async fn run(mut self, mut leave: UnboundedReceiver<Leave>) -> Result<Left, WorkerError> {
        let name = self.config.name.clone();
        self.note(
            "connected",
            format!("worker {name} is connected to nats-server {}", self.connection.version()),
        );
        let failed = |error: NatsError| WorkerError::Refused(format!("the server cannot be used: {error}"));
        let mut words = self.connection.subscribe(subject::word(&name)).await.map_err(failed)?;
        let mut cards = self.connection.subscribe(subject::cards()).await.map_err(failed)?;
        for key in self.waiting.keys().cloned().collect::<Vec<_>>() {
            self.send(&key);
        }
        loop {
            let Some(card) = self.choose_run().await? else {
                if self.may_end() {
                    return Ok(Left::Drained);
                }
                match self.idle(&mut words, &mut cards, &mut leave).await? {
                    Some(left) => return Ok(left),
                    None => continue,
                }
            };
            self.idled = false;
            let run = card.run.clone();
            let service = tokio::select! {
                service = Service::open(&self, &card) => service,
                _ = leave.recv() => return Ok(Left::Drained),
            };
            let service = match service {
                Ok(service) => service,
                Err(Step::Refuse(refusal)) => {
                    self.note("refused", format!("run {run} cannot be played here: {}", refusal.why));
                    self.refused.insert(run.clone());
                    let report = Report::Refuse { worker: name.clone(), refusal };
                    let message = format!("{run}.{name}.{}.refuse", self.nonce);
                    let _ = self.connection.put_report(&run, &name, message, report.encode()).await;
                    continue;
                }
                Err(Step::Later(why)) => {
                    self.note("warning", why);
                    self.pause(&mut leave).await;
                    continue;
                }
            };
            self.note("serving", format!("playing run {} ({run}) on {} slots", card.name, self.config.slots));
            if let Some(left) = self.serve(service, &mut words, &mut cards, &mut leave).await? {
                return Ok(left);
            }
        }
    }

    pub(super) fn note(&self, event: &'static str, text: String) {
        let _ = self.notes.send(Note { event, text });
    }

    async fn pause(&self, leave: &mut UnboundedReceiver<Leave>) {
        tokio::select! {
            () = tokio::time::sleep(self.config.backoff.first) => {}
            _ = leave.recv() => {}
        }
    }

    /// Whether nothing is left to do for a worker that was asked to leave, or that leaves when it is idle.
    fn may_end(&mut self) -> bool {
        let asked = self.draining || (self.config.stay == Stay::UntilIdle && self.idled);
        if !asked || self.unsent > 0 {
            return false;
        }
        // Results that the server has need no answer, but an answer ends the lease of their jobs.
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        self.waiting.is_empty() || since.elapsed() >= 2 * self.config.timing.beat
    }

    /// Chooses the next run: of those with the highest priority one at random, by weight.
    async fn choose_run(&mut self) -> Result<Option<Card>, WorkerError> {
        if self.draining || self.trouble().is_some() {
            return Ok(None);
        }
        if let Ok(runs) = self.connection.runs().await {
            let mut cards = BTreeMap::new();
            for run in runs {
                if let Ok(Some((_, bytes))) = self.connection.card(&run).await
                    && let Ok(card) = Card::decode(&bytes)
                {
                    cards.insert(run, card);
                }
            }
            self.cards = cards;
        }
        let chosen = choose(self.cards.values().filter(|card| self.fits(card)), random());
        let open = || self.cards.values().filter(|card| card.state == CardState::Open);
        match open().next() {
            Some(card) if chosen.is_none() && open().all(|card| card.play != PLAY) => {
                Err(WorkerError::Refused(format!(
                    "run {} has rules of play {}, this program has {PLAY}: use the version of the coordinator",
                    card.run, card.play
                )))
            }
            _ => Ok(chosen),
        }
    }

    /// Returns whether a run has pairs that this worker may play.
    fn fits(&self, card: &Card) -> bool {
        card.state == CardState::Open
            && card.play == PLAY
            && !card.banned.contains(&self.config.name)
            && !self.refused.contains(&card.run)
            && card.flying > 0
    }

    /// Waits for something to do. Returns how the worker ended, if it did.
    async fn idle(
        &mut self,
        words: &mut Subscription,
        cards: &mut Subscription,
        leave: &mut UnboundedReceiver<Leave>,
    ) -> Result<Option<Left>, WorkerError> {
        let until = Instant::now() + self.config.timing.idle;
        let mut beat = tokio::time::interval(self.config.timing.beat);
        let mut link = self.connection.link();
        loop {
            tokio::select! {
                _ = beat.tick() => {
                    self.look_at_disk();
                    self.extend_leases().await;
                    self.beat(None).await;
                }
                word = words.next() => self.on_word(word.map(|word| word.payload), None).await?,
                card = cards.next() => {
                    if let Some(card) = card.and_then(|card| Card::decode(&card.payload).ok()) {
                        let fits = self.fits(&card);
                        self.cards.insert(card.run.clone(), card);
                        if fits && !self.draining {
                            return Ok(None);
                        }
                    }
                }
                done = self.finished.recv() => {
                    if let Some(Done::Sent) = done {
                        self.unsent = self.unsent.saturating_sub(1);
                    }
                    if self.may_end() && self.draining {
                        return Ok(Some(Left::Drained));
                    }
                }
                _ = link.changed() => refused(&link.borrow_and_update())?,
                asked = leave.recv() => match asked {
                    Some(Leave::Drain) if !self.draining => {
                        self.draining = true;
                        if self.may_end() {
                            return Ok(Some(Left::Drained));
                        }
                    }
                    _ => return Ok(Some(Left::AtOnce)),
                },
                () = tokio::time::sleep_until(until.into()) => {
                    self.idled = true;
                    return Ok(None);
                }
            }
        }
    }

    /// Plays pairs of one run until it is over, has no jobs, or the worker is asked to leave.
    async fn serve(
        &mut self,
        mut service: Service,
        words: &mut Subscription,
        cards: &mut Subscription,
        leave: &mut UnboundedReceiver<Leave>,
    ) -> Result<Option<Left>, WorkerError> {
        let mut beat = tokio::time::interval(service.beat);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut link = self.connection.link();
        loop {
            service.open_to_jobs = !self.draining && self.trouble().is_none();
            service.pull().await;
            if service.is_done(self.config.timing.idle) {
                // The answers to the last results arrive at once, or later from the spool.
                self.beat(Some(&service)).await;
                service.close().await;
                return Ok(None);
            }
            tokio::select! {
                event = service.next() => {
                    if let Some(finished) = service.on_event(self, event).await {
                        self.keep(&finished.key, finished.payload, Some(finished.delivery));
                    }
                    if let Some(refusal) = service.refusal.take() {
                        self.note("refused", format!("run {} cannot be played here: {}", service.run, refusal.why));
                        self.refused.insert(service.run.clone());
                        let report = Report::Refuse { worker: self.config.name.clone(), refusal };
                        let message = format!("{}.{}.{}.refuse", service.run, self.config.name, self.nonce);
                        let _ = self.connection
                            .put_report(&service.run, &self.config.name, message, report.encode()).await;
                        service.give_back().await;
                        service.close().await;
                        return Ok(None);
                    }
                }
                _ = beat.tick() => {
                    self.look_at_disk();
                    self.extend_leases().await;
                    service.extend_leases().await;
                    self.beat(Some(&service)).await;
                }
                word = words.next() => self.on_word(word.map(|word| word.payload), Some(&mut service)).await?,
                card = cards.next() => {
                    if let Some(card) = card.and_then(|card| Card::decode(&card.payload).ok()) {
                        if card.run == service.run {
                            service.on_card(&card, &self.config.name);
                        }
                        self.cards.insert(card.run.clone(), card);
                    }
                }
                done = self.finished.recv() => match done {
                    Some(Done::Claimed { token, stored }) => service.claimed(token, stored),
                    Some(Done::Sent) => self.unsent = self.unsent.saturating_sub(1),
                    None => {}
                },
                _ = link.changed() => {
                    let state = link.borrow_and_update().clone();
                    if let Err(error) = refused(&state) {
                        service.close().await;
                        return Err(error);
                    }
                    if state == Link::Up {
                        service.forget_pulls();
                        self.beat(Some(&service)).await;
                    }
                }
                asked = leave.recv() => match asked {
                    Some(Leave::Drain) if !self.draining => {
                        self.draining = true;
                        self.note("draining", "finishing the pairs in play; Ctrl-C again stops now".to_owned());
                    }
                    _ => {
                        service.give_back().await;
                        self.beat(None).await;
                        self.connection.flush().await;
                        service.close().await;
                        return Ok(Some(Left::AtOnce));
                    }
                },
            }
        }
    }
}

fn refused(link: &Link) -> Result<(), WorkerError> {
    match link {
        Link::Refused(why) => Err(WorkerError::Refused(format!("the server refuses this worker: {why}"))),
        Link::Up | Link::Down => Ok(()),
    }
}

/// Chooses a card by priority, then by weight; `random` is below 1.
fn choose<'a>(cards: impl Iterator<Item = &'a Card>, random: f64) -> Option<Card> {
    let cards: Vec<&Card> = cards.collect();
    let highest = cards.iter().map(|card| card.priority).max()?;
    let cards: Vec<&Card> = cards.into_iter().filter(|card| card.priority == highest).collect();
    let weight = |card: &Card| f64::from(card.weight.max(1));
    let mut point = random * cards.iter().map(|card| weight(card)).sum::<f64>();
    let chosen = cards.iter().find(|card| {
        point -= weight(card);
        point < 0.0
    });
    chosen.or(cards.last()).map(|card| (*card).clone())
}

/// Returns a number below 1 that differs from call to call.
fn random() -> f64 {
    (nonce() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a number that no other process has.
fn nonce() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    // Numbers of this size survive every JSON reader.
    hasher.finish() >> 11
}

/// Returns the name of the processor.
fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    line.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().chars().take(80).collect())
}

/// Pause before a worker looks at a job again that it cannot read.
pub(super) const UNREADABLE_JOB: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    fn card(run: u64, priority: i32, weight: u32) -> Card {
        Card {
            run: RunId::try_from(format!("{run:016x}")).unwrap(),
            name: String::new(),
            epoch: 1,
            state: CardState::Open,
            play: PLAY,
            sheet: String::new(),
            priority,
            weight,
            slots: 0,
            flying: 1,
            counted: 0,
            pairs: None,
            waits_for: None,
            banned: Vec::new(),
        }
    }

    #[test]
    fn runs_are_chosen_by_priority_then_by_weight() {
        let cards = [card(1, 0, 900), card(2, 5, 100), card(3, 5, 300)];
        let chosen =
            |random| choose(cards.iter(), random).map(|card| card.run.to_string().parse::<u64>().unwrap());
        assert_eq!(
            (chosen(0.0), chosen(0.24), chosen(0.26), chosen(0.999)),
            (Some(2), Some(2), Some(3), Some(3))
        );
        assert_eq!(choose([].iter(), 0.5), None);
    }
}
