//! A worker: takes jobs of the runs of a server and plays them on this machine.

mod choice;
mod results;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::choice::RunNotices;
use self::results::SettledPairs;
use crate::fleet::nats::messages::{Message, PLAY, Refusal, RunNotice, Token, WorkerReport};
use crate::fleet::nats::service::{Engines, NotServed, Service};
use crate::fleet::nats::spool::{Spool, SpoolError, SpoolKey};
use crate::fleet::nats::{
    Access, Backoff, ConnectError, Delivery, Link, NatsError, Role, RunId, ServerConnection, Subscription,
    Timing, WorkerName, subject,
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
    /// Megabytes that the hash tables of all engines may have together.
    pub memory_mb: Option<u64>,
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
pub enum StopRequest {
    /// Finish the pairs in play.
    Drain,
    /// Drop them.
    Now,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
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
    /// A result is durable, or not.
    Kept { key: SpoolKey, kept: std::io::Result<()> },
    /// A result was stored.
    Sent,
}

/// A worker at work.
pub struct Worker {
    pub(super) config: WorkerConfig,
    pub(super) connection: ServerConnection,
    nonce: u64,
    cpu: String,
    spool: Spool,
    /// Why results cannot be kept on disk.
    disk_trouble: Option<String>,
    waiting: BTreeMap<SpoolKey, Waiting>,
    settled: SettledPairs,
    notices: RunNotices,
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
    /// Connects to the server, however long that takes; `None` if the worker is asked to leave before. `notes` receives
    /// what the user should know.
    pub async fn start(
        config: WorkerConfig,
        notes: UnboundedSender<Note>,
        requests: &mut UnboundedReceiver<StopRequest>,
    ) -> Result<Option<Self>, WorkerError> {
        let spool = Spool::open(&config.cache, &config.name)?;
        let role = Role::Worker(config.name.clone());
        let longest = config.backoff.longest.as_secs_f64();
        let connecting =
            ServerConnection::open_noting(&config.access, &role, &config.backoff, Duration::MAX, |why| {
                let text = format!("{why}; trying again, at the latest every {longest} s");
                let _ = notes.send(Note { event: "warning", text });
            });
        let connection = tokio::select! {
            connection = connecting => connection?,
            _ = requests.recv() => return Ok(None),
        };
        let (done, finished) = unbounded_channel();
        let waiting =
            spool.read().map(|(key, payload)| (key, Waiting { payload, delivery: None, resends: 0 }));
        Ok(Some(Self {
            waiting: waiting.collect(),
            nonce: nonce(),
            cpu: cpu(),
            config,
            connection,
            spool,
            disk_trouble: None,
            settled: SettledPairs::default(),
            notices: RunNotices::default(),
            notes,
            done,
            finished,
            draining: false,
            unsent: 0,
            waiting_since: None,
            idled: false,
        }))
    }

    /// Plays pairs until it is asked to leave, or refused.
    pub async fn run(
        mut self,
        mut requests: UnboundedReceiver<StopRequest>,
    ) -> Result<WorkerEnd, WorkerError> {
        let name = self.config.name.clone();
        self.note(
            "connected",
            format!("worker {name} is connected to nats-server {}", self.connection.version()),
        );
        let failed = |error: NatsError| WorkerError::Refused(format!("the server cannot be used: {error}"));
        let mut answers = self.connection.subscribe(subject::answer(&name)).await.map_err(failed)?;
        let mut notices = self.connection.subscribe(subject::notices()).await.map_err(failed)?;
        for key in self.waiting.keys().cloned().collect::<Vec<_>>() {
            self.send(&key, None);
        }
        loop {
            let Some(notice) = self.choose_run().await? else {
                if self.may_end() {
                    return Ok(WorkerEnd::Drained);
                }
                match self.idle(&mut answers, &mut notices, &mut requests).await? {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            };
            self.idled = false;
            let run = notice.run.clone();
            let service = tokio::select! {
                service = Service::open(&self, &notice) => service,
                _ = requests.recv() => {
                    self.draining = true;
                    continue;
                }
            };
            let service = match service {
                Ok(service) => service,
                Err(NotServed::Refuse(refusal)) => {
                    self.refuse(run, refusal).await;
                    continue;
                }
                Err(NotServed::Later(why)) => {
                    self.note("warning", why);
                    self.pause(&mut requests).await;
                    continue;
                }
            };
            self.note(
                "serving",
                format!("playing run {} ({run}), slots: {}", notice.name, self.config.slots),
            );
            if let Some(end) = self.serve(service, &mut answers, &mut notices, &mut requests).await? {
                return Ok(end);
            }
        }
    }

    pub(super) fn note(&self, event: &'static str, text: String) {
        let _ = self.notes.send(Note { event, text });
    }

    /// Notes that the connection is lost or back; fails if the server refuses this worker.
    fn on_link(&self, link: &Link) -> Result<(), WorkerError> {
        match link {
            Link::Refused(why) => {
                return Err(WorkerError::Refused(format!("the server refuses this worker: {why}")));
            }
            Link::Down => self.note(
                "warning",
                "the server cannot be reached; pairs are played on, and results kept".to_owned(),
            ),
            Link::Up => self.note("connected", "connected again".to_owned()),
        }
        Ok(())
    }

    /// Plays no pairs of a run, and reports why.
    async fn refuse(&mut self, run: RunId, refusal: Refusal) {
        self.note("refused", format!("run {run} cannot be played here: {}", refusal.why));
        let worker = self.config.name.clone();
        let message = format!("{run}.{worker}.{}.refuse", self.nonce);
        let report = WorkerReport::Refuse { worker: worker.clone(), refusal };
        let _ = self.connection.put_report(&run, &worker, message, report.encode()).await;
        self.notices.refuse(run);
    }

    async fn pause(&mut self, requests: &mut UnboundedReceiver<StopRequest>) {
        tokio::select! {
            () = tokio::time::sleep(self.config.backoff.first) => {}
            _ = requests.recv() => self.draining = true,
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

    /// Chooses the next run.
    async fn choose_run(&mut self) -> Result<Option<RunNotice>, WorkerError> {
        if self.draining || self.trouble().is_some() {
            return Ok(None);
        }
        if let Ok(runs) = self.connection.runs().await {
            self.notices.retain(&runs);
            for run in runs.iter().filter(|run| !self.notices.is_over(run)).collect::<Vec<_>>() {
                if let Ok(Some((sequence, bytes))) = self.connection.notice(run).await
                    && let Ok(notice) = RunNotice::decode(&bytes)
                {
                    self.notices.read(sequence, notice, Instant::now());
                }
            }
        }
        let chosen = self.notices.choose(&self.config.name, Instant::now(), random());
        match self.notices.foreign_rules() {
            Some(notice) if chosen.is_none() => Err(WorkerError::Refused(format!(
                "run {} has rules of play {}, this program has {PLAY}: use the version of the coordinator",
                notice.run, notice.play
            ))),
            _ => Ok(chosen),
        }
    }

    /// Applies a notice that has arrived; returns the run that it belongs to.
    fn on_notice(&mut self, bytes: &[u8]) -> Option<RunNotice> {
        let notice = RunNotice::decode(bytes).ok()?;
        self.notices.arrived(notice.clone(), Instant::now());
        Some(notice)
    }

    /// Returns whether another run is to be served: one of a higher priority at once, one of the same priority, by weight,
    /// when a turn is over.
    fn turns_away(&self, service: &Service, turn_began: &mut Instant) -> bool {
        let (name, now) = (&self.config.name, Instant::now());
        if self.notices.outranks(&service.run, name, now) {
            return true;
        }
        if now < *turn_began + self.config.timing.turn {
            return false;
        }
        *turn_began = now;
        self.notices.choose(name, now, random()).is_some_and(|notice| notice.run != service.run)
    }

    /// Waits for something to do. Returns how the worker ended, if it did.
    async fn idle(
        &mut self,
        answers: &mut Subscription,
        notices: &mut Subscription,
        requests: &mut UnboundedReceiver<StopRequest>,
    ) -> Result<Option<WorkerEnd>, WorkerError> {
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
                answer = answers.next() => self.on_answer(&answer.ok_or_else(closed)?.payload, None).await?,
                notice = notices.next() => {
                    self.on_notice(&notice.ok_or_else(closed)?.payload);
                    let chosen = self.notices.choose(&self.config.name, Instant::now(), 0.0);
                    if chosen.is_some() && !self.draining && self.trouble().is_none() {
                        return Ok(None);
                    }
                }
                done = self.finished.recv() => {
                    done.into_iter().for_each(|done| self.on_done(done));
                    if self.may_end() && self.draining {
                        return Ok(Some(WorkerEnd::Drained));
                    }
                }
                _ = link.changed() => self.on_link(&link.borrow_and_update())?,
                asked = requests.recv() => match asked {
                    Some(StopRequest::Drain) if !self.draining => {
                        self.draining = true;
                        if self.may_end() {
                            return Ok(Some(WorkerEnd::Drained));
                        }
                    }
                    _ => return Ok(Some(WorkerEnd::AtOnce)),
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
        answers: &mut Subscription,
        notices: &mut Subscription,
        requests: &mut UnboundedReceiver<StopRequest>,
    ) -> Result<Option<WorkerEnd>, WorkerError> {
        let mut beat = tokio::time::interval(service.beat);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut link = self.connection.link();
        let (mut turn_began, mut turned_away) = (Instant::now(), false);
        loop {
            service.open_to_jobs =
                !self.draining && !turned_away && !service.drifted && self.trouble().is_none();
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
                        self.refuse(service.run.clone(), refusal).await;
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
                    turned_away |= self.turns_away(&service, &mut turn_began);
                }
                answer = answers.next() => {
                    self.on_answer(&answer.ok_or_else(closed)?.payload, Some(&mut service)).await?;
                }
                notice = notices.next() => {
                    let notice = self.on_notice(&notice.ok_or_else(closed)?.payload);
                    if let Some(notice) = notice.filter(|notice| notice.run == service.run) {
                        service.on_notice(&notice, &self.config.name);
                    }
                }
                done = self.finished.recv() => match done {
                    Some(Done::Claimed { token, stored }) => service.claimed(token, stored),
                    done => done.into_iter().for_each(|done| self.on_done(done)),
                },
                _ = link.changed() => {
                    let state = link.borrow_and_update().clone();
                    if let Err(error) = self.on_link(&state) {
                        // Nothing that is in play can be reported any more.
                        service.give_back().await;
                        service.close().await;
                        return Err(error);
                    }
                    if state == Link::Up {
                        service.forget_pulls();
                        self.beat(Some(&service)).await;
                    }
                }
                asked = requests.recv() => match asked {
                    Some(StopRequest::Drain) if !self.draining => {
                        self.draining = true;
                        self.note("draining", "finishing the pairs in play; Ctrl-C again stops now".to_owned());
                    }
                    _ => {
                        service.give_back().await;
                        self.beat(None).await;
                        self.connection.flush().await;
                        service.close().await;
                        return Ok(Some(WorkerEnd::AtOnce));
                    }
                },
            }
        }
    }
}

fn closed() -> WorkerError {
    WorkerError::Refused("the connection to the server was closed".to_owned())
}

/// Returns a number below 1 that differs from call to call.
pub(super) fn random() -> f64 {
    nonce() as f64 / (1_u64 << 53) as f64
}

/// Returns a random number.
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
