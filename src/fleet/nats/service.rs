//! A worker in the service of one run: leases of jobs in, reports out, with a [`LocalFleet`] in between.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::fleet::nats::blobs::{self, Building};
use crate::fleet::nats::cache::{Cache, MOST_CACHE_BYTES, ProvideError};
use crate::fleet::nats::messages::{
    BadMessage, Board, DescribedEngine, Job, Message, NoticeState, PLAY, Playing, Refusal, RefusalCode,
    RunDescription, RunNotice, Token, WorkerReport, message_id,
};
use crate::fleet::nats::sandbox::{SandboxMode, confine};
use crate::fleet::nats::speed::{self, DriftWatch};
use crate::fleet::nats::spool::SpoolKey;
use crate::fleet::nats::worker::{Done, RunChoice, UNREADABLE_JOB, Worker, random};
use crate::fleet::nats::{
    Asking, Delivery, Pulled, Puller, RunId, ServerConnection, WorkerName, beats_per_extension,
};
use crate::fleet::{Fleet, FleetConfig, FleetEvent, LocalFleet, Placement};
use crate::game::{EngineIndex, FaultBundle, GameOfPair, GameRecord, PairId, VoidReason};
use crate::journal::GameEntry;
use crate::player::{EngineSpec, GuardianProgram};

/// How a worker obtains and starts engines.
#[derive(Clone, Debug)]
pub struct Engines {
    /// Its kind of machine.
    pub target: String,
    /// Folder of engines that were downloaded.
    pub cache: PathBuf,
    /// Whether engines are confined.
    pub sandbox: SandboxMode,
    /// Whether engines may be built from source text.
    pub build: Building,
    /// Kills engines if the worker is killed.
    pub guardian: GuardianProgram,
}

/// Why a run is not served.
#[derive(Debug)]
pub(super) enum NotServed {
    /// This machine cannot play it.
    Refuse(Refusal),
    /// Something may work later.
    Later(String),
}

/// Whether the result of a pair in play is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultUse {
    /// It is.
    Wanted,
    /// It is not; the lease of its job is another's, or the job is settled.
    Unwanted,
}

/// A job that this worker has.
#[derive(Debug)]
struct Held {
    token: Token,
    delivery: Delivery,
    job: Option<Box<Job>>,
    result_use: ResultUse,
    games: Vec<(GameOfPair, Box<GameRecord>)>,
    bundles: Vec<FaultBundle>,
}

/// A pair that has ended, with its report.
#[derive(Debug)]
pub(super) struct FinishedPair {
    pub(super) key: SpoolKey,
    pub(super) payload: Vec<u8>,
    pub(super) delivery: Delivery,
}

/// What happens in a service.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "none is kept")]
pub(super) enum ServiceEvent {
    Fleet(Option<FleetEvent>),
    Pulled(Option<Pulled>),
    Idle,
}

/// The service of one run.
pub(super) struct Service {
    pub(super) run: RunId,
    pub(super) beat: Duration,
    pub(super) nps: Option<u64>,
    pub(super) scale_ppm: Option<u32>,
    /// Whether it may take jobs.
    pub(super) open_to_jobs: bool,
    /// Why this machine turned out to be unable to play the run.
    pub(super) refusal: Option<Refusal>,
    worker: WorkerName,
    connection: ServerConnection,
    fleet: LocalFleet,
    /// Locks the folders of the engines.
    cache: Cache,
    puller: Puller,
    slots: usize,
    asked: usize,
    asked_at: Instant,
    pull: Duration,
    /// Slots that play the run, on all machines.
    all_slots: u64,
    /// Whether there was no job for the last question, and when to ask again.
    in_vain: bool,
    next_question: Instant,
    /// Signs of life between two extensions of the leases, and those since the last one.
    beats_per_extension: u32,
    beats: u32,
    held: BTreeMap<(u64, u32), Held>,
    state: NoticeState,
    /// Epoch and stores of the notice.
    offered: (u64, u64),
    last_job: Instant,
    /// The speed of the baseline in games, if it decides about clocks.
    drift: Option<DriftWatch>,
    baseline: EngineIndex,
    /// Whether the engines must be examined again.
    pub(super) drifted: bool,
}

impl Service {
    /// Obtains the engines of a run, checks them, and starts a fleet for them.
    pub(super) async fn open(worker: &Worker, notice: &RunNotice) -> Result<Self, NotServed> {
        let connection = &worker.connection;
        let later =
            |error: String| NotServed::Later(format!("run {} cannot be served yet: {error}", notice.run));
        let bytes = blobs::get_bytes(connection, &notice.description, RunDescription::LIMIT as u64).await;
        let description = bytes.map_err(|error| later(error.to_string()))?;
        let description = RunDescription::decode(&description).map_err(|error| later(error.to_string()))?;
        if description.play != PLAY {
            let why = format!("the run has rules of play {}, this program {PLAY}", description.play);
            return Err(later(why));
        }
        let refuse = |code, why: &str| NotServed::Refuse(Refusal { code, why: why.to_owned() });
        if description.timed && worker.config.choice == RunChoice::Untimed {
            return Err(refuse(RefusalCode::Slow, "it plays only runs without a clock"));
        }
        check_memory(&description, worker.config.slots, worker.config.memory_mb)
            .map_err(NotServed::Refuse)?;
        let (engines, cache) = provide(worker, &description).await?;
        let (nps, scale_ppm) = examine(worker, &description, &engines).await?;
        let mut config = FleetConfig::new(engines);
        config.concurrency = worker.config.slots;
        config.rules = description.rules.clone();
        config.guardian = Some(worker.config.engines.guardian.clone());
        config.placement = Placement::Auto;
        config.wait_after_game = Duration::from_millis(description.wait_ms);
        let fleet = LocalFleet::start(config).map_err(|error| later(error.to_string()))?;
        let puller = connection.pull_jobs(&notice.run).await.map_err(|error| later(error.to_string()))?;
        Ok(Self {
            run: notice.run.clone(),
            beat: Duration::from_millis(description.beat_ms.max(10)),
            nps,
            scale_ppm,
            open_to_jobs: true,
            refusal: None,
            worker: worker.config.name.clone(),
            connection: connection.clone(),
            fleet,
            cache,
            puller,
            slots: worker.config.slots,
            asked: 0,
            asked_at: Instant::now(),
            pull: worker.config.timing.pull,
            all_slots: notice.slots,
            in_vain: false,
            next_question: Instant::now(),
            beats_per_extension: beats_per_extension(
                Duration::from_millis(description.lease_ms),
                Duration::from_millis(description.beat_ms),
            ),
            beats: 0,
            held: BTreeMap::new(),
            state: notice.state,
            offered: (notice.epoch, notice.stores),
            last_job: Instant::now(),
            drift: scale_ppm.map(|_| DriftWatch::default()),
            baseline: EngineIndex(
                u16::try_from(description.engines.len().saturating_sub(1)).unwrap_or(u16::MAX),
            ),
            drifted: false,
        })
    }

    /// Returns the number of pairs that could begin now.
    pub(super) fn free(&self) -> usize {
        self.slots.saturating_sub(self.held.len())
    }

    /// Asks for as many jobs as there are free slots, unless an earlier question is open: the server looks at every open
    /// question whenever a job arrives, and where jobs are scarce a second one brings none.
    pub(super) async fn pull(&mut self) {
        // An answer of the server may be lost with a connection.
        if self.asked > 0 && self.asked_at.elapsed() > self.pull + Duration::from_secs(5) {
            self.asked = 0;
        }
        let wanted = self.free();
        let open = self.open_to_jobs && self.state == NoticeState::Open && self.refusal.is_none();
        if !open || self.asked > 0 || wanted == 0 || Instant::now() < self.next_question {
            return;
        }
        let sent = match self.asking() {
            Asking::Waiting => self.puller.request(wanted, self.pull).await,
            Asking::Polling(_) if self.in_vain => self.puller.request_now(wanted).await,
            Asking::Polling(_) => self.puller.request(wanted, Asking::FIRST_WAITS).await,
        };
        if sent.is_ok() {
            self.asked = wanted;
            self.asked_at = Instant::now();
        }
    }

    fn asking(&self) -> Asking {
        Asking::in_fleet_of(self.all_slots, random())
    }

    /// Forgets pulls that were lost with a connection.
    pub(super) fn forget_pulls(&mut self) {
        self.asked = 0;
    }

    /// Returns whether nothing is in play and nothing is to be expected.
    pub(super) fn is_done(&self, idle: Duration) -> bool {
        let open = self.open_to_jobs && self.state == NoticeState::Open;
        self.held.is_empty() && (!open || self.last_job.elapsed() >= idle)
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self) -> ServiceEvent {
        tokio::select! {
            event = self.fleet.next_event() => ServiceEvent::Fleet(event),
            pulled = self.puller.next() => ServiceEvent::Pulled(pulled),
            () = tokio::time::sleep(Duration::from_millis(500)) => ServiceEvent::Idle,
        }
    }

    /// Applies an event; returns the pair that it ended.
    pub(super) async fn on_event(
        &mut self,
        worker: &mut Worker,
        event: ServiceEvent,
    ) -> Option<FinishedPair> {
        match event {
            ServiceEvent::Fleet(Some(event)) => return self.on_fleet(worker, event),
            ServiceEvent::Pulled(Some(Pulled::Message(delivery))) => {
                self.asked = self.asked.saturating_sub(1);
                self.in_vain = false;
                self.on_job(worker, delivery).await;
            }
            ServiceEvent::Pulled(Some(Pulled::Ended(missing))) => {
                self.asked = self.asked.saturating_sub(missing.unwrap_or(self.asked));
                self.in_vain = true;
                if let Asking::Polling(pause) = self.asking() {
                    self.next_question = Instant::now() + pause;
                }
            }
            // The coordinator makes the consumer again.
            ServiceEvent::Pulled(Some(Pulled::Missing) | None) => {
                self.asked = 0;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            ServiceEvent::Fleet(None) | ServiceEvent::Idle => {}
        }
        None
    }

    async fn on_job(&mut self, worker: &mut Worker, delivery: Delivery) {
        self.last_job = Instant::now();
        let job = match Job::decode(&delivery.payload) {
            Ok(job) if job.run == self.run => job,
            Ok(_) => return,
            Err(why) => {
                worker.note("warning", format!("a job of run {} is given back: {why}", self.run));
                let _ = delivery.nak(Some(UNREADABLE_JOB)).await;
                if matches!(why, BadMessage::Newer(_)) {
                    self.refusal = Some(Refusal { code: RefusalCode::Target, why: why.to_string() });
                }
                return;
            }
        };
        let id = job.job.id;
        let token = Token {
            pair: id.index,
            attempt: id.attempt,
            delivery: delivery.delivered.saturating_add(job.base),
        };
        if let Some(held) = self.held.get_mut(&(id.index, id.attempt)) {
            // The server delivers it again although it is in play here; the newer lease is the one that counts.
            held.delivery = delivery;
            if held.result_use == ResultUse::Unwanted {
                // No other worker has it: what is in play may be of use after all.
                (held.token, held.result_use) = (token, ResultUse::Wanted);
                self.claim(worker, token);
            }
            return;
        }
        if worker.has_result(&self.run, id.index, id.attempt, &delivery) {
            // It was played before this process started, or before the server lost the lease; an answer will come.
            return;
        }
        if worker.has_settled(&self.run, id.index, id.attempt) {
            // The answer was faster than the job.
            let _ = delivery.ack().await;
            return;
        }
        // Pulls that seemed lost may be alive.
        if !self.open_to_jobs || self.held.len() >= self.slots {
            let _ = delivery.nak(None).await;
            return;
        }
        let job = Some(Box::new(job));
        let held = Held {
            token,
            delivery,
            job,
            result_use: ResultUse::Wanted,
            games: Vec::new(),
            bundles: Vec::new(),
        };
        self.held.insert((id.index, id.attempt), held);
        self.claim(worker, token);
    }

    /// Reports that this worker plays a pair.
    fn claim(&self, worker: &Worker, token: Token) {
        let (connection, run, name) = (self.connection.clone(), self.run.clone(), self.worker.clone());
        let claim = WorkerReport::Claim { worker: name.clone(), token, scale_ppm: self.scale_ppm };
        let done = worker.done.clone();
        tokio::spawn(async move {
            let stored =
                connection.put_report(&run, &name, message_id::claim(&run, token), claim.encode()).await;
            let _ = done.send(Done::Claimed { token, stored: stored.is_ok() });
        });
    }

    /// Begins to play a pair whose claim was stored. Without a claim it is left to others.
    pub(super) fn claimed(&mut self, token: Token, stored: bool) {
        let place = (token.pair, token.attempt);
        let Some(held) = self.held.get_mut(&place).filter(|held| held.token == token) else { return };
        // A pair that is in play stays until it ends.
        if held.job.is_some() && (!stored || held.result_use == ResultUse::Unwanted) {
            self.held.remove(&place);
            return;
        }
        if let Some(job) = held.job.take() {
            let mut job = job.job;
            for side in &mut job.contestants {
                side.limits = side.limits.scaled(self.scale_ppm);
            }
            self.fleet.submit(job);
        }
    }

    fn on_fleet(&mut self, worker: &Worker, event: FleetEvent) -> Option<FinishedPair> {
        match event {
            FleetEvent::GameFinished { id, game, record, bundle } => {
                if let (Some(drift), Some(nps)) = (&mut self.drift, speed::in_game(&record, self.baseline)) {
                    self.drifted |= drift.drifts(nps);
                }
                let held = self.held.get_mut(&(id.index, id.attempt))?;
                held.games.push((game, record));
                held.bundles.extend(bundle.map(|bundle| *bundle));
                None
            }
            FleetEvent::PairFinished(report) => self.finished(report.id, None),
            FleetEvent::Voided { id, reason: VoidReason::Cancelled, .. } => {
                self.held.remove(&(id.index, id.attempt));
                None
            }
            FleetEvent::Voided { id, reason, .. } => self.finished(id, Some(reason)),
            FleetEvent::EngineFatal(fatal) => {
                self.refusal = Some(Refusal { code: RefusalCode::Target, why: fatal.to_string() });
                None
            }
            FleetEvent::Warning(text) => {
                worker.note("warning", text);
                None
            }
            _ => None,
        }
    }

    fn finished(&mut self, id: PairId, void: Option<VoidReason>) -> Option<FinishedPair> {
        let held = self.held.remove(&(id.index, id.attempt))?;
        if held.result_use == ResultUse::Unwanted {
            return None;
        }
        let Held { token, delivery, games, bundles, .. } = held;
        let worker = self.worker.clone();
        let payload = match void {
            Some(reason) => WorkerReport::Void { worker, token, reason }.encode(),
            None => {
                let entry = |(game, record): &(GameOfPair, Box<GameRecord>)| {
                    let mut entry = GameEntry::pack(id.index, id.attempt, *game, record);
                    entry.scale_ppm = self.scale_ppm;
                    entry
                };
                pair_report(&worker, token, &games.iter().map(entry).collect::<Vec<_>>(), bundles)
            }
        };
        Some(FinishedPair { key: SpoolKey { run: self.run.clone(), token }, payload, delivery })
    }

    /// Notes that a pair is on record: its job is settled.
    pub(super) async fn over(&mut self, token: Token) {
        if let Some(held) = self.held.get_mut(&(token.pair, token.attempt)).filter(|held| held.token == token)
        {
            held.result_use = ResultUse::Unwanted;
            let _ = held.delivery.ack().await;
        }
    }

    /// Notes that another worker plays a pair.
    pub(super) fn stale(&mut self, token: Token) {
        if let Some(held) = self.held.get_mut(&(token.pair, token.attempt)).filter(|held| held.token == token)
        {
            held.result_use = ResultUse::Unwanted;
        }
    }

    /// Applies a new notice of the run.
    pub(super) fn on_notice(&mut self, notice: &RunNotice, name: &WorkerName) {
        self.state = if notice.excluded.contains(name) { NoticeState::Paused } else { notice.state };
        self.all_slots = notice.slots;
        if std::mem::replace(&mut self.offered, (notice.epoch, notice.stores))
            != (notice.epoch, notice.stores)
        {
            // Pulls of a consumer that is gone have no answer.
            self.asked = 0;
        }
        if notice.state == NoticeState::Over {
            // The test is decided: what is in play is of no use.
            self.fleet.kill_now();
            self.held.clear();
        }
    }

    /// Extends the leases of all jobs in play, if that is due. Called with every sign of life.
    pub(super) async fn extend_leases(&mut self) {
        self.beats += 1;
        if self.beats < self.beats_per_extension {
            return;
        }
        self.beats = 0;
        for held in self.held.values().filter(|held| held.result_use == ResultUse::Wanted) {
            let _ = held.delivery.in_progress().await;
        }
    }

    /// Gives all jobs back and kills the engines.
    pub(super) async fn give_back(&mut self) {
        self.fleet.kill_now();
        for (_, held) in std::mem::take(&mut self.held) {
            if held.result_use == ResultUse::Wanted {
                let _ = held.delivery.nak(None).await;
            }
        }
    }

    /// Ends the engines.
    pub(super) async fn close(self) {
        let Self { fleet, cache, .. } = self;
        fleet.close().await;
        drop(cache);
    }

    /// Returns the pairs that this worker has.
    pub(super) fn playing(&self) -> Vec<Playing> {
        let live = self.fleet.live();
        let plies = |token: &Token| {
            let game =
                live.iter().find(|game| (game.id.index, game.id.attempt) == (token.pair, token.attempt));
            game.map_or(0, |game| game.plies as u64)
        };
        let wanted = self.held.values().filter(|held| held.result_use == ResultUse::Wanted);
        wanted.map(|held| Playing { token: held.token, plies: plies(&held.token) }).collect()
    }

    /// Returns two of the games in progress.
    pub(super) fn boards(&self) -> Vec<Board> {
        let board = |game: &crate::game::LiveGame| {
            let clocks = [crate::chess::Color::White, crate::chess::Color::Black].map(|side| {
                game.clocks[side].map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
            });
            Board {
                id: game.id,
                game: game.game,
                slot: game.slot,
                white: game.white,
                black: game.black,
                fen: game.position.to_fen(),
                plies: game.plies,
                last: game.last_move.map(|mv| mv.as_str().to_owned()),
                clocks,
            }
        };
        self.fleet.live().iter().take(2).map(board).collect()
    }
}

/// Returns the report of a pair, without the evidence that does not fit.
fn pair_report(
    worker: &WorkerName,
    token: Token,
    games: &[GameEntry],
    mut bundles: Vec<FaultBundle>,
) -> Vec<u8> {
    loop {
        let report = WorkerReport::Pair {
            worker: worker.clone(),
            token,
            games: games.to_vec(),
            bundles: bundles.clone(),
        };
        let bytes = report.encode();
        if bytes.len() <= WorkerReport::LIMIT || bundles.pop().is_none() {
            return bytes;
        }
    }
}

/// Refuses a run whose engines have larger hash tables than this machine allows.
fn check_memory(description: &RunDescription, slots: usize, most_mb: Option<u64>) -> Result<(), Refusal> {
    let hash_of = |engine: &DescribedEngine| {
        let option = engine.spec.options.iter().find(|option| option.name.eq_ignore_ascii_case("Hash"));
        option.and_then(|option| option.value.parse::<u64>().ok()).unwrap_or(0)
    };
    let mut tables: Vec<u64> = description.engines.iter().map(hash_of).collect();
    tables.sort_unstable();
    // Two engines play in a slot.
    let needed = tables.iter().rev().take(2).fold(0, |sum: u64, table| sum.saturating_add(*table));
    let needed = needed.saturating_mul(slots as u64);
    match most_mb {
        Some(most) if needed > most => Err(Refusal {
            code: RefusalCode::Memory,
            why: format!("{slots} slots need {needed} MB for hash tables, and --memory allows {most} MB"),
        }),
        _ => Ok(()),
    }
}

/// Obtains the engines of a run. Their folders are locked as long as the returned cache is open.
async fn provide(
    worker: &Worker,
    description: &RunDescription,
) -> Result<(Vec<EngineSpec>, Cache), NotServed> {
    let Engines { cache: folder, sandbox, build, .. } = &worker.config.engines;
    let failed = |error: std::io::Error| NotServed::Later(format!("{}: {error}", folder.display()));
    let cache = Cache::open(folder, MOST_CACHE_BYTES).map_err(failed)?;
    let mut specs = Vec::new();
    for engine in &description.engines {
        let spec = cache.provide(&worker.connection, engine, *build).await;
        let spec = spec.map_err(|error| match error {
            ProvideError::Refused(refusal) => NotServed::Refuse(refusal),
            other => NotServed::Later(format!("an engine cannot be obtained: {other}")),
        })?;
        specs.push(confine(spec, *sandbox).map_err(NotServed::Refuse)?);
    }
    Ok((specs, cache))
}

/// Compares the engines with those of the coordinator and measures the speed of the baseline. Returns the speed and the
/// factor of the time control.
async fn examine(
    worker: &Worker,
    description: &RunDescription,
    engines: &[EngineSpec],
) -> Result<(Option<u64>, Option<u32>), NotServed> {
    let mut nps = None;
    for (engine, spec) in description.engines.iter().zip(engines) {
        if engine.signature.is_none() && !description.timed {
            continue;
        }
        let (slots, guardian) = (worker.config.slots, &worker.config.engines.guardian);
        let probed =
            speed::probe(spec, slots, engine.probe_depth, Some(guardian)).await.map_err(NotServed::Refuse)?;
        speed::check_signature(&spec.name, engine.signature.as_deref(), &probed)
            .map_err(NotServed::Refuse)?;
        nps = probed.nps;
    }
    if !description.timed {
        return Ok((nps, None));
    }
    let scale_ppm =
        speed::scale_ppm(description.reference_nps, nps, description.slowest).map_err(NotServed::Refuse)?;
    Ok((nps, scale_ppm))
}
