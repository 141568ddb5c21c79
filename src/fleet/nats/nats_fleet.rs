//! The coordinator's side of a fleet: publishes jobs, receives reports, and lets the [`Ledger`] decide.

mod tasks;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel, unbounded_channel};
use tokio::task::JoinHandle;

use self::tasks::{CardTask, Reception, watch_link};
use crate::fleet::nats::access::ServerUrl;
use crate::fleet::nats::ledger::{Action, Ledger, Publication};
use crate::fleet::nats::messages::{Beat, Board, Card, CardState, Job, Message, PLAY, Report, message_id};
use crate::fleet::nats::{
    Access, Backoff, Connection, Delivery, Link, NatsError, RunId, StreamLimits, Timing, WorkerName, subject,
};
use crate::fleet::{Admission, Fleet, FleetError, FleetEvent, Member, PairJob, Pause};
use crate::game::{AdjudicationRules, LiveGame, PairId};
use crate::journal::{Claim, FleetSession};

/// Reports that wait for the coordinator, and jobs that are published at the same time.
const QUEUE: usize = 1_000;

/// Pairs started beyond the last one that counts: at least this many.
const FEWEST_AHEAD: u64 = 64;

/// Games in progress that are shown.
const MOST_BOARDS: usize = 64;

/// Pauses between two looks at the books.
const TICK: Duration = Duration::from_millis(500);

/// How a run is offered to workers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name in the fleet.
    pub run: RunId,
    /// Its name for people.
    pub name: String,
    /// Address of the server, without secrets.
    pub url: String,
    /// SHA-256 of its sheet.
    pub sheet: String,
    /// Rules by which its games end early.
    pub rules: AdjudicationRules,
    /// Pairs that it has at the most.
    pub pairs: Option<u64>,
    /// Runs of a higher priority are served first.
    pub priority: i32,
    /// Share among runs of the same priority.
    pub weight: u32,
    /// Pairs started beyond the last one that counts, for every slot.
    pub ahead: u64,
    /// Times of the protocol.
    pub timing: Timing,
    /// Times of the connection.
    pub backoff: Backoff,
}

/// What the journal of a resumed run knows about its fleet.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The latest claims.
    pub claims: HashMap<PairId, Claim>,
    /// Workers that get no pairs, with the reason.
    pub excluded: Vec<(WorkerName, String)>,
    /// Pairs that count.
    pub counted: u64,
}

/// What arrives at the coordinator.
enum Input {
    Report(Box<Delivery>),
    Beat(WorkerName, Vec<u8>),
    Stored(PairId),
    Listed(u64, BTreeSet<(u64, u32)>),
    Link(Link),
    Warning(String),
    Failed(String),
}

/// What is sent without waiting for an answer.
enum Output {
    Acknowledge(Box<Delivery>),
    Send(String, Vec<u8>),
}

/// The fleet of a coordinator.
pub struct NatsFleet {
    connection: Connection,
    offer: Offer,
    memory: Memory,
    ledger: Ledger,
    began: Instant,
    inbox: Receiver<Input>,
    /// For tasks that report back.
    sender: Sender<Input>,
    outbox: UnboundedSender<Output>,
    deliveries: HashMap<u64, Delivery>,
    events: VecDeque<FleetEvent>,
    card: UnboundedSender<Card>,
    paused: Pause,
    over: bool,
    concluded: bool,
    settled: u64,
    /// Slots of all workers, as of the last look.
    slots: usize,
    next_tick: Instant,
    next_card: Instant,
    next_comparison: Instant,
    tasks: Vec<JoinHandle<()>>,
    senders: Vec<JoinHandle<()>>,
}

impl NatsFleet {
    /// Offers a run to the workers of a server. The streams must have been prepared and the sheet stored.
    pub async fn start(connection: Connection, offer: Offer, memory: Memory) -> Result<Self, String> {
        let run = offer.run.clone();
        let failed = |error: NatsError| format!("the server of the fleet cannot be used: {error}");
        let (epoch, sequence) = match connection.card(&run).await.map_err(failed)? {
            None => (1, 0),
            Some((sequence, bytes)) => (Card::decode(&bytes).map_or(0, |card| card.epoch) + 1, sequence),
        };
        let mut ledger = Ledger::new(run.clone(), offer.rules.clone(), offer.timing.beat);
        for (worker, why) in &memory.excluded {
            ledger.recall_exclusion(worker, why);
        }
        let card = first_card(&offer, epoch, &ledger, memory.counted);
        let sequence = match connection.put_card(&run, card.encode(), sequence).await {
            Ok(sequence) => sequence,
            Err(NatsError::Conflict) => return Err(fenced()),
            Err(error) => return Err(failed(error)),
        };
        connection.open_jobs(&run, offer.timing.lease).await.map_err(failed)?;
        let reports = connection.open_results(&run, offer.timing.lease / 2).await.map_err(failed)?;
        let mut beats = connection.subscribe(subject::beats()).await.map_err(failed)?;
        let (sender, inbox) = channel(QUEUE);
        let (outbox, mut outgoing) = unbounded_channel::<Output>();
        let (card_sender, cards) = unbounded_channel();
        let link = connection.link();
        let mut tasks = vec![
            tokio::spawn(
                Reception {
                    connection: connection.clone(),
                    offer: offer.clone(),
                    epoch,
                    inbox: sender.clone(),
                }
                .run(reports),
            ),
            tokio::spawn(
                CardTask { connection: connection.clone(), run, epoch, sequence, inbox: sender.clone() }
                    .run(cards),
            ),
            tokio::spawn(watch_link(link, sender.clone())),
        ];
        let to_inbox = sender.clone();
        tasks.push(tokio::spawn(async move {
            while let Some(message) = beats.next().await {
                let Some(worker) = last_part(&message.subject) else { continue };
                if to_inbox.send(Input::Beat(worker, message.payload)).await.is_err() {
                    return;
                }
            }
        }));
        let sending = connection.clone();
        let senders = vec![tokio::spawn(async move {
            while let Some(output) = outgoing.recv().await {
                // What is lost is asked for again.
                let _ = match output {
                    Output::Acknowledge(delivery) => delivery.ack().await,
                    Output::Send(subject, payload) => sending.publish(subject, payload).await,
                };
            }
        })];
        let now = Instant::now();
        let settled = memory.counted;
        let mut fleet = Self {
            connection,
            offer,
            memory,
            ledger,
            began: now,
            inbox,
            sender,
            outbox,
            deliveries: HashMap::new(),
            events: VecDeque::new(),
            card: card_sender,
            paused: Pause::Playing,
            over: false,
            concluded: false,
            settled,
            slots: 0,
            next_tick: now,
            next_card: now,
            next_comparison: now,
            tasks,
            senders,
        };
        if let Some(warning) = fleet.connection.floor_warning() {
            fleet.events.push_back(FleetEvent::Warning(warning));
        }
        Ok(fleet)
    }

    /// Prepares the streams of the server, for a caller that stores a sheet before the start.
    pub async fn prepare(connection: &Connection) -> Result<(), String> {
        let prepared = connection.prepare(&StreamLimits::default()).await;
        prepared.map_err(|error| format!("the server of the fleet cannot be used: {error}"))
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn apply(&mut self, input: Input) {
        let now = self.now();
        match input {
            Input::Report(delivery) => self.report(now, *delivery),
            Input::Beat(worker, payload) => match Beat::decode(&payload) {
                Ok(beat) => self.ledger.beat(now, &worker, beat),
                Err(why) => self.events.push_back(FleetEvent::Warning(format!("worker {worker}: {why}"))),
            },
            Input::Stored(id) => self.ledger.stored(id),
            Input::Listed(comparison, jobs) => self.ledger.compare(comparison, &jobs),
            Input::Link(Link::Up) => self.next_comparison = Instant::now(),
            Input::Link(Link::Down) => {
                self.warn("the server of the fleet cannot be reached; workers play on".to_owned());
            }
            Input::Link(Link::Refused(why)) => {
                self.ledger.leave();
                self.events.push_back(FleetEvent::Failed(format!("the server of the fleet refuses: {why}")));
            }
            Input::Warning(text) => self.warn(text),
            Input::Failed(why) => {
                self.ledger.leave();
                self.events.push_back(FleetEvent::Failed(why));
            }
        }
        self.act();
    }

    fn warn(&mut self, text: String) {
        self.events.push_back(FleetEvent::Warning(text));
    }

    fn report(&mut self, now: Duration, delivery: Delivery) {
        let Some(worker) = last_part(&delivery.subject) else { return };
        match Report::decode(&delivery.payload) {
            Ok(report) => {
                let message = delivery.sequence;
                self.deliveries.insert(message, delivery);
                self.ledger.report(now, message, &worker, report);
            }
            Err(why) => {
                self.warn(format!("worker {worker}: {why}"));
                // Nothing will ever make it readable.
                let _ = self.outbox.send(Output::Acknowledge(Box::new(delivery)));
            }
        }
    }

    /// Carries out what the ledger asks for.
    fn act(&mut self) {
        for action in self.ledger.actions() {
            match action {
                Action::Publish { job, base, first } => self.publish(&job, base, first),
                Action::Delete { pair, attempt } => self.delete(pair, attempt),
                Action::Acknowledge(message) => {
                    if let Some(delivery) = self.deliveries.remove(&message) {
                        let _ = self.outbox.send(Output::Acknowledge(Box::new(delivery)));
                    }
                }
                Action::Answer(worker, word) => {
                    let _ = self.outbox.send(Output::Send(subject::word(&worker), word.encode()));
                }
                Action::Report(event) => self.events.push_back(event),
            }
        }
    }

    fn publish(&self, job: &PairJob, base: u64, first: Publication) {
        let (run, id) = (self.offer.run.clone(), job.id);
        let subject = subject::job(&run, id.index, id.attempt);
        let message = (first == Publication::First).then(|| message_id::job(&run, id));
        let payload = Job { run, base, job: job.clone() }.encode();
        let (connection, inbox, backoff) = (self.connection.clone(), self.sender.clone(), self.offer.backoff);
        tokio::spawn(async move {
            let mut pause = backoff.first;
            loop {
                match connection.put_job(subject.clone(), message.clone(), payload.clone()).await {
                    Ok(_) => return drop(inbox.send(Input::Stored(id)).await),
                    Err(NatsError::Closed) => return,
                    Err(error) => {
                        let text = format!("the job of pair {} is not stored: {error}", id.index + 1);
                        if inbox.send(Input::Warning(text)).await.is_err() {
                            return;
                        }
                    }
                }
                tokio::time::sleep(pause).await;
                pause = (2 * pause).min(backoff.longest);
            }
        });
    }

    fn delete(&self, pair: u64, attempt: u32) {
        let connection = self.connection.clone();
        let subject = subject::job(&self.offer.run, pair, attempt);
        tokio::spawn(async move {
            // What stays is deleted after the next comparison.
            if let Ok(Some(sequence)) = connection.job_sequence(&subject).await {
                let _ = connection.delete_job(sequence).await;
            }
        });
    }

    /// Does what is due; returns when it must be called again.
    fn tick(&mut self) -> Instant {
        let now = Instant::now();
        if now >= self.next_tick {
            self.next_tick = now + TICK;
            self.slots = self.ledger.slots(self.now());
            self.ledger.tick(self.now());
            self.act();
        }
        if now >= self.next_card {
            self.next_card = now + self.offer.timing.card;
            self.renew_card();
        }
        if now >= self.next_comparison && !self.over {
            self.next_comparison = now + self.offer.timing.reconcile;
            self.compare();
        }
        self.next_tick.min(self.next_card).min(self.next_comparison)
    }

    fn compare(&mut self) {
        let comparison = self.ledger.begin_comparison();
        let (connection, inbox, run) = (self.connection.clone(), self.sender.clone(), self.offer.run.clone());
        tokio::spawn(async move {
            // A list that is not complete would make jobs look lost.
            if let Ok(subjects) = connection.listed_jobs(&run).await {
                let jobs = subjects.iter().filter_map(|subject| pair_of(subject)).collect();
                let _ = inbox.send(Input::Listed(comparison, jobs)).await;
            }
        });
    }

    fn renew_card(&mut self) {
        let state = match (self.over, self.paused) {
            (true, _) => CardState::Over,
            (false, Pause::Paused) => CardState::Paused,
            (false, Pause::Playing) => CardState::Open,
        };
        let slots = self.slots as u64;
        let card = first_card(&self.offer, 0, &self.ledger, self.settled);
        let waits_for = self.ledger.waits_for();
        let _ = self.card.send(Card { state, slots, waits_for, ..card });
    }
}

/// Creates the card of a run; the task that stores it knows its epoch.
fn first_card(offer: &Offer, epoch: u64, ledger: &Ledger, counted: u64) -> Card {
    Card {
        run: offer.run.clone(),
        name: offer.name.clone(),
        epoch,
        state: CardState::Open,
        play: PLAY,
        sheet: offer.sheet.clone(),
        priority: offer.priority,
        weight: offer.weight,
        slots: 0,
        flying: ledger.flying() as u64,
        counted,
        pairs: offer.pairs,
        waits_for: None,
        banned: ledger.banned(),
    }
}

/// Returns the address of a server without secrets.
pub fn shown_url(access: &Access) -> String {
    ServerUrl::parse(&access.url).map_or_else(|_| String::new(), |url| url.to_string())
}

fn fenced() -> String {
    "another coordinator plays this run; two of them would count pairs twice".to_owned()
}

/// Returns the worker that the last part of a subject names.
fn last_part(subject: &str) -> Option<WorkerName> {
    WorkerName::try_from(subject.rsplit('.').next()?.to_owned()).ok()
}

/// Returns the pair and the attempt that the subject of a job names.
fn pair_of(subject: &str) -> Option<(u64, u32)> {
    let mut parts = subject.rsplit('.');
    let attempt = parts.next()?.parse().ok()?;
    Some((parts.next()?.parse().ok()?, attempt))
}

impl Fleet for NatsFleet {
    fn room(&self) -> usize {
        self.ledger.room(self.slots)
    }

    fn submit(&mut self, job: PairJob) {
        if self.ledger.flying() == 0 {
            // Workers look for runs that have pairs.
            self.next_card = Instant::now();
        }
        self.ledger.submit(job);
        self.act();
    }

    async fn next_event(&mut self) -> Option<FleetEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let due = self.tick();
            if !self.events.is_empty() {
                continue;
            }
            tokio::select! {
                input = self.inbox.recv() => self.apply(input?),
                () = tokio::time::sleep_until(due.into()) => {}
            }
        }
    }

    fn settle(&mut self, id: PairId) {
        self.settled += 1;
        self.ledger.settle(id);
        self.act();
    }

    fn adopt(&mut self, flying: Vec<PairId>) -> Vec<PairId> {
        for id in flying {
            self.ledger.adopt(id, self.memory.claims.get(&id));
        }
        Vec::new()
    }

    fn recall(&mut self) {
        self.over = true;
        self.ledger.recall();
        self.act();
        self.renew_card();
    }

    fn session(&self) -> Option<FleetSession> {
        Some(FleetSession { run: self.offer.run.to_string(), url: self.offer.url.clone() })
    }

    fn ahead(&self) -> Option<u64> {
        Some((self.offer.ahead * self.slots as u64).max(FEWEST_AHEAD))
    }

    fn members(&self) -> Vec<Member> {
        self.ledger.members(self.now())
    }

    fn set_admission(&mut self, member: &str, admission: Admission) -> Result<(), String> {
        let worker = WorkerName::try_from(member.to_owned()).map_err(|error| error.to_string())?;
        match admission {
            Admission::Banned => drop(self.ledger.ban(&worker)),
            Admission::Admitted if !self.ledger.free(&worker) => {
                return Err(format!("worker {worker} is not excluded"));
            }
            Admission::Admitted => {}
        }
        self.act();
        self.renew_card();
        Ok(())
    }

    fn set_paused(&mut self, paused: Pause) {
        self.paused = paused;
        self.renew_card();
    }

    fn live(&self) -> Vec<LiveGame> {
        self.ledger.boards().into_iter().take(MOST_BOARDS).filter_map(|(_, board)| live_game(board)).collect()
    }

    fn want_dialogue(&self) {}

    fn concurrency(&self) -> usize {
        self.slots
    }

    fn set_concurrency(&mut self, _concurrency: usize) -> Result<(), FleetError> {
        Err(FleetError::NotHere)
    }

    fn drain(&mut self) {
        self.ledger.drain();
        self.act();
    }

    fn kill_now(&mut self) {
        self.ledger.leave();
        self.act();
    }

    fn conclude(&mut self) {
        self.over = true;
        self.concluded = true;
        self.renew_card();
    }

    async fn close(self) -> Vec<FleetEvent> {
        let Self { connection, offer, outbox, card, tasks, senders, events, concluded, .. } = self;
        // Answers and the last card still go out.
        drop((outbox, card));
        let card_task = tasks.into_iter().enumerate().filter_map(|(number, task)| match number {
            1 => Some(task),
            _ => {
                task.abort();
                None
            }
        });
        for task in senders.into_iter().chain(card_task) {
            let _ = tokio::time::timeout(Duration::from_secs(5), task).await;
        }
        if concluded {
            let _ = tokio::time::timeout(Duration::from_secs(10), connection.remove_run(&offer.run)).await;
        }
        connection.flush().await;
        events.into()
    }
}

fn live_game(board: &Board) -> Option<LiveGame> {
    let position = crate::chess::Position::from_fen(&board.fen).ok()?;
    let last_move = board.last.as_deref().and_then(crate::game::MoveText::new);
    let [white, black] = board.clocks.map(|clock| clock.map(Duration::from_millis));
    Some(LiveGame {
        slot: board.slot,
        id: board.id,
        game: board.game,
        white: board.white,
        black: board.black,
        start: position,
        style: crate::chess::MoveStyle::Standard,
        moves: Vec::new(),
        position,
        last_move,
        plies: board.plies,
        clocks: crate::chess::ByColor { white, black },
        searches: crate::chess::ByColor::default(),
        score: None,
        moved_at: Instant::now(),
        dialogue: crate::chess::ByColor::default(),
    })
}
