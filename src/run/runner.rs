//! The shell around [`RunState`]: waits for events, passes them to the state, and performs the effects it returns.

mod requests;

use std::collections::{HashSet, VecDeque};
use std::io;
use std::mem::{Discriminant, discriminant};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use crate::failpoint::{self, Point};
use crate::fleet::{Contestant, Fleet, FleetEvent, PairJob};
use crate::game::{EngineIndex, GameOfPair, PairId, VoidReason, Warning};
use crate::journal::{Committed, Entry, GameEntry, Journal, Urgency, WriteError};
use crate::opening::PolyglotBook;
use crate::player::EngineOption;
use crate::run::builder::{FinishedRun, Openings, RunBuilder, RunStart, StopHandle, StopStyle, first_entry};
use crate::run::control::ControlServer;
use crate::run::effect::{Effect, NextPair};
use crate::run::event::{RunEvent, RunView};
use crate::run::fault_breaker::Breaker;
use crate::run::host::host_description;
use crate::run::live_clock::LiveClock;
use crate::run::observers::Observers;
use crate::run::outcome::RunOutcome;
use crate::run::plan::Plan;
use crate::run::playing_time::PlayingTime;
use crate::run::preflight::DiskRoom;
use crate::run::replay::Replayed;
use crate::run::signals::Interrupts;
use crate::run::state::RunState;
use crate::stats::Decision;
use crate::store::RunFolder;

/// How long games may continue after SIGTERM or SIGHUP.
const LEAVING: Duration = Duration::from_secs(10);

/// How often the boards are reported to observers.
const BOARDS_EVERY: Duration = Duration::from_millis(200);

/// How often free disk space is checked.
const DISK_EVERY: Duration = Duration::from_secs(2);

/// Entries that may wait for the disk before no more pairs are started. Games of a few milliseconds are played faster than a busy
/// disk confirms them; what waits is kept in memory, and the queue of the journal must not fill up.
const MOST_WAITING: usize = 1024;

/// Games with an engine fault that may wait for the disk before no more pairs are started: the breaker judges only what is
/// durable, and must not be too late.
const MOST_WAITING_FAULTS: usize = 10;

/// Fault bundles that one run keeps. Later ones add nothing to the first hundreds, and the record of each game states its
/// reason in any case.
const MOST_BUNDLES: u64 = 500;

/// A run in play.
pub(super) struct Run<F> {
    plan: Plan,
    state: RunState,
    time: PlayingTime,
    fleet: F,
    openings: Box<dyn Openings>,
    folder: RunFolder,
    journal: Option<Journal<Entry>>,
    commits: UnboundedReceiver<Result<Vec<Committed<Entry>>, WriteError>>,
    stops: StopStyle,
    uncommitted: usize,
    /// Games with an engine fault among them.
    uncommitted_faults: usize,
    /// Entries that have become durable.
    committed: u64,
    /// Entries at the start of the session: pairs that an earlier session left behind must be on record as abandoned before
    /// they start again.
    entries_at_start: u64,
    /// Pairs that ended, with the number of entries that must be durable before the fleet may forget them.
    unsettled: VecDeque<(u64, PairId)>,
    observers: Observers,
    warnings: Vec<String>,
    /// Irregularities that have been reported, by engine and kind.
    reported: HashSet<(EngineIndex, Discriminant<Warning>)>,
    deadline: Option<Instant>,
    live_clock: LiveClock,
}

impl<F: Fleet> Run<F> {
    /// Opens the journal for writing and records that a session begins. Must be called inside a runtime.
    pub(super) fn new(parts: RunBuilder, fleet: F) -> io::Result<Self> {
        let (state, time, next_seq) = match parts.start {
            RunStart::New => (RunState::new(&parts.plan), PlayingTime::default(), 0),
            RunStart::Resumed(replayed) => {
                let Replayed { state, time, ending } = *replayed;
                (state, time, ending.next_seq)
            }
        };
        let (sender, commits) = unbounded_channel();
        // The receiver is dropped only when the run has ended, and commits are not needed then.
        let on_commit = Box::new(move |group| drop(sender.send(group)));
        let journal = Journal::start(parts.journal, next_seq, on_commit)?;
        let mut run = Self {
            plan: parts.plan,
            state,
            time,
            fleet,
            openings: parts.openings,
            folder: parts.folder,
            journal: Some(journal),
            commits,
            stops: parts.stops,
            uncommitted: 0,
            uncommitted_faults: 0,
            committed: 0,
            entries_at_start: 0,
            unsettled: VecDeque::new(),
            observers: Observers::new(parts.observers),
            warnings: parts.warnings,
            reported: HashSet::new(),
            deadline: None,
            live_clock: LiveClock::default(),
        };
        if next_seq == 0 {
            run.append(first_entry(parts.plan_text), Urgency::Now);
        }
        let fleet = run.fleet.session();
        run.append(Entry::Session { host: Some(host_description()), fleet }, Urgency::Now);
        run.state.begin_session();
        run.record_decision();
        run.abandon_or_adopt();
        run.entries_at_start = run.uncommitted as u64;
        Ok(run)
    }

    /// Records the decision of an earlier session that was killed after the game that decided and before the record.
    fn record_decision(&mut self) {
        if let Some(decision) = self.state.unrecorded_decision() {
            self.perform(Effect::Decide(decision));
        }
    }

    /// Takes care of the pairs that an earlier session left in play: those that another machine may still be playing keep
    /// their attempt, the others are abandoned.
    fn abandon_or_adopt(&mut self) {
        // Of a pair with a finished game only the other game is played, which is a different job.
        let (mut abandoned, whole): (Vec<PairId>, Vec<PairId>) =
            self.state.flying().partition(|id| self.state.has_half(id.index));
        abandoned.extend(self.fleet.adopt(whole.clone()));
        for id in whole.into_iter().filter(|id| !abandoned.contains(id)).collect::<Vec<_>>() {
            match self.job(&self.state.in_flight(id)) {
                Ok(Some(job)) => self.fleet.submit(job),
                Ok(None) => abandoned.push(id),
                Err(why) => {
                    abandoned.push(id);
                    self.fail(why);
                }
            }
        }
        for id in abandoned {
            self.state.landed(id);
            let PairId { index: pair, attempt, part } = id;
            self.append(Entry::Abandoned { pair, attempt, part }, Urgency::Grouped);
        }
    }

    /// Plays until the plan, a decision, a fault or the user ends it.
    pub(super) async fn event_loop(
        mut self,
        mut interrupts: Interrupts,
        mut control: Option<ControlServer>,
        mut stop: Option<StopHandle>,
    ) -> FinishedRun {
        self.report(&RunEvent::Started);
        for warning in std::mem::take(&mut self.warnings) {
            self.report(&RunEvent::Warning(warning));
        }
        let mut boards = tokio::time::interval(BOARDS_EVERY);
        boards.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let mut disk = tokio::time::interval(DISK_EVERY);
        disk.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let outcome = loop {
            self.fill();
            self.commit_if_idle();
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
                match &mut control {
                    Some(control) => control.next().await,
                    None => std::future::pending().await,
                }
            };
            let stopped = async {
                match &stop {
                    Some(stop) => stop.requested().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stopped => {
                    stop = None;
                    self.stop_now();
                }
                Some(event) = self.fleet.next_event() => self.on_fleet(event),
                Some(group) = self.commits.recv() => self.on_commit(group),
                interrupt = interrupts.next() => self.on_interrupt(interrupt),
                Some(asked) = asked => self.on_request(asked),
                _ = boards.tick() => self.report(&RunEvent::Boards(self.fleet.live())),
                _ = disk.tick() => self.look_at_disk(),
                () = late => {
                    self.deadline = None;
                    self.fleet.kill_now();
                }
            }
        };
        self.end(outcome).await
    }

    async fn end(self, mut outcome: RunOutcome) -> FinishedRun {
        let Self { plan, mut state, mut time, mut fleet, journal, mut commits, observers, .. } = self;
        if outcome.is_final() {
            fleet.conclude();
        }
        fleet.close().await;
        if let Some(journal) = journal {
            if outcome.is_final() && !state.is_finished() {
                failpoint::pass(Point::BeforeEnd);
                // If this cannot be written the run stays resumable, and resuming it ends it at once.
                let _ = journal.append(Entry::Finished, Urgency::Now);
            } else if !outcome.is_final() {
                // The first record of a group proves that everything before it was durable: damage there is never taken for a
                // torn end.
                journal.commit();
                let _ = journal.append(Entry::Session { host: None, fleet: None }, Urgency::Now);
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
        let seconds = time.seconds();
        let outcome = observers.finish(outcome, &RunView { plan: &plan, state: &state, seconds });
        FinishedRun { plan, state, outcome, seconds }
    }

    /// Gives every free slot a pair.
    fn fill(&mut self) {
        self.state.set_ahead(self.fleet.ahead());
        while self.fleet.room() > 0
            && self.committed >= self.entries_at_start
            && !self.waits_for_disk()
            && let Some(start) = self.state.start_next()
        {
            let id = start.id;
            match self.job(&start) {
                Ok(Some(job)) => {
                    let PairId { index: pair, attempt, part } = id;
                    self.append(Entry::PairStarted { pair, attempt, part }, Urgency::Grouped);
                    self.fleet.submit(job);
                }
                Ok(None) => {
                    self.state.landed(id);
                    self.report(&RunEvent::Warning("all openings were used: the run ends here".to_owned()));
                    for effect in self.state.end_before(id.index) {
                        self.perform(effect);
                    }
                }
                Err(why) => {
                    self.state.landed(id);
                    self.fail(why);
                }
            }
        }
    }

    /// Whether so much waits for the disk that no pair should start.
    fn waits_for_disk(&self) -> bool {
        self.uncommitted >= MOST_WAITING || self.uncommitted_faults >= MOST_WAITING_FAULTS
    }

    /// Commits the current group at once if no pairs are in flight, because it cannot grow any more, and if games wait for it.
    fn commit_if_idle(&self) {
        if self.uncommitted > 0
            && (self.state.flying().len() == 0 || self.waits_for_disk())
            && let Some(journal) = &self.journal
        {
            journal.commit();
        }
    }

    /// Returns the job of a pair, or `None` if there is no opening left for it.
    fn job(&mut self, start: &NextPair) -> Result<Option<PairJob>, String> {
        let fixture = self.plan.schedule().fixture(start.id.index);
        let half = start.half.as_ref().map(|half| {
            half.unpack(self.plan.limits_of(half.white, half.black)).map_err(|why| why.to_string())
        });
        let first_game = half.transpose()?.map(Box::new);
        let place = self.plan.encounters.opening(start.id.index, &fixture);
        let opening = match &first_game {
            // Both games of a pair start alike, even if this program would choose another opening today.
            Some(game) => Some(game.opening()),
            None => self.openings.opening(place)?,
        };
        let Some(opening) = opening else { return Ok(None) };
        let options_of = |settings: &crate::tuning::Settings| -> Vec<EngineOption> {
            let space = self.plan.tuner().map(|tune| &tune.space);
            let texts = space.into_iter().flat_map(|space| space.texts(settings));
            texts.map(|(name, value)| EngineOption::new(name, value)).collect()
        };
        let options = match &start.trial {
            Some(trial) => [options_of(&trial.plus), options_of(&trial.minus)],
            None => [Vec::new(), Vec::new()],
        };
        let [first, second] = options;
        let contestants =
            [(fixture.engines[0], first), (fixture.engines[1], second)].map(|(engine, options)| Contestant {
                engine,
                options,
                limits: self.plan.engines[engine.get()].limits,
            });
        let seats = GameOfPair::BOTH.map(|game| self.plan.encounters.seats(&fixture, game));
        let book_seed = PolyglotBook::choice_seed(self.plan.seed, place);
        Ok(Some(PairJob { id: start.id, opening, contestants, seats, book_seed, first_game }))
    }

    fn on_fleet(&mut self, event: FleetEvent) {
        match event {
            FleetEvent::GameStarted { id, game, .. } => {
                let fixture = self.plan.schedule().fixture(id.index);
                let seats = self.plan.encounters.seats(&fixture, game);
                let [white, black] = seats.map(|seat| fixture.engines[seat]);
                self.report(&RunEvent::GameStarted { pair: id.index, game, white, black });
            }
            FleetEvent::GameFinished { id, game, record, bundle } => {
                if let Some(bundle) = bundle.filter(|_| self.state.standings().faults() < MOST_BUNDLES) {
                    self.append(Entry::Fault { bundle }, Urgency::Grouped);
                }
                let entry = GameEntry::pack(id.index, id.attempt, game, &record);
                // A failure that ends the run must do so before more games are played.
                let ends =
                    self.plan.breaker == Breaker::First && record.ending.termination.ends_the_process();
                let urgency = if ends { Urgency::Now } else { Urgency::Grouped };
                self.append(Entry::Game(Box::new(entry)), urgency);
            }
            FleetEvent::PairFinished(report) => self.landed(report.id),
            FleetEvent::Voided { id, reason, .. } => self.void(id, reason, None),
            FleetEvent::VoidedBy { id, reason, worker } => self.void(id, reason, Some(worker)),
            FleetEvent::Received(pair) => {
                for bundle in pair.bundles {
                    if self.state.standings().faults() < MOST_BUNDLES {
                        self.append(Entry::Fault { bundle: Box::new(bundle) }, Urgency::Grouped);
                    }
                }
                for game in pair.games {
                    self.append(Entry::Game(Box::new(game)), Urgency::Grouped);
                }
                self.landed(pair.id);
            }
            FleetEvent::Claimed { id: PairId { index: pair, attempt, .. }, claim } => {
                self.append(Entry::Claimed { pair, attempt, claim }, Urgency::Grouped);
            }
            FleetEvent::Joined(facts) => self.append(Entry::Worker(*facts), Urgency::Grouped),
            FleetEvent::WorkerExcluded { worker, why } => {
                let text = match &why {
                    Some(why) => format!("worker {worker} is excluded from further pairs: {why}"),
                    None => format!("worker {worker} is admitted again"),
                };
                self.append(Entry::WorkerExcluded { worker, why }, Urgency::Grouped);
                self.report(&RunEvent::Warning(text));
            }
            FleetEvent::Asked(question) => self.fleet.answer(&question, self.members()),
            FleetEvent::LeftInPlay(id) => self.state.landed(id),
            FleetEvent::Failed(why) => self.fail(why),
            FleetEvent::Warning(text) => self.report(&RunEvent::Warning(text)),
            FleetEvent::EngineFatal(fatal) => {
                let stderr = fatal.stderr_tail.trim();
                let tail = if stderr.is_empty() { String::new() } else { format!("\nstderr: {stderr}") };
                self.fail(format!("{fatal}{tail}"));
            }
        }
    }

    /// Notes that a pair has ended. The fleet may forget it once everything about it is durable.
    fn landed(&mut self, id: PairId) {
        self.state.landed(id);
        self.unsettled.push_back((self.committed + self.uncommitted as u64, id));
    }

    fn void(&mut self, id: PairId, reason: VoidReason, by: Option<String>) {
        let PairId { index: pair, attempt, part } = id;
        let entry = match reason {
            VoidReason::Cancelled => Entry::Abandoned { pair, attempt, part },
            reason => Entry::Void { pair, attempt, part, reason, by },
        };
        self.append(entry, Urgency::Grouped);
        self.landed(id);
    }

    fn settle(&mut self) {
        while let Some(&(entries, id)) = self.unsettled.front()
            && entries <= self.committed
        {
            self.unsettled.pop_front();
            self.fleet.settle(id);
        }
    }

    fn on_commit(&mut self, group: Result<Vec<Committed<Entry>>, WriteError>) {
        let group = match group {
            Ok(group) => group,
            Err(why) => {
                // Without a journal nothing can be acknowledged, so nothing more is played.
                self.uncommitted = 0;
                self.uncommitted_faults = 0;
                self.journal = None;
                self.fleet.kill_now();
                return self.fail(why.to_string());
            }
        };
        self.uncommitted = self.uncommitted.saturating_sub(group.len());
        self.committed += group.len() as u64;
        for Committed { at, entry, .. } in group {
            self.time.note(&entry, at);
            match &entry {
                Entry::Game(game) => {
                    self.uncommitted_faults -= usize::from(is_faulty(game));
                    self.report(&RunEvent::GameFinished(game.clone()));
                    self.report_irregularities(game);
                    if game.game == GameOfPair::First {
                        failpoint::pass(Point::BetweenGames);
                    }
                }
                Entry::Decision { .. } => failpoint::pass(Point::AfterDecision),
                Entry::Fault { bundle } => self.report(&RunEvent::Fault(bundle.clone())),
                _ => {}
            }
            for effect in self.state.commit(entry) {
                self.perform(effect);
            }
        }
        self.settle();
        self.live_seconds();
    }

    /// Reports each kind of irregularity once per engine; the journal records all of them.
    fn report_irregularities(&mut self, game: &GameEntry) {
        for warning in &game.warnings {
            if self.reported.insert((warning.by(), discriminant(warning))) {
                let name = self.plan.name_of(warning.by());
                let number = self.plan.game_number(game.pair, game.game);
                let text = format!("in game {number} {name} {warning}; the journal records further cases");
                self.report(&RunEvent::Warning(text));
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Counted(pair) => {
                failpoint::pass(Point::BeforeFiles);
                self.report(&RunEvent::Counted(pair));
            }
            Effect::Decide(Decision { accepted, llr, seen }) => {
                failpoint::pass(Point::BeforeDecision);
                let pairs = self.state.counted();
                self.append(Entry::Decision { accepted, llr, pairs, pentanomial: seen }, Urgency::Now);
                self.fleet.recall();
                if self.stops == StopStyle::AtOnce {
                    self.fleet.kill_now();
                }
            }
            Effect::Trip(why) => {
                self.report(&RunEvent::Warning(why));
                match self.stops {
                    StopStyle::Draining => self.fleet.drain(),
                    StopStyle::AtOnce => self.fleet.kill_now(),
                }
            }
            Effect::Warn(text) => self.report(&RunEvent::Warning(text)),
        }
    }

    fn fail(&mut self, why: String) {
        self.report(&RunEvent::Warning(why.clone()));
        self.state.fail(why);
        self.fleet.drain();
    }

    /// Starts nothing while the disk has too little room. What is played is kept in memory until it can be written.
    fn look_at_disk(&mut self) {
        let is_full = self.journal.as_ref().is_some_and(Journal::is_waiting_for_room);
        let lack = match DiskRoom::look(self.folder.path(), 0) {
            Ok(DiskRoom::TooLittle(why)) => Some(why),
            _ if is_full => Some("the disk is full".to_owned()),
            // If the free space cannot be determined, a failing write will reveal it.
            _ => None,
        };
        match lack {
            Some(_) if self.state.is_stopping() => {
                // The user does not wait any more.
                self.journal.iter().filter(|_| is_full).for_each(Journal::give_up_waiting);
            }
            Some(why) => {
                if self.state.hold() {
                    self.report(&RunEvent::Warning(format!("{why}; the run waits until there is room")));
                }
            }
            None => {
                if self.state.end_hold() && self.state.flying().len() == 0 {
                    // Nothing was played meanwhile, so it must not count as playing time.
                    self.append(Entry::Session { host: None, fleet: None }, Urgency::Grouped);
                }
            }
        }
    }

    fn append(&mut self, entry: Entry, urgency: Urgency) {
        let Some(journal) = &self.journal else { return };
        let is_faulty = matches!(&entry, Entry::Game(game) if is_faulty(game));
        // A failed writer reports through `commits`, which ends the run.
        if journal.append(entry, urgency).is_ok() {
            self.uncommitted += 1;
            self.uncommitted_faults += usize::from(is_faulty);
        }
    }

    fn report(&mut self, event: &RunEvent) {
        let view = RunView { plan: &self.plan, state: &self.state, seconds: self.time.seconds() };
        self.observers.report(event, &view);
    }
}

fn is_faulty(game: &GameEntry) -> bool {
    game.ending.termination.is_engine_fault()
}
