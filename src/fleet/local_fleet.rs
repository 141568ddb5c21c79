//! A fleet of slots on this machine.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fleet::dispatch::Dispatch;
use crate::fleet::engine_registry::EngineRegistry;
use crate::fleet::live_board::LiveBoard;
use crate::fleet::placement::SlotProcessors;
use crate::fleet::shortage::Shortages;
use crate::fleet::slot::{PairEnd, SlotOrder, SlotShared};
use crate::fleet::slot_thread::{NewSlot, SlotWorker, WorkerRole};
use crate::fleet::stall_detector::Suspensions;
use crate::fleet::{Fleet, FleetEvent, PairJob, Placement, ProgramChanged, fd_limit};
use crate::game::{AdjudicationRules, GameOfPair, LiveGame, TableJudge, VoidReason};
use crate::opening::PolyglotError;
use crate::player::{EngineOption, EngineSpec, GuardianProgram, Launcher};
use crate::store::KeptFile;

/// Configuration of a fleet.
#[derive(Clone, Debug)]
pub struct FleetConfig {
    /// Engines, to which pairs refer by index.
    pub engines: Vec<EngineSpec>,
    /// The files of each engine, which must stay the same; an engine without files is started as it is.
    pub files: Vec<Vec<Arc<KeptFile>>>,
    /// What follows if one of them changes.
    pub program_changed: ProgramChanged,
    /// Number of pairs played at the same time.
    pub concurrency: usize,
    /// Adjudication rules.
    pub rules: AdjudicationRules,
    /// Time that a slot rests after each game.
    pub wait_after_game: Duration,
    /// Endgame tables that end games.
    pub tables: Option<TableJudge>,
    /// Guardian that kills the engines if this process is killed; `None` leaves that to the kernel alone.
    pub guardian: Option<GuardianProgram>,
    /// Whether games are bound to processors.
    pub placement: Placement,
    /// Name of the processor pool. Runs with the same pool never bind their games to the same processor.
    pub processor_pool: String,
    /// Number of threads that host slots; 0 means one per processor, but not more than slots.
    pub threads: usize,
}

impl FleetConfig {
    /// Creates the configuration of a fleet that plays one pair at a time.
    pub fn new(engines: Vec<EngineSpec>) -> Self {
        Self {
            engines,
            files: Vec::new(),
            program_changed: ProgramChanged::default(),
            concurrency: 1,
            rules: AdjudicationRules::default(),
            wait_after_game: Duration::ZERO,
            tables: None,
            guardian: None,
            placement: Placement::Off,
            processor_pool: "playself".to_owned(),
            threads: 0,
        }
    }
}

/// Reason why a fleet could not be started.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The limit on open files is too low.
    #[error("{}", too_few_text(*.wanted, *.possible))]
    TooFewDescriptors {
        /// Requested number of games.
        wanted: usize,
        /// Number of games that the limit allows.
        possible: usize,
    },
    /// The slots are those of other machines.
    #[error("the pairs are played by the workers of a fleet; their --slots decide how many at once")]
    NotHere,
    /// The book of an engine cannot be used.
    #[error(transparent)]
    Book(#[from] PolyglotError),
    /// A thread or the guardian could not be started.
    #[error("could not start the fleet")]
    Start(#[from] io::Error),
}

fn too_few_text(wanted: usize, possible: usize) -> String {
    let games =
        if wanted == 1 { "one game needs".to_owned() } else { format!("{wanted} games at once need") };
    let advice = match possible {
        _ if wanted > fd_limit::MAX_CONCURRENCY => {
            return format!("{wanted} games at once are too many; the most is {}", fd_limit::MAX_CONCURRENCY);
        }
        0 => "not even one game fits: raise the limit (ulimit -Hn)".to_owned(),
        _ => format!("at most {possible} fit: lower --concurrency or raise the limit (ulimit -Hn)"),
    };
    format!("{games} more open files than the system allows; {advice}")
}

/// Pause between two checks whether a thread has ended.
const JOIN_POLL: Duration = Duration::from_millis(1);

/// A fleet of slots on this machine. Every submitted pair ends in an event that reports it finished or void.
#[derive(Debug)]
pub struct LocalFleet {
    coordinator: Arc<Coordinator>,
    events: UnboundedReceiver<FleetEvent>,
    threads: Vec<JoinHandle<()>>,
    kill: CancellationToken,
    /// Submitted pairs whose end was not received yet.
    unreceived: usize,
}

/// State shared by submitters and slots.
#[derive(Debug)]
struct Coordinator {
    inner: Mutex<CoordinatorState>,
    events: UnboundedSender<FleetEvent>,
    /// Cancelled when no pair begins any more.
    drain: CancellationToken,
}

#[derive(Debug)]
struct CoordinatorState {
    dispatch: Dispatch,
    /// Senders to each worker and each slot; dropped to let them end.
    workers: Vec<UnboundedSender<NewSlot>>,
    orders: Vec<UnboundedSender<SlotOrder>>,
    boards: Vec<LiveBoard>,
    places: SlotProcessors,
}

impl LocalFleet {
    /// Starts the threads; engines start with the first pair.
    pub fn start(config: FleetConfig) -> Result<Self, FleetError> {
        let concurrency = config.concurrency.max(1);
        Self::reserve(concurrency)?;
        let launcher = Launcher::new(config.guardian.as_ref())?;
        let places = SlotProcessors::new(config.placement, config.processor_pool, &config.engines);
        let (events, inbox) = unbounded_channel();
        let [kill, drain] = [CancellationToken::new(), CancellationToken::new()];
        let shared = Arc::new(SlotShared {
            registry: EngineRegistry::new(config.engines, config.files, config.program_changed)?,
            launcher,
            rules: config.rules,
            wait_after_game: config.wait_after_game,
            tables: config.tables,
            events: events.clone(),
            suspensions: Suspensions::default(),
            shortages: Shortages::default(),
            drain: drain.clone(),
            kill: kill.clone(),
        });
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let count = if config.threads == 0 { processors.min(concurrency) } else { config.threads };
        let coordinator = Arc::new(Coordinator {
            inner: Mutex::new(CoordinatorState {
                dispatch: Dispatch::new(concurrency),
                workers: Vec::new(),
                orders: Vec::new(),
                boards: Vec::new(),
                places,
            }),
            events,
            drain,
        });
        let mut threads = Vec::with_capacity(count);
        for number in 0..count.max(1) {
            let role = if number == 0 { WorkerRole::SlotsAndSignals } else { WorkerRole::Slots };
            let coordinator_ref = Arc::downgrade(&coordinator);
            let done = move |slot, end| {
                if let Some(coordinator) = coordinator_ref.upgrade() {
                    coordinator.pair_done(slot, end);
                }
            };
            let worker = SlotWorker::start(number, role, Arc::clone(&shared), done)?;
            coordinator.lock().workers.push(worker.slots);
            threads.push(worker.thread);
        }
        coordinator.lock().open_slots(concurrency);
        Ok(Self { coordinator, events: inbox, threads, kill, unreceived: 0 })
    }

    /// Raises the limit on open files as needed for `concurrency` pairs; fails if the hard limit is too low.
    pub fn reserve(concurrency: usize) -> Result<(), FleetError> {
        fd_limit::reserve(concurrency)
            .map_err(|possible| FleetError::TooFewDescriptors { wanted: concurrency, possible })
    }
}

impl Fleet for LocalFleet {
    fn submit(&mut self, job: PairJob) {
        self.unreceived += 1;
        let refused = {
            let mut state = self.coordinator.lock();
            let refused = state.dispatch.submit(job);
            state.start_pairs();
            refused
        };
        self.coordinator.void_jobs(refused);
    }

    /// A pair takes its place until its end was received, so that no caller starts pairs faster than it reads their ends.
    fn room(&self) -> usize {
        let state = self.coordinator.lock();
        let taken = (state.dispatch.busy() + state.dispatch.queued()).max(self.unreceived);
        state.dispatch.concurrency().saturating_sub(taken)
    }

    async fn next_event(&mut self) -> Option<FleetEvent> {
        let event = self.events.recv().await;
        if matches!(event, Some(FleetEvent::PairFinished(_) | FleetEvent::Voided { .. })) {
            self.unreceived = self.unreceived.saturating_sub(1);
        }
        event
    }

    fn set_concurrency(&mut self, concurrency: usize) -> Result<(), FleetError> {
        let concurrency = concurrency.max(1);
        Self::reserve(concurrency)?;
        let mut state = self.coordinator.lock();
        state.dispatch.set_concurrency(concurrency);
        state.open_slots(concurrency);
        state.release_surplus_slots();
        state.start_pairs();
        Ok(())
    }

    fn concurrency(&self) -> usize {
        self.coordinator.lock().dispatch.concurrency()
    }

    fn drain(&mut self) {
        self.coordinator.drain();
    }

    fn kill_now(&mut self) {
        self.coordinator.drain();
        self.kill.cancel();
    }

    fn live(&self) -> Vec<LiveGame> {
        let boards = self.coordinator.lock().boards.clone();
        boards.iter().filter_map(LiveBoard::snapshot).collect()
    }

    fn want_dialogue(&self) {
        let boards = self.coordinator.lock().boards.clone();
        boards.iter().for_each(LiveBoard::want_dialogue);
    }

    async fn close(mut self) -> Vec<FleetEvent> {
        self.coordinator.drain();
        self.coordinator.lock().close_channels();
        let threads = std::mem::take(&mut self.threads);
        for thread in threads {
            while !thread.is_finished() {
                tokio::time::sleep(JOIN_POLL).await;
            }
            // A worker that panicked has already dropped, and thereby killed, its engines.
            let _ = thread.join();
        }
        let mut rest = Vec::new();
        while let Ok(event) = self.events.try_recv() {
            rest.push(event);
        }
        rest
    }
}

impl Coordinator {
    fn lock(&self) -> MutexGuard<'_, CoordinatorState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drain(&self) {
        let dropped = self.lock().dispatch.drain();
        self.drain.cancel();
        self.void_jobs(dropped);
    }

    fn void_jobs(&self, jobs: impl IntoIterator<Item = PairJob>) {
        for job in jobs {
            let (game, reason) = (GameOfPair::First, VoidReason::Cancelled);
            let _ = self.events.send(FleetEvent::Voided { id: job.id, game, reason });
        }
    }

    fn pair_done(&self, slot: usize, end: PairEnd) {
        let mut state = self.lock();
        state.dispatch.finished(slot);
        match end {
            PairEnd::Done => state.dispatch.played(Instant::now()),
            PairEnd::OutOfResources => state.dispatch.refused(Instant::now()),
            PairEnd::Over => {
                drop(state);
                self.drain();
                return;
            }
        }
        state.start_pairs();
        // If the concurrency was lowered during this pair, its engines are no longer needed.
        state.release_surplus_slots();
    }
}

impl CoordinatorState {
    fn open_slots(&mut self, count: usize) {
        self.places.fit(count);
        while self.orders.len() < count && !self.workers.is_empty() {
            let number = self.orders.len();
            let (orders, inbox) = unbounded_channel();
            let board = LiveBoard::default();
            let slot = NewSlot { number, board: board.clone(), orders: inbox };
            if self.workers[number % self.workers.len()].send(slot).is_err() {
                return;
            }
            self.orders.push(orders);
            self.boards.push(board);
            self.dispatch.add_idle(number);
        }
    }

    fn release_surplus_slots(&mut self) {
        for slot in self.dispatch.surplus_slots() {
            if let Some(orders) = self.orders.get(slot) {
                let _ = orders.send(SlotOrder::Release);
            }
        }
    }

    fn start_pairs(&mut self) {
        while let Some((slot, job)) = self.dispatch.next() {
            if let Some(orders) = self.orders.get(slot) {
                // An engine with more threads for this pair alone would not fit on the processors of its slot.
                let threads = |option: &EngineOption| option.is_named("Threads");
                let overrides_threads = job.contestants.iter().any(|side| side.options.iter().any(threads));
                let cpus = if overrides_threads { Vec::new() } else { self.places.of(slot).to_vec() };
                let _ = orders.send(SlotOrder::Play { job: Box::new(job), cpus });
            }
        }
    }

    fn close_channels(&mut self) {
        self.workers.clear();
        self.orders.clear();
    }
}

impl Drop for LocalFleet {
    fn drop(&mut self) {
        // Dropping a fleet does not wait for it: its engines are killed on their own threads.
        self.coordinator.drain();
        self.kill.cancel();
        self.coordinator.lock().close_channels();
    }
}
