//! Place of an engine in a slot; the engine keeps running from game to game.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::chess::Color;
use crate::failpoint::{self, Point};
use crate::fleet::Contestant;
use crate::fleet::engine_registry::EngineRegistry;
use crate::fleet::fault_bundle::EngineEvidence;
use crate::game::{Ending, EngineIndex, GameSetup};
use crate::player::{
    CrashMoment, EngineSpec, Fitness, GameStart, LaunchError, Launcher, Player, PlayerFault,
    ProcessTransport, ProtocolBreach, Restart, StartFault, printed_lines,
};

/// The engine of one side in a slot, if one is running.
#[derive(Debug, Default)]
pub(super) struct EngineSeat {
    seated: Option<SeatedEngine>,
}

#[derive(Debug)]
struct SeatedEngine {
    engine: EngineIndex,
    player: Player<ProcessTransport>,
}

/// Reason why a seat has no engine that is ready to play.
#[derive(Debug)]
pub(super) enum SeatError {
    /// The plan is wrong, so the run cannot continue.
    Plan { reason: String, evidence: EngineEvidence },
    /// The OS refused resources; neither engine is at fault.
    Resources(String),
    /// The engine failed after it had worked before: it loses.
    Fault(PlayerFault, EngineEvidence),
}

/// Parts of the fleet that a seat uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeatContext<'a> {
    pub(super) registry: &'a EngineRegistry,
    pub(super) launcher: &'a Launcher,
    pub(super) cpus: &'a [usize],
    pub(super) shutdowns: &'a TaskTracker,
}

impl EngineSeat {
    /// Returns the running engine.
    pub(super) fn player(&mut self) -> Option<&mut Player<ProcessTransport>> {
        self.seated.as_mut().map(|seated| &mut seated.player)
    }

    /// Starts the contestant's engine if it is not running, and begins a game with it.
    pub(super) async fn make_ready(
        &mut self,
        context: SeatContext<'_>,
        contestant: &Contestant,
        setup: &GameSetup,
        side: Color,
    ) -> Result<(), SeatError> {
        let engine = contestant.engine;
        if self.seated.as_ref().is_some_and(|seated| seated.engine != engine) {
            self.release(context);
        }
        let position = setup.position_command();
        let start_of_game = GameStart {
            castling: setup.castling(),
            position: &position,
            options: &contestant.options,
            side,
            limits: contestant.limits.first_limits(side),
        };
        if let Some(seated) = &mut self.seated {
            match seated.player.new_game(&start_of_game).await {
                Ok(()) => {
                    context.registry.set_begun(engine, setup.castling());
                    return Ok(());
                }
                // It ended between two games and therefore belongs to neither; it is replaced by a new process.
                Err(StartFault::Fault(PlayerFault::Crash { .. })) => drop(self.kill().await),
                Err(fault) => return Err(self.remove_failed(context.registry, setup, &fault).await),
            }
        }
        let player = start(context, contestant, setup, side).await?;
        let seated = self.seated.insert(SeatedEngine { engine, player });
        match seated.player.new_game(&start_of_game).await {
            Ok(()) => {
                context.registry.set_begun(engine, setup.castling());
                Ok(())
            }
            Err(fault) => Err(self.remove_failed(context.registry, setup, &fault).await),
        }
    }

    /// Ends an engine that could not begin a game, and returns the consequence.
    async fn remove_failed(
        &mut self,
        registry: &EngineRegistry,
        setup: &GameSetup,
        fault: &StartFault,
    ) -> SeatError {
        let Some(seated) = &self.seated else {
            return SeatError::Resources("the engine of this seat has already been removed".to_owned());
        };
        let (engine, evidence) = (seated.engine, evidence_of(&seated.player));
        self.kill().await;
        // A game may need options that earlier ones did not need.
        let record = match registry.has_begun(engine, setup.castling()) {
            true => TrackRecord::Able,
            false if registry.is_proven(engine) => TrackRecord::Proven,
            false => TrackRecord::Unknown,
        };
        seat_error(record, fault, evidence)
    }

    /// Keeps an engine that can be used again after a game and ends one that cannot. Returns the number of processes
    /// that a killed engine had left behind.
    pub(super) async fn after_game(&mut self, context: SeatContext<'_>, ending: &Ending) -> u64 {
        let Some(seated) = &mut self.seated else { return 0 };
        let Some(spec) = context.registry.spec(seated.engine) else { return 0 };
        let result = format!("{} {{{}}}", ending.result, ending.termination);
        match seated.player.end_game(&result).await {
            Fitness::Fit if spec.restart == Restart::Off => 0,
            Fitness::Unfit => self.kill().await,
            Fitness::Fit | Fitness::Spent => {
                self.release(context);
                0
            }
        }
    }

    /// Kills the engine and waits for its end; returns the number of processes that it had left behind.
    pub(super) async fn kill(&mut self) -> u64 {
        match self.seated.take() {
            Some(seated) => seated.player.shut_down(Fitness::Unfit).await.leaked,
            None => 0,
        }
    }

    /// Asks the engine to quit, without waiting for it.
    pub(super) fn release(&mut self, context: SeatContext<'_>) {
        if let Some(seated) = self.seated.take() {
            context.shutdowns.spawn_local(async move {
                seated.player.shut_down(Fitness::Fit).await;
            });
        }
    }
}

/// Time that a program which has worked before may be missing, while it is replaced for example.
const MISSING_LIMIT: Duration = Duration::from_secs(3);
/// Pause between two attempts to start it.
const MISSING_POLL: Duration = Duration::from_millis(500);

async fn start(
    context: SeatContext<'_>,
    contestant: &Contestant,
    setup: &GameSetup,
    side: Color,
) -> Result<Player<ProcessTransport>, SeatError> {
    let (registry, engine) = (context.registry, contestant.engine);
    let _permit = context.launcher.start_permit().await;
    let limits = contestant.limits.first_limits(side);
    let plan = |reason| SeatError::Plan { reason, evidence: EngineEvidence::default() };
    let begun = Instant::now();
    loop {
        let startable = registry.startable(engine).await.map_err(plan)?;
        let spec = startable.spec;
        let args = Player::<ProcessTransport>::game_arguments(spec, side, &limits, &setup.first_fen())
            .map_err(plan)?;
        if failpoint::triggers(Point::SpawnFails) {
            return Err(SeatError::Resources("the system refused to start it: no more processes".to_owned()));
        }
        let transport = match context.launcher.launch(spec, &args, context.cpus).await {
            Ok(transport) => transport,
            Err(error @ LaunchError::Resources(_)) => {
                return Err(SeatError::Resources(format!("engine {}: {error}", spec.name)));
            }
            Err(error @ LaunchError::Program(_)) if !registry.is_proven(engine) => {
                return Err(plan(format!("{} {error}", spec.program.display())));
            }
            Err(LaunchError::Program(_)) if begun.elapsed() < MISSING_LIMIT => {
                tokio::time::sleep(MISSING_POLL).await;
                continue;
            }
            Err(LaunchError::Program(error)) => {
                let fault = PlayerFault::Crash { during: CrashMoment::Startup, exit: None };
                let evidence = EngineEvidence {
                    stderr_tail: format!("it cannot be started: {error}"),
                    ..EngineEvidence::default()
                };
                return Err(SeatError::Fault(fault, evidence));
            }
        };
        if !startable.is_unchanged() {
            // Which of the two programs was started is not known.
            drop(transport);
            continue;
        }
        let started = shake_hands(context, engine, spec, transport).await;
        if startable.is_unchanged() {
            return started;
        }
        // A script or a network is read after the start: what it read is not known, nor whether that made it fail.
        if let Ok(player) = started {
            player.shut_down(Fitness::Unfit).await;
        }
    }
}

async fn shake_hands(
    context: SeatContext<'_>,
    engine: EngineIndex,
    spec: &EngineSpec,
    transport: ProcessTransport,
) -> Result<Player<ProcessTransport>, SeatError> {
    match Player::handshake(transport, spec).await {
        Ok(player) => {
            if player.is_proven() {
                context.registry.set_proven(engine);
            }
            // Some engines use several threads by default; on a single processor these would wait for each other.
            if !context.cpus.is_empty()
                && player.threads().is_some_and(|threads| threads > context.cpus.len())
            {
                player.transport().run_anywhere();
            }
            Ok(player)
        }
        Err((player, fault)) => {
            let evidence = evidence_of(&player);
            player.shut_down(Fitness::Unfit).await;
            // An engine that was proven has accepted the options of its plan before.
            let proven = context.registry.is_proven(engine);
            let record = if proven { TrackRecord::Able } else { TrackRecord::Unknown };
            Err(seat_error(record, &fault, evidence))
        }
    }
}

/// What an engine that fails has done before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrackRecord {
    /// Nothing yet.
    Unknown,
    /// It has worked.
    Proven,
    /// It has done the very thing that it refuses now.
    Able,
}

/// Classifies a failed start. Before an engine has worked once, it is a mistake in the plan; afterwards it is a loss. An
/// engine that was able to do what the plan requires, and no longer is, loses as well.
fn seat_error(record: TrackRecord, fault: &StartFault, evidence: EngineEvidence) -> SeatError {
    let proven = record != TrackRecord::Unknown;
    match fault {
        StartFault::Fault(fault) if proven => SeatError::Fault(*fault, evidence),
        StartFault::Fault(fault) => {
            let reason = format!(
                "startup_failure: {fault}; {}; run the program by hand to see why, and check its path and arguments",
                printed_lines(&evidence.transcript)
            );
            SeatError::Plan { reason, evidence }
        }
        StartFault::Refused(_) if proven => {
            SeatError::Fault(PlayerFault::Protocol(ProtocolBreach::Refused), evidence)
        }
        StartFault::Option(_)
        | StartFault::NoChess960
        | StartFault::WrongProtocol { .. }
        | StartFault::Unsupported(_)
            if record == TrackRecord::Able =>
        {
            SeatError::Fault(PlayerFault::Protocol(ProtocolBreach::Changed), evidence)
        }
        StartFault::Option(_)
        | StartFault::NoChess960
        | StartFault::WrongProtocol { .. }
        | StartFault::Unsupported(_)
        | StartFault::Refused(_) => SeatError::Plan { reason: fault.to_string(), evidence },
    }
}

/// Collects the evidence about an engine.
pub(super) fn evidence_of(player: &Player<ProcessTransport>) -> EngineEvidence {
    EngineEvidence {
        transcript: player.transcript(),
        stderr_tail: player.stderr_tail(),
        sent: Box::new(player.sent_state()),
    }
}
