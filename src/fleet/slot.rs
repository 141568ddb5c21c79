//! A slot: plays pairs one after the other with two engines that keep running.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chess::{ByColor, Color};
use crate::failpoint::{self, Point};
use crate::fleet::engine_registry::EngineRegistry;
use crate::fleet::engine_seat::{EngineSeat, SeatContext, SeatError, evidence_of};
use crate::fleet::fault_bundle::{EngineEvidence, GameKey, bundle};
use crate::fleet::live_board::LiveBoard;
use crate::fleet::processor_use::ProcessorUse;
use crate::fleet::shortage::{Refusals, Remedy, Shortages};
use crate::fleet::slot_thread::{ActiveSlot, WorkerHost};
use crate::fleet::stall_detector::{DelayProbe, Suspensions};
use crate::fleet::{Contestant, FleetEvent, PairJob, PairReport};
use crate::game::{
    AdjudicationRules, Anomaly, Clock, Contest, Ending, EngineBooks, EngineIndex, FaultBundle, GameOfPair,
    GameRecord, GameSetup, LiveGame, LiveSearch, PlyRecord, Referee, TableJudge, Termination, VoidReason,
    Warning, opening_plies, play,
};
use crate::player::{
    Irregularities, Launcher, LazyTimer, Player, PlayerFault, exit_disagrees, printed_lines,
};

/// An order to a slot.
#[derive(Debug)]
pub(super) enum SlotOrder {
    /// Play this pair, with engines on these processors; empty means any.
    Play { job: Box<PairJob>, cpus: Vec<usize> },
    /// Release the engines; more pairs may follow later.
    Release,
}

/// State shared by all slots of a fleet.
#[derive(Debug)]
pub(super) struct SlotShared {
    pub(super) registry: EngineRegistry,
    pub(super) launcher: Launcher,
    pub(super) rules: AdjudicationRules,
    pub(super) wait_after_game: Duration,
    pub(super) tables: Option<TableJudge>,
    pub(super) events: UnboundedSender<FleetEvent>,
    pub(super) suspensions: Suspensions,
    pub(super) shortages: Shortages,
    /// Cancelled when no pair begins any more.
    pub(super) drain: CancellationToken,
    /// Cancelled when every game ends at once.
    pub(super) kill: CancellationToken,
}

/// A slot on its worker thread.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) number: usize,
    pub(super) cpus: Vec<usize>,
    pub(super) host: Rc<WorkerHost>,
    pub(super) shared: Arc<SlotShared>,
    pub(super) probe: Rc<DelayProbe>,
    pub(super) board: LiveBoard,
    pub(super) shutdowns: TaskTracker,
}

/// Reason why a game has no result.
enum NoResult {
    Void(VoidReason),
    Fatal {
        engine: EngineIndex,
        reason: String,
        evidence: EngineEvidence,
    },
    /// The system has refused resources for too long.
    HostFatal(String),
}

/// Result of playing a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairEnd {
    Done,
    /// The system refused resources; a lower concurrency may help.
    OutOfResources,
    /// An engine or the host cannot be used, so no more pairs should begin.
    Over,
}

impl Slot {
    /// Carries out orders until the channel closes. Calls `done` after each pair.
    pub(super) async fn run(
        mut self,
        mut orders: UnboundedReceiver<SlotOrder>,
        done: impl Fn(usize, PairEnd),
    ) {
        let mut seats = [EngineSeat::default(), EngineSeat::default()];
        let mut active_slot = None;
        let mut shortage = self.shared.shortages.watch();
        loop {
            let order = tokio::select! {
                biased;
                order = orders.recv() => order,
                // Idle engines hold what others lack.
                Ok(()) = shortage.changed() => match *shortage.borrow_and_update() {
                    true => Some(SlotOrder::Release),
                    false => continue,
                },
            };
            let Some(order) = order else { break };
            match order {
                SlotOrder::Release => {
                    seats.iter_mut().for_each(|seat| seat.release(self.context()));
                    active_slot = None;
                }
                SlotOrder::Play { job, cpus } => {
                    active_slot.get_or_insert_with(|| ActiveSlot::on(&self.host));
                    self.host.bind_if_alone(&cpus);
                    if cpus != self.cpus {
                        // Engines keep the processors on which they were started.
                        seats.iter_mut().for_each(|seat| seat.release(self.context()));
                        self.cpus = cpus;
                    }
                    let (id, slot) = (job.id, self.clone());
                    // Runs as a separate task, so that a panic of the harness only affects this pair.
                    let end = match catch_panic(async move { slot.pair(seats, job).await }).await {
                        Ok((returned, end)) => {
                            seats = returned;
                            end
                        }
                        Err(reason) => {
                            seats = [EngineSeat::default(), EngineSeat::default()];
                            self.send(FleetEvent::Voided { id, game: GameOfPair::First, reason });
                            PairEnd::Done
                        }
                    };
                    self.board.set(None);
                    done(self.number, end);
                }
            }
        }
        seats.iter_mut().for_each(|seat| seat.release(self.context()));
    }

    fn context(&self) -> SeatContext<'_> {
        let SlotShared { registry, launcher, .. } = &*self.shared;
        SeatContext { registry, launcher, cpus: &self.cpus, shutdowns: &self.shutdowns }
    }

    fn send(&self, event: FleetEvent) {
        // Sending only fails when the run is over.
        let _ = self.shared.events.send(event);
    }

    async fn pair(self, mut seats: [EngineSeat; 2], job: Box<PairJob>) -> ([EngineSeat; 2], PairEnd) {
        let _busy = self.shared.shortages.busy_slot();
        let kill = self.shared.kill.clone();
        let end = match kill.run_until_cancelled(self.both_games(&mut seats, &job)).await {
            Some(end) => end,
            None => {
                let [first, second] = &mut seats;
                tokio::join!(first.kill(), second.kill());
                let reason = VoidReason::Cancelled;
                self.send(FleetEvent::Voided { id: job.id, game: GameOfPair::First, reason });
                PairEnd::Done
            }
        };
        if end == PairEnd::Done {
            // The pair has ended: an interruption of this rest takes nothing back.
            kill.run_until_cancelled(self.rest()).await;
        }
        if end == PairEnd::OutOfResources {
            seats.iter_mut().for_each(|seat| seat.release(self.context()));
        }
        (seats, end)
    }

    async fn both_games(&self, seats: &mut [EngineSeat; 2], job: &PairJob) -> PairEnd {
        let setup = match GameSetup::new(&job.opening) {
            Ok(setup) => setup,
            Err(problem) => {
                let reason = VoidReason::HarnessError { message: problem.to_string() };
                self.send(FleetEvent::Voided { id: job.id, game: GameOfPair::First, reason });
                return PairEnd::Done;
            }
        };
        let mut games = Vec::with_capacity(2);
        games.extend(job.first_game.as_deref().cloned());
        for (position, &game) in job.id.part.games()[games.len()..].iter().enumerate() {
            if position > 0 {
                self.rest().await;
            }
            let key = GameKey { id: job.id, game };
            self.send(FleetEvent::GameStarted { id: job.id, game, slot: self.number });
            let played = self.game(seats, job, &setup, key).await;
            let warning = self.shared.launcher.take_warning().map(str::to_owned);
            for warning in warning.into_iter().chain(self.shared.registry.take_warning()) {
                self.send(FleetEvent::Warning(warning));
            }
            match played {
                Ok((record, bundle)) => {
                    self.shared.shortages.has_played();
                    games.push(record.clone());
                    let (record, bundle) = (Box::new(record), bundle.map(Box::new));
                    self.send(FleetEvent::GameFinished { id: job.id, game, record, bundle });
                }
                Err(none) => return self.no_result(key, none),
            }
        }
        self.send(FleetEvent::PairFinished(Box::new(PairReport { id: job.id, games })));
        PairEnd::Done
    }

    /// Waits between two games for as long as the plan states.
    async fn rest(&self) {
        if !self.shared.wait_after_game.is_zero() {
            tokio::time::sleep(self.shared.wait_after_game).await;
        }
    }

    fn no_result(&self, GameKey { id, game }: GameKey, none: NoResult) -> PairEnd {
        let (reason, end) = match none {
            NoResult::Void(reason) => {
                let end = match reason {
                    VoidReason::Resources { .. } => PairEnd::OutOfResources,
                    _ => PairEnd::Done,
                };
                (reason, end)
            }
            NoResult::Fatal { engine, reason, evidence } => {
                if let Some(fatal) =
                    self.shared.registry.report_unusable(engine, reason, evidence.stderr_tail)
                {
                    self.send(FleetEvent::EngineFatal(Box::new(fatal)));
                }
                (VoidReason::Cancelled, PairEnd::Over)
            }
            NoResult::HostFatal(reason) => {
                self.send(FleetEvent::Failed(reason));
                (VoidReason::Cancelled, PairEnd::Over)
            }
        };
        self.send(FleetEvent::Voided { id, game, reason });
        end
    }

    async fn game(
        &self,
        seats: &mut [EngineSeat; 2],
        job: &PairJob,
        setup: &GameSetup,
        key: GameKey,
    ) -> Result<(GameRecord, Option<FaultBundle>), NoResult> {
        if failpoint::triggers(Point::GamePanics) {
            panic!("a panic requested by a fail point");
        }
        if failpoint::triggers(Point::GameHangs) {
            std::future::pending::<()>().await;
        }
        let suspensions = self.shared.suspensions.count();
        let (started, started_at) = (SystemTime::now(), Instant::now());
        let order = job.seats(key.game);
        let [white, black] = order.map(|place| &job.contestants[place]);
        let sides = ByColor { white, black };
        let [first, second] = seats;
        let (white_seat, black_seat) = if order == [0, 1] { (first, second) } else { (second, first) };
        let context = self.context();
        let ready = self.both_ready([&mut *white_seat, &mut *black_seat], sides, setup).await?;
        let engines = ByColor { white: white.engine, black: black.engine };
        let ended = match ready {
            [Ok(()), Ok(())] => {
                self.show_start(key, &sides, setup);
                let books = self.books(&engines, job.book_seed);
                self.play_game([&mut *white_seat, &mut *black_seat], sides, setup, books, key).await
            }
            [white, black] => self.failed_start([white.err(), black.err()], engines, setup),
        };
        let mut finished = match ended {
            Ok(finished) => finished,
            // An engine that did not answer because the machine stood still is not at fault.
            Err(none) => match self.suspension_since(suspensions, Suspicion::Any).await {
                Some(reason) => return Err(NoResult::Void(reason)),
                None => return Err(none),
            },
        };
        let leaks = {
            let ending = &finished.ending;
            tokio::join!(white_seat.after_game(context, ending), black_seat.after_game(context, ending))
        };
        for (count, by) in [(leaks.0, engines.white), (leaks.1, engines.black)] {
            if count > 0 {
                finished.warnings.push(Warning::Leak { count, by });
            }
        }
        // Independent of the result: a game won just when the machine resumed is as void as one lost on time.
        let suspicion =
            if finished.ending.termination.is_time_loss() { Suspicion::TimeLoss } else { Suspicion::Any };
        if let Some(reason) = self.suspension_since(suspensions, suspicion).await {
            return Err(NoResult::Void(reason));
        }
        let bundle = finished.bundle(self, key, &sides);
        let record = GameRecord {
            white: engines.white,
            black: engines.black,
            opening: job.opening.index,
            start_fen: job.opening.fen.clone(),
            variant: job.opening.variant,
            moves: finished.plies,
            ending: finished.ending,
            started_unix_ms: started.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64,
            duration_ms: started_at.elapsed().as_millis() as u64,
            warnings: finished.warnings,
        };
        Ok((record, bundle))
    }

    /// Makes both engines ready. While the system refuses what they need, it waits.
    async fn both_ready(
        &self,
        seats: [&mut EngineSeat; 2],
        sides: ByColor<&Contestant>,
        setup: &GameSetup,
    ) -> Result<[Result<(), SeatError>; 2], NoResult> {
        let ([white, black], context) = (seats, self.context());
        let mut refusals: Option<Refusals> = None;
        loop {
            let ready = tokio::join!(
                white.make_ready(context, sides.white, setup, Color::White),
                black.make_ready(context, sides.black, setup, Color::Black),
            );
            let refused = [&ready.0, &ready.1].into_iter().find_map(|ready| match ready {
                Err(SeatError::Resources(message)) => Some(message.clone()),
                _ => None,
            });
            let Some(message) = refused else {
                if refusals.is_some() {
                    self.shared.shortages.passed();
                }
                return Ok([ready.0, ready.1]);
            };
            let (remedy, begins) = self.shared.shortages.refused(refusals.get_or_insert_with(Refusals::new));
            if begins {
                self.send(FleetEvent::Warning(format!("{message}; the run waits until it can go on")));
            }
            match remedy {
                Remedy::Wait(pause) => tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = self.shared.drain.cancelled() => return Err(NoResult::Void(VoidReason::Cancelled)),
                },
                Remedy::GiveBack => return Err(NoResult::Void(VoidReason::Resources { message })),
                Remedy::GiveUp => {
                    return Err(NoResult::HostFatal(format!("{message}; the run has waited for too long")));
                }
            }
        }
    }

    /// Returns the reason to void a game during which the machine stood still, given the number of suspensions before it.
    async fn suspension_since(&self, before: u64, suspicion: Suspicion) -> Option<VoidReason> {
        let suspensions = &self.shared.suspensions;
        if suspicion == Suspicion::TimeLoss || self.probe.was_recently_delayed() {
            suspensions.wait_for_change(before).await;
        }
        let gap_ms = suspensions.last_gap_ms();
        (suspensions.count() != before).then_some(VoidReason::Suspended { gap_ms })
    }

    fn books(&self, engines: &ByColor<EngineIndex>, seed: u64) -> EngineBooks<'_> {
        EngineBooks { sides: ByColor::new_with(|color| self.shared.registry.book(engines[color])), seed }
    }

    /// Plays a game between two engines that are ready.
    async fn play_game(
        &self,
        seats: [&mut EngineSeat; 2],
        sides: ByColor<&Contestant>,
        setup: &GameSetup,
        books: EngineBooks<'_>,
        key: GameKey,
    ) -> Result<EndedGame, NoResult> {
        let [Some(white), Some(black)] = seats.map(EngineSeat::player) else {
            let message =
                format!("an engine of pair {} was removed between its start and the game", key.id.index);
            return Err(NoResult::Void(VoidReason::HarnessError { message }));
        };
        let limits = ByColor { white: sides.white.limits, black: sides.black.limits };
        let SlotShared { rules, tables, .. } = &*self.shared;
        let contest = Contest { setup, limits, rules, tables: tables.as_ref(), books };
        let (mut timer, mut board) = (LazyTimer::new(), self.board.clone());
        let used = |player: &Player<_>, color: Color| ProcessorUse::of(player.transport(), &limits[color]);
        let before = ByColor { white: used(white, Color::White), black: used(black, Color::Black) };
        let played = play([&mut *white, &mut *black], contest, &mut timer, &*self.probe, &mut board).await;
        let mut warnings = Vec::new();
        let mut evidence = EngineEvidence::default();
        for (color, player) in [(Color::White, &mut *white), (Color::Black, &mut *black)] {
            let engine = sides[color].engine;
            if played.anomaly.as_ref().is_some_and(|anomaly| anomaly.side == color) {
                evidence = evidence_of(player);
            }
            warn(&mut warnings, player.take_irregularities(), engine);
            if let Some(spec) = self.shared.registry.spec(engine) {
                let now = used(player, color);
                warnings.extend(now.warnings(before[color], (engine, spec), &played, color));
            }
            // Only for these endings can the program be certain of the result.
            if matches!(played.ending.termination, Termination::Checkmate | Termination::Stalemate) {
                let last = played.last.as_ref().filter(|(before, _)| before.turn() != color);
                let verdict = player.exit_after_game(last.map(|(before, mv)| (before, *mv))).await;
                let winner = played.ending.result.winner();
                if let Some(exit) = verdict.filter(|&exit| exit_disagrees(exit, winner)) {
                    warnings.push(Warning::ExitStatusDisagrees { exit, by: engine });
                }
            }
        }
        self.check_first_moves(&played.plies, played.anomaly.as_ref(), &evidence, sides, setup)?;
        let finished = EndedGame {
            ending: played.ending,
            plies: played.plies,
            anomaly: played.anomaly,
            evidence,
            warnings,
        };
        Ok(finished)
    }

    /// A program without an answer in its handshake is proven by its first move; a failure before that is a mistake in
    /// the plan.
    fn check_first_moves(
        &self,
        plies: &[PlyRecord],
        anomaly: Option<&Anomaly>,
        evidence: &EngineEvidence,
        sides: ByColor<&Contestant>,
        setup: &GameSetup,
    ) -> Result<(), NoResult> {
        for color in Color::ALL {
            let skipped = setup.book_moves().len() + usize::from(color != setup.first().turn());
            let mut own = plies.iter().skip(skipped).step_by(2);
            let engine = sides[color].engine;
            if own.any(|ply| ply.source.is_engine()) {
                self.shared.registry.set_proven(engine);
            } else if !self.shared.registry.is_proven(engine)
                && anomaly.is_some_and(|anomaly| anomaly.side == color)
            {
                let reason = format!(
                    "startup_failure: it did not make its first move; {}; run the program by hand to see why",
                    printed_lines(&evidence.transcript)
                );
                return Err(NoResult::Fatal { engine, reason, evidence: evidence.clone() });
            }
        }
        Ok(())
    }

    /// Returns the result of a game that could not begin.
    fn failed_start(
        &self,
        errors: [Option<SeatError>; 2],
        engines: ByColor<EngineIndex>,
        setup: &GameSetup,
    ) -> Result<EndedGame, NoResult> {
        let mut faults: Vec<(Color, PlayerFault, EngineEvidence)> = Vec::new();
        for (color, error) in Color::ALL.into_iter().zip(errors) {
            match error {
                None => {}
                Some(SeatError::Resources(message)) => {
                    return Err(NoResult::Void(VoidReason::Resources { message }));
                }
                Some(SeatError::Plan { reason, evidence }) => {
                    return Err(NoResult::Fatal { engine: engines[color], reason, evidence });
                }
                Some(SeatError::Fault(fault, evidence)) => faults.push((color, fault, evidence)),
            }
        }
        if let [(_, white, _), (_, black, _)] = &faults[..] {
            // Neither can win. What follows depends on how often it happens, and on who else can play.
            let message = format!(
                "before the first move: White ({}), {white}; Black ({}), {black}",
                self.shared.registry.name(engines.white),
                self.shared.registry.name(engines.black)
            );
            return Err(NoResult::Void(VoidReason::BothFailed { message }));
        }
        let Some((side, fault, evidence)) = faults.pop() else {
            let message = "a game could not begin although both engines are ready".to_owned();
            return Err(NoResult::Void(VoidReason::HarnessError { message }));
        };
        let exit = if let PlayerFault::Crash { exit, .. } = fault { exit } else { None };
        let fen = setup.first_fen();
        let anomaly = Anomaly { side, exit, time: None, position: format!("position fen {fen}"), fen };
        let ending = Referee::fault(side, fault);
        // The other game of the pair begins with the same moves, also if it is played by a later session.
        let plies = opening_plies(setup);
        Ok(EndedGame { ending, plies, anomaly: Some(anomaly), evidence, warnings: Vec::new() })
    }

    fn show_start(&self, key: GameKey, sides: &ByColor<&Contestant>, setup: &GameSetup) {
        self.board.set(Some(LiveGame {
            slot: self.number,
            id: key.id,
            game: key.game,
            white: sides.white.engine,
            black: sides.black.engine,
            start: *setup.start(),
            style: setup.castling().style(),
            moves: setup.book_moves().collect(),
            line_searches: vec![LiveSearch::default(); setup.book_moves().len()],
            position: *setup.first(),
            last_move: None,
            plies: setup.book_moves().len(),
            clocks: ByColor::new_with(|color| Clock::new(sides[color].limits).left()),
            searches: ByColor::new_with(|_| None),
            score: None,
            moved_at: Instant::now(),
            dialogue: ByColor { white: Vec::new(), black: Vec::new() },
        }));
    }
}

/// Why a suspension is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspicion {
    /// Without a reason of its own.
    Any,
    /// A game was lost on time, which a suspension that is only noticed later may explain.
    TimeLoss,
}

/// Runs a task and converts a panic into a reason to void the pair.
async fn catch_panic<R: 'static>(task: impl Future<Output = R> + 'static) -> Result<R, VoidReason> {
    let joined = tokio::task::spawn_local(task).await;
    joined.map_err(|panic| VoidReason::HarnessError { message: panic.to_string() })
}

/// A game that has ended, whether or not it ever began.
struct EndedGame {
    ending: Ending,
    plies: Vec<PlyRecord>,
    anomaly: Option<Anomaly>,
    evidence: EngineEvidence,
    warnings: Vec<Warning>,
}

impl EndedGame {
    fn bundle(&mut self, slot: &Slot, key: GameKey, sides: &ByColor<&Contestant>) -> Option<FaultBundle> {
        let anomaly = self.anomaly.as_ref()?;
        let contestant = sides[anomaly.side];
        let spec = slot.shared.registry.spec(contestant.engine)?;
        let (evidence, reason) = (std::mem::take(&mut self.evidence), self.ending.termination.to_string());
        Some(bundle(key, (contestant.engine, spec), reason, evidence, anomaly, &contestant.limits))
    }
}

fn warn(warnings: &mut Vec<Warning>, irregularities: Irregularities, by: EngineIndex) {
    let Irregularities { stray, garbage, first_garbage, broken_info, false_time } = irregularities;
    let line = first_garbage.unwrap_or_default();
    let found = [
        (stray, Warning::StrayLine { count: stray, by }),
        (garbage, Warning::Garbage { count: garbage, line, by }),
        (broken_info, Warning::BrokenInfo { count: broken_info, by }),
        (false_time, Warning::FalseTime { count: false_time, by }),
    ];
    warnings.extend(found.into_iter().filter(|(count, _)| *count > 0).map(|(_, warning)| warning));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_of_the_harness_voids_the_pair() {
        let local = tokio::task::LocalSet::new();
        let ended: Result<(), _> = local.run_until(catch_panic(async { panic!("a test panic") })).await;
        assert!(
            matches!(ended, Err(VoidReason::HarnessError { message }) if message.contains("a test panic"))
        );
    }
}
