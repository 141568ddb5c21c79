//! The coordinator's side of a fleet: publishes jobs, receives reports, and lets the [`Ledger`] decide.

mod offer;
mod outbox;
mod tasks;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel, unbounded_channel};
use tokio::task::JoinHandle;

use self::offer::first_notice;
pub use self::offer::{Memory, Offer, StartError, shown_url};
use self::outbox::{Output, Postman, StoredJob};
use self::tasks::{CardTask, Reception, listen, watch_link};
use crate::fleet::nats::ledger::{Action, Ledger, Publication, Terms};
use crate::fleet::nats::messages::{
    Board, Heartbeat, Job, MembersAnswer, Message, NoticeState, RunNotice, WorkerReport, message_id,
};
use crate::fleet::nats::{Delivery, Link, NatsError, ServerConnection, WorkerName, put_bytes, subject};
use crate::fleet::{Admission, Fleet, FleetError, FleetEvent, Member, MembersQuestion, PairJob, Pause};
use crate::game::{LiveGame, PairId};
use crate::journal::FleetSession;

/// Reports that wait for the coordinator, and jobs that are published at the same time.
const QUEUE: usize = 1_000;

/// Pairs started beyond the last one that counts: at least this many.
const FEWEST_AHEAD: u64 = 64;

/// Games in progress that are shown.
const MOST_BOARDS: usize = 64;

/// Pauses between two looks at the ledger.
const TICK: Duration = Duration::from_millis(500);

/// Time after which workers learn that a run has pairs again.
const SOON: Duration = Duration::from_millis(100);

/// A notice goes to all workers, so a large fleet gets fewer of them: this time for each worker lies between two.
const NOTICE_PER_WORKER: Duration = Duration::from_millis(1);

/// What arrives at the coordinator.
enum Input {
    WorkerReport(Box<Delivery>),
    Heartbeat(WorkerName, Vec<u8>),
    Question(MembersQuestion),
    Stored(PairId),
    NotStored(String),
    TokenTuple(u64, BTreeSet<(u64, u32)>),
    Link(Link),
    /// Streams and consumers were made again.
    Remade,
    Warning(String),
    Failed(String),
}

/// The fleet of a coordinator.
pub struct NatsFleet {
    connection: ServerConnection,
    offer: Offer,
    memory: Memory,
    ledger: Ledger,
    began: Instant,
    inbox: Receiver<Input>,
    /// For tasks that report back.
    sender: Sender<Input>,
    /// Sends at once.
    postman: Postman,
    /// Sends in bundles.
    outbox: UnboundedSender<Output>,
    deliveries: HashMap<u64, Delivery>,
    events: VecDeque<FleetEvent>,
    notice: UnboundedSender<RunNotice>,
    paused: Pause,
    over: bool,
    concluded: bool,
    /// Whether the server has stored the latest job.
    storing: bool,
    /// How often the streams were made again.
    stores: u64,
    settled: u64,
    /// Slots of all workers, as of the last look.
    slots: usize,
    /// Whether the latest notice states that pairs wait for a worker.
    offers_pairs: bool,
    next_tick: Instant,
    next_notice: Instant,
    last_notice: Instant,
    next_comparison: Instant,
    /// Tasks that end with the fleet.
    tasks: Vec<JoinHandle<()>>,
    /// Tasks that send what is left before they end.
    senders: Vec<JoinHandle<()>>,
}

impl NatsFleet {
    /// Offers a run to the workers of a server. The streams must have been prepared and the engines stored.
    pub async fn start(
        connection: ServerConnection,
        offer: Offer,
        memory: Memory,
    ) -> Result<Self, StartError> {
        let run = offer.run.clone();
        put_bytes(&connection, offer.description.clone()).await?;
        let (epoch, sequence) = match connection.notice(&run).await? {
            None => (1, 0),
            Some((sequence, bytes)) => {
                (RunNotice::decode(&bytes).map_or(0, |notice| notice.epoch) + 1, sequence)
            }
        };
        let mut ledger = Ledger::new(Terms {
            run: run.clone(),
            rules: offer.rules.clone(),
            beat: offer.timing.beat,
            stuck: offer.stuck,
            audit: offer.audit,
        });
        for (worker, why) in &memory.excluded {
            ledger.restore_exclusion(worker, why);
        }
        let notice = first_notice(&offer, epoch, &ledger, memory.counted);
        // Workers ask for jobs as soon as they see the notice, and the server does not answer questions before the consumer exists.
        connection.open_jobs(&run, offer.timing.lease).await?;
        let sequence = match connection.put_notice(&run, notice.encode(), sequence).await {
            Ok(sequence) => sequence,
            Err(NatsError::Conflict) => return Err(StartError::Fenced),
            Err(error) => return Err(error.into()),
        };
        let reports = connection.open_results(&run, offer.timing.lease / 2).await?;
        let beats = connection.subscribe(subject::beats()).await?;
        let questions = connection.subscribe(subject::question(&run)).await?;
        let (sender, inbox) = channel(QUEUE);
        let (outbox, outgoing) = unbounded_channel::<Output>();
        let postman =
            Postman { connection: connection.clone(), backoff: offer.backoff, inbox: sender.clone() };
        let (notice_sender, notices) = unbounded_channel();
        let link = connection.link();
        let tasks = vec![
            tokio::spawn(
                Reception {
                    connection: connection.clone(),
                    offer: offer.clone(),
                    epoch,
                    inbox: sender.clone(),
                }
                .run(reports),
            ),
            tokio::spawn(watch_link(link, sender.clone())),
            tokio::spawn(listen(beats, sender.clone(), |message| {
                Some(Input::Heartbeat(last_part(&message.subject)?, message.payload))
            })),
            tokio::spawn(listen(questions, sender.clone(), |message| {
                Some(Input::Question(MembersQuestion { reply: message.reply? }))
            })),
        ];
        let notice_task =
            CardTask { connection: connection.clone(), run, epoch, sequence, inbox: sender.clone() };
        let senders =
            vec![tokio::spawn(postman.clone().run(outgoing)), tokio::spawn(notice_task.run(notices))];
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
            postman,
            outbox,
            deliveries: HashMap::new(),
            events: VecDeque::new(),
            notice: notice_sender,
            paused: Pause::Playing,
            over: false,
            concluded: false,
            storing: true,
            stores: 0,
            settled,
            slots: 0,
            offers_pairs: false,
            next_tick: now,
            next_notice: now,
            last_notice: now,
            next_comparison: now,
            tasks,
            senders,
        };
        if let Some(warning) = fleet.connection.old_server_warning() {
            fleet.events.push_back(FleetEvent::Warning(warning));
        }
        Ok(fleet)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn apply(&mut self, input: Input) {
        let now = self.now();
        match input {
            Input::WorkerReport(delivery) => self.report(now, *delivery),
            Input::Heartbeat(worker, payload) => match Heartbeat::decode(&payload) {
                Ok(beat) => self.ledger.beat(now, &worker, beat),
                Err(why) => self.events.push_back(FleetEvent::Warning(format!("worker {worker}: {why}"))),
            },
            Input::Question(question) => self.events.push_back(FleetEvent::Asked(question)),
            Input::Stored(id) => {
                self.storing = true;
                self.ledger.stored(id);
            }
            Input::NotStored(why) => {
                // One warning until the server stores jobs again.
                if std::mem::replace(&mut self.storing, false) {
                    self.warn(why);
                }
            }
            Input::TokenTuple(comparison, jobs) => self.ledger.compare(comparison, &jobs),
            Input::Link(Link::Up) => self.next_comparison = Instant::now(),
            Input::Link(Link::Down) => {
                self.warn("the server of the fleet cannot be reached; workers play on".to_owned());
            }
            Input::Link(Link::Refused(why)) => {
                self.ledger.leave();
                self.events.push_back(FleetEvent::Failed(format!("the server of the fleet refuses: {why}")));
            }
            Input::Remade => {
                self.stores += 1;
                self.next_comparison = Instant::now();
                self.renew_notice();
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
        let Some(worker) = subject::reporter(&delivery.subject) else { return };
        match WorkerReport::decode(&delivery.payload) {
            Ok(report) => {
                let message = delivery.sequence;
                self.ledger.note_backlog(now, delivery.pending);
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
                Action::Delete { pair, attempt } => {
                    let _ = self.outbox.send(Output::Delete(subject::job(&self.offer.run, pair, attempt)));
                }
                Action::Acknowledge(message) => {
                    if let Some(delivery) = self.deliveries.remove(&message) {
                        let _ = self.outbox.send(Output::Acknowledge(Box::new(delivery)));
                    }
                }
                Action::Answer(worker, answer) => {
                    let _ = self.outbox.send(Output::Answer(worker, answer));
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
        let job = StoredJob { id, subject, message, payload };
        // Free slots wait for it only where nothing is in store.
        if self.ledger.is_short_of_jobs(self.slots) {
            return self.postman.store(job);
        }
        let _ = self.outbox.send(Output::Store(job));
    }

    /// Does what is due; returns when it must be called again.
    fn tick(&mut self) -> Instant {
        let now = Instant::now();
        if now >= self.next_tick {
            self.next_tick = now + TICK;
            self.slots = self.ledger.slots(self.now());
            self.ledger.tick(self.now());
            self.act();
            if !self.offers_pairs && self.ledger.waiting(self.now()) > 0 {
                // Idle workers learn that the pairs of a silent one are to be had.
                self.renew_notice_soon();
            }
        }
        if now >= self.next_notice {
            (self.last_notice, self.next_notice) = (now, now + self.offer.timing.notice);
            self.renew_notice();
        }
        if now >= self.next_comparison && !self.over {
            self.next_comparison = now + self.offer.timing.reconcile;
            self.compare();
        }
        self.next_tick.min(self.next_notice).min(self.next_comparison)
    }

    /// Lets workers know that the run has pairs, unless they do.
    fn renew_notice_soon(&mut self) {
        if !self.offers_pairs {
            let workers = u32::try_from(self.ledger.workers()).unwrap_or(u32::MAX);
            let pause = NOTICE_PER_WORKER.saturating_mul(workers);
            self.next_notice = self.next_notice.min((Instant::now() + SOON).max(self.last_notice + pause));
        }
    }

    fn compare(&mut self) {
        let comparison = self.ledger.begin_comparison();
        let (connection, inbox, run) = (self.connection.clone(), self.sender.clone(), self.offer.run.clone());
        tokio::spawn(async move {
            // A list that is not complete would make jobs look lost.
            if let Ok(subjects) = connection.listed_jobs(&run).await {
                let jobs = subjects.iter().filter_map(|subject| pair_of(subject)).collect();
                let _ = inbox.send(Input::TokenTuple(comparison, jobs)).await;
            }
        });
    }

    fn renew_notice(&mut self) {
        let state = match (self.over, self.paused) {
            (true, _) => NoticeState::Over,
            (false, Pause::Paused) => NoticeState::Paused,
            (false, Pause::Playing) => NoticeState::Open,
        };
        let slots = self.slots as u64;
        let notice = first_notice(&self.offer, 0, &self.ledger, self.settled);
        let (waiting, waits_for) = (self.ledger.waiting(self.now()) as u64, self.ledger.waits_for());
        self.offers_pairs = waiting > 0;
        let _ =
            self.notice.send(RunNotice { state, stores: self.stores, slots, waiting, waits_for, ..notice });
    }
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
        self.renew_notice_soon();
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
        self.renew_notice();
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

    fn waits_for(&self) -> Option<(u64, Option<String>)> {
        let (pair, worker) = self.ledger.waits_for()?;
        Some((pair, worker.map(String::from)))
    }

    fn answer(&self, question: &MembersQuestion, members: Vec<Member>) {
        for part in members.chunks(MembersAnswer::MOST) {
            let answer = MembersAnswer { run: self.offer.run.clone(), members: part.to_vec() };
            let _ = self.outbox.send(Output::Send(question.reply.clone(), answer.encode()));
        }
    }

    fn set_admission(&mut self, member: &str, admission: Admission) -> Result<(), String> {
        let worker = WorkerName::try_from(member.to_owned()).map_err(|error| error.to_string())?;
        match admission {
            Admission::Excluded if !self.ledger.knows(&worker) => {
                return Err(format!("no worker {worker} has given a sign of life"));
            }
            Admission::Excluded => self.ledger.ban(&worker),
            Admission::Admitted if !self.ledger.free(&worker) => {
                return Err(format!("worker {worker} is not excluded"));
            }
            Admission::Admitted => {}
        }
        self.act();
        self.renew_notice();
        Ok(())
    }

    fn set_paused(&mut self, paused: Pause) {
        self.paused = paused;
        self.renew_notice();
    }

    fn live(&self) -> Vec<LiveGame> {
        let boards = self.ledger.boards().into_iter().take(MOST_BOARDS).enumerate();
        boards.filter_map(|(number, (_, board))| live_game(number, board)).collect()
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
        self.renew_notice();
    }

    async fn close(mut self) -> Vec<FleetEvent> {
        // Workers leave a run alone until its coordinator is back.
        self.paused = Pause::Paused;
        self.renew_notice();
        let Self { connection, offer, outbox, notice, tasks, senders, events, concluded, .. } = self;
        // Answers and the last notice still go out.
        drop((outbox, notice));
        tasks.iter().for_each(JoinHandle::abort);
        for task in senders {
            let _ = tokio::time::timeout(Duration::from_secs(5), task).await;
        }
        if concluded {
            let _ = tokio::time::timeout(Duration::from_secs(10), connection.remove_run(&offer.run)).await;
        }
        connection.flush().await;
        events.into()
    }
}

/// Returns a game in progress under a number of its own: slots of different workers have the same numbers.
fn live_game(slot: usize, board: &Board) -> Option<LiveGame> {
    let position = crate::chess::Position::from_fen(&board.fen).ok()?;
    let last_move = board.last.as_deref().and_then(crate::game::MoveText::new);
    let [white, black] = board.clocks.map(|clock| clock.map(Duration::from_millis));
    Some(LiveGame {
        slot,
        id: board.id,
        game: board.game,
        white: board.white,
        black: board.black,
        start: position,
        style: crate::chess::MoveStyle::Standard,
        moves: Vec::new(),
        line_searches: Vec::new(),
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
