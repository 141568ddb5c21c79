//! The shell around the state: it waits, asks the state what to do, and does it.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use crate::failpoint::{self, Point};
use crate::fleet::{Contestant, FleetEvent, LocalFleet, PairJob};
use crate::game::{EngineIndex, GameOfPair, PairId, VoidReason, Warning};
use crate::journal::{Committed, Entry, GameEntry, Journal, LockedFile, Urgency, WriteError};
use crate::opening::Opening;
use crate::player::EngineOption;
use crate::stats::Decision;

use crate::run::control::boards;
use crate::run::control::{Asked, ControlRequest, ControlServer};
use crate::run::event::{Observer, RunEvent, RunView};
use crate::run::observers::Observers;
use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::playing_time::PlayingTime;
use crate::run::preflight::DiskRoom;
use crate::run::preflight::oversubscription;
use crate::run::signals::{Interrupt, Interrupts};
use crate::run::state::{Effect, NextPair, RunState};

/// How long games may go on after SIGTERM or SIGHUP.
const LEAVING: Duration = Duration::from_secs(10);

/// How often the boards are shown to whoever watches.
const BOARDS_EVERY: Duration = Duration::from_millis(200);

/// How often the disk is looked at.
const DISK_EVERY: Duration = Duration::from_secs(5);

/// Bundles of faults that one run keeps: a thousandth failure teaches nothing that the first hundreds did not, and a
/// game's own record names its reason in any case.
const MOST_BUNDLES: u64 = 500;

/// Where the pairs of a run start: a function of the round alone.
pub trait Openings: Send {
    /// The opening of a round.
    fn opening(&self, round: u64) -> Result<Opening, String>;
}

/// A run that is about to be played.
pub struct Run {
    plan: Plan,
    state: RunState,
    time: PlayingTime,
    fleet: LocalFleet,
    openings: Box<dyn Openings>,
    folder: PathBuf,
    journal: Option<Journal<Entry>>,
    commits: UnboundedReceiver<Result<Vec<Committed<Entry>>, WriteError>>,
    uncommitted: usize,
    audience: Observers,
    doubts: Vec<String>,
    /// Oddities that have been told of.
    told: HashSet<(EngineIndex, Discriminant<Warning>)>,
    deadline: Option<Instant>,
    draining: bool,
}

/// Everything a run is made of.
pub struct RunParts {
    /// What to play.
    pub plan: Plan,
    /// Where it stands: new, or replayed from its journal.
    pub state: RunState,
    /// How long it has been played.
    pub time: PlayingTime,
    /// Who plays.
    pub fleet: LocalFleet,
    /// Where pairs start.
    pub openings: Box<dyn Openings>,
    /// Where its files are: the disk that must have room.
    pub folder: PathBuf,
    /// Where the truth goes.
    pub journal: LockedFile,
    /// The number of the next entry; 0 for a new run.
    pub next_seq: u64,
    /// The first entry of a new journal.
    pub first: Option<Entry>,
    /// Who reports.
    pub observers: Vec<Box<dyn Observer>>,
    /// What speaks against the run, for them to be warned of before its first game.
    pub doubts: Vec<String>,
}

impl Run {
    /// Opens the journal for writing and records that a session begins. Must be called inside a runtime.
    pub fn new(parts: RunParts) -> Self {
        let (sender, commits) = unbounded_channel();
        // Nobody listens only once the run has ended; then there is nobody to tell.
        let on_commit = Box::new(move |group| drop(sender.send(group)));
        let journal = Journal::start(parts.journal, parts.next_seq, on_commit);
        let mut run = Self {
            plan: parts.plan,
            state: parts.state,
            time: parts.time,
            fleet: parts.fleet,
            openings: parts.openings,
            folder: parts.folder,
            journal: Some(journal),
            commits,
            uncommitted: 0,
            audience: Observers::new(parts.observers),
            doubts: parts.doubts,
            told: HashSet::new(),
            deadline: None,
            draining: false,
        };
        parts.first.into_iter().for_each(|entry| run.append(entry, Urgency::Now));
        run.append(Entry::Session, Urgency::Now);
        run.state.begin_session();
        let abandoned: Vec<PairId> = run.state.flying().collect();
        for id in abandoned {
            run.state.landed(id);
            run.append(Entry::Abandoned { pair: id.index, attempt: id.attempt }, Urgency::Grouped);
        }
        run
    }

    /// Plays until the plan, a decision, a fault or the user ends it.
    pub async fn play(mut self, mut interrupts: Interrupts, mut door: Option<ControlServer>) -> RunOutcome {
        self.tell(&RunEvent::Started);
        for doubt in std::mem::take(&mut self.doubts) {
            self.tell(&RunEvent::Warning(doubt));
        }
        // Pairs that an earlier session left behind must be on record as such before they start anew.
        while self.uncommitted > 0
            && let Some(group) = self.commits.recv().await
        {
            self.on_commit(group);
        }
        let mut boards = tokio::time::interval(BOARDS_EVERY);
        boards.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let mut disk = tokio::time::interval(DISK_EVERY);
        disk.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let outcome = loop {
            self.fill();
            self.hurry();
            if self.uncommitted == 0
                && let Some(outcome) = self.state.outcome()
            {
                break outcome;
            }
            let late = async {
                match self.deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            let asked = async {
                match &mut door {
                    Some(door) => door.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(event) = self.fleet.next_event() => self.on_fleet(event),
                Some(group) = self.commits.recv() => self.on_commit(group),
                interrupt = interrupts.next() => self.on_interrupt(interrupt),
                Some(asked) = asked => self.on_request(asked),
                _ = boards.tick() => self.tell(&RunEvent::Boards(self.fleet.live())),
                _ = disk.tick() => self.look_at_disk(),
                () = late => {
                    self.deadline = None;
                    self.fleet.kill_now();
                }
            }
        };
        self.end(outcome).await
    }

    async fn end(self, mut outcome: RunOutcome) -> RunOutcome {
        let Self { plan, mut state, mut time, fleet, journal, mut commits, audience, .. } = self;
        fleet.close().await;
        if let Some(journal) = journal {
            if outcome.is_final() && !state.is_finished() {
                failpoint::pass(Point::BeforeEnd);
                // If this cannot be written the run stays resumable, and resuming it ends it at once.
                let _ = journal.append(Entry::Finished, Urgency::Now);
            }
            journal.close();
        }
        while let Ok(group) = commits.try_recv() {
            match group {
                Ok(group) => {
                    for Committed { at, entry, .. } in group {
                        time.note(&entry, at);
                        state.commit(entry);
                    }
                }
                // A run that is not on record as finished has not finished, whatever was played.
                Err(why) if outcome.is_final() => outcome = RunOutcome::Faulty(why.to_string()),
                Err(_) => {}
            }
        }
        let view = RunView { plan: &plan, state: &state, seconds: time.seconds() };
        audience.dismiss(outcome, &view)
    }

    /// Gives every free slot a pair.
    fn fill(&mut self) {
        while self.fleet.room() > 0
            && let Some(start) = self.state.start_next()
        {
            let id = start.id;
            match self.job(&start) {
                Ok(job) => {
                    self.append(Entry::PairStarted { pair: id.index, attempt: id.attempt }, Urgency::Grouped);
                    self.fleet.submit(job);
                }
                Err(why) => {
                    self.state.landed(id);
                    self.fail(why);
                }
            }
        }
    }

    /// With no pair in the air, all that is left to wait for is the disk: no group will grow any more.
    fn hurry(&self) {
        if self.uncommitted > 0
            && self.state.flying().len() == 0
            && let Some(journal) = &self.journal
        {
            journal.commit();
        }
    }

    fn job(&self, start: &NextPair) -> Result<PairJob, String> {
        let fixture = self.plan.schedule().fixture(start.id.index);
        let opening = self.openings.opening(fixture.round)?;
        let told = |settings: &crate::tuning::Settings| -> Vec<EngineOption> {
            let space = self.plan.tune.as_ref().map(|tune| &tune.space);
            let named = space.into_iter().flat_map(|space| space.named(settings));
            named.map(|(name, value)| EngineOption::new(name, value.to_string())).collect()
        };
        let options = match &start.trial {
            Some(trial) => [told(&trial.plus), told(&trial.minus)],
            None => [Vec::new(), Vec::new()],
        };
        let [first, second] = options;
        let contestants =
            [(fixture.engines[0], first), (fixture.engines[1], second)].map(|(engine, options)| Contestant {
                engine,
                options,
                limits: self.plan.engines[engine.get()].limits,
            });
        let half = start.half.as_ref().map(|half| {
            half.unpack(self.plan.limits_of(half.white, half.black)).map_err(|why| why.to_string())
        });
        let first_game = half.transpose()?.map(Box::new);
        Ok(PairJob { id: start.id, opening, contestants, first_game })
    }

    fn on_fleet(&mut self, event: FleetEvent) {
        match event {
            FleetEvent::GameStarted { id, game, .. } => {
                let [first, second] = self.plan.schedule().fixture(id.index).engines;
                let seats = PairJob::seats(game).map(|seat| [first, second][seat]);
                let [white, black] = seats;
                self.tell(&RunEvent::GameStarted { pair: id.index, game, white, black });
            }
            FleetEvent::GameFinished { id, game, record, bundle } => {
                if let Some(bundle) = bundle.filter(|_| self.state.standings().faults() < MOST_BUNDLES) {
                    self.append(Entry::Fault { bundle }, Urgency::Grouped);
                }
                let entry = GameEntry::pack(id.index, id.attempt, game, &record);
                self.append(Entry::Game(Box::new(entry)), Urgency::Grouped);
            }
            FleetEvent::PairFinished(report) => self.state.landed(report.id),
            FleetEvent::Voided { id, reason, .. } => {
                self.state.landed(id);
                let (pair, attempt) = (id.index, id.attempt);
                let entry = match reason {
                    VoidReason::Cancelled => Entry::Abandoned { pair, attempt },
                    reason => Entry::Void { pair, attempt, reason },
                };
                self.append(entry, Urgency::Grouped);
            }
            FleetEvent::Warning(text) => self.tell(&RunEvent::Warning(text)),
            FleetEvent::EngineFatal(fatal) => {
                let stderr = fatal.stderr_tail.trim();
                let tail = if stderr.is_empty() { String::new() } else { format!("\nit said: {stderr}") };
                self.fail(format!("{fatal}{tail}"));
            }
        }
    }

    fn on_commit(&mut self, group: Result<Vec<Committed<Entry>>, WriteError>) {
        let group = match group {
            Ok(group) => group,
            Err(why) => {
                // Nothing can be acknowledged any more, so nothing more is played.
                self.uncommitted = 0;
                self.journal = None;
                self.fleet.kill_now();
                return self.fail(why.to_string());
            }
        };
        self.uncommitted = self.uncommitted.saturating_sub(group.len());
        for Committed { at, entry, .. } in group {
            self.time.note(&entry, at);
            match &entry {
                Entry::Game(game) => {
                    self.tell(&RunEvent::GameFinished(game.clone()));
                    self.tell_oddities(game);
                    if game.game == GameOfPair::First {
                        failpoint::pass(Point::BetweenGames);
                    }
                }
                Entry::Decision { .. } => failpoint::pass(Point::AfterDecision),
                Entry::Fault { bundle } => self.tell(&RunEvent::Fault(bundle.clone())),
                _ => {}
            }
            for effect in self.state.commit(entry) {
                self.perform(effect);
            }
        }
    }

    /// Tells of each kind of oddity once for each engine; the journal has them all.
    fn tell_oddities(&mut self, game: &GameEntry) {
        for warning in &game.warnings {
            if self.told.insert((warning.by(), discriminant(warning))) {
                let (name, number) = (self.plan.name_of(warning.by()), game.game.number_in_run(game.pair));
                let text =
                    format!("in game {number} {name} {warning}; the journal tells of any more of these");
                self.tell(&RunEvent::Warning(text));
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Counted(pair) => {
                failpoint::pass(Point::BeforeFiles);
                self.tell(&RunEvent::Counted(pair));
            }
            Effect::Decide(Decision { accepted, llr, seen }) => {
                failpoint::pass(Point::BeforeDecision);
                let pairs = self.state.counted();
                self.append(Entry::Decision { accepted, llr, pairs, pentanomial: seen }, Urgency::Now);
            }
            Effect::Trip(why) => {
                self.tell(&RunEvent::Warning(why));
                self.drain();
            }
            Effect::Warn(text) => self.tell(&RunEvent::Warning(text)),
        }
    }

    fn on_interrupt(&mut self, interrupt: Interrupt) {
        if self.draining && interrupt == Interrupt::Asked {
            self.deadline = None;
            return self.fleet.kill_now();
        }
        if interrupt == Interrupt::Leaving {
            self.deadline.get_or_insert_with(|| Instant::now() + LEAVING);
        }
        self.state.drain();
        self.drain();
        let playing = self.state.flying().len();
        self.tell(&RunEvent::Warning(format!(
            "stopping: {playing} pairs are finished first; Ctrl-C again stops now"
        )));
    }

    fn on_request(&mut self, asked: Asked) {
        let (mut error, mut doubt) = (None, None);
        match asked.request {
            ControlRequest::Status | ControlRequest::Boards => {}
            ControlRequest::Pause => self.state.pause(),
            ControlRequest::Continue => self.go_on(),
            ControlRequest::Concurrency(number) => match self.fleet.set_concurrency(number) {
                Ok(()) => doubt = self.doubt_of(number),
                Err(why) => error = Some(why.to_string()),
            },
            ControlRequest::Stop => {
                self.state.drain();
                self.drain();
            }
        }
        let mut answer = match error {
            Some(error) => json!({ "error": error }),
            None => self.status(),
        };
        if let Some(doubt) = doubt {
            answer["warning"] = json!(doubt);
            self.tell(&RunEvent::Warning(doubt));
        }
        if asked.request == ControlRequest::Boards {
            answer["boards"] = boards(&self.plan, &self.fleet.live());
        }
        // Whoever asked may be gone.
        let _ = asked.answer.send(answer);
    }

    /// Why so many games at once may not be a good idea.
    fn doubt_of(&self, concurrency: usize) -> Option<String> {
        let processors = std::thread::available_parallelism().ok()?.get();
        oversubscription(&Plan { concurrency, ..self.plan.clone() }, &[], processors)
    }

    fn go_on(&mut self) {
        // Nothing was played since the last pair landed: what comes now is a session of its own, by the clock.
        if self.state.is_paused() && self.state.flying().len() == 0 {
            self.append(Entry::Session, Urgency::Grouped);
        }
        self.state.go_on();
    }

    fn status(&self) -> serde_json::Value {
        let score = self.state.standings().main();
        json!({
            "name": self.plan.name,
            "phase": if self.draining { "stopping" } else if self.state.is_paused() { "paused" } else { "playing" },
            "pairs": self.state.counted(),
            "max_pairs": self.plan.max_pairs,
            "playing": self.state.flying().len(),
            "concurrency": self.fleet.concurrency(),
            "pentanomial": score.pentanomial,
            "wins": score.games.wins,
            "draws": score.games.draws,
            "losses": score.games.losses,
            "llr": self.state.llr(),
            "faults": self.state.standings().faults(),
            "voids": self.state.voids(),
            "seconds": self.time.seconds(),
        })
    }

    fn fail(&mut self, why: String) {
        self.tell(&RunEvent::Warning(why.clone()));
        self.state.fail(why);
        self.drain();
    }

    fn look_at_disk(&mut self) {
        // A disk that cannot be asked is found out about when it is written to.
        if let Ok(DiskRoom::TooLittle(why)) = DiskRoom::look(&self.folder, 0)
            && !self.draining
        {
            self.fail(why);
        }
    }

    fn drain(&mut self) {
        self.draining = true;
        self.fleet.drain();
    }

    fn append(&mut self, entry: Entry, urgency: Urgency) {
        let Some(journal) = &self.journal else { return };
        // A writer that has failed says so through `commits`, which ends the run.
        if journal.append(entry, urgency).is_ok() {
            self.uncommitted += 1;
        }
    }

    fn tell(&mut self, event: &RunEvent) {
        let view = RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() };
        self.audience.tell(event, &view);
    }
}
