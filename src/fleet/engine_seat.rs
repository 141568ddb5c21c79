//! Place of an engine in a slot; the engine keeps running from game to game.

use tokio_util::task::TaskTracker;

use crate::chess::Color;
use crate::failpoint::{self, Point};
use crate::fleet::Contestant;
use crate::fleet::engine_registry::EngineRegistry;
use crate::fleet::fault_bundle::EngineEvidence;
use crate::game::{Ending, EngineIndex, GameSetup};
use crate::player::{
    EngineSpec, Fitness, GameStart, LaunchError, Launcher, Player, PlayerFault, ProcessTransport,
    ProtocolBreach, Restart, StartFault, printed_lines,
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
        let Some(spec) = context.registry.spec(engine) else {
            let reason = format!("the plan has no engine with index {engine}");
            return Err(SeatError::Plan { reason, evidence: EngineEvidence::default() });
        };
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
                Ok(()) => return Ok(()),
                // It ended between two games and therefore belongs to neither; it is replaced by a new process.
                Err(StartFault::Fault(PlayerFault::Crash { .. })) => drop(self.kill().await),
                Err(fault) => return Err(self.remove_failed(context.registry, &fault).await),
            }
        }
        let player = start(context, engine, spec, contestant, setup, side).await?;
        let seated = self.seated.insert(SeatedEngine { engine, player });
        match seated.player.new_game(&start_of_game).await {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.remove_failed(context.registry, &fault).await),
        }
    }

    /// Ends an engine that could not begin a game, and returns the consequence.
    async fn remove_failed(&mut self, registry: &EngineRegistry, fault: &StartFault) -> SeatError {
        let Some(seated) = &self.seated else {
            return SeatError::Resources("the engine of this seat has already been removed".to_owned());
        };
        let (engine, evidence) = (seated.engine, evidence_of(&seated.player));
        self.kill().await;
        seat_error(registry, engine, fault, evidence)
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

async fn start(
    context: SeatContext<'_>,
    engine: EngineIndex,
    spec: &EngineSpec,
    contestant: &Contestant,
    setup: &GameSetup,
    side: Color,
) -> Result<Player<ProcessTransport>, SeatError> {
    let _permit = context.launcher.start_permit().await;
    let limits = contestant.limits.first_limits(side);
    let plan = |reason| SeatError::Plan { reason, evidence: EngineEvidence::default() };
    let args =
        Player::<ProcessTransport>::game_arguments(spec, side, &limits, &setup.first_fen()).map_err(plan)?;
    if failpoint::triggers(Point::SpawnFails) {
        return Err(SeatError::Resources("the system refused to start it: no more processes".to_owned()));
    }
    let transport =
        context.launcher.launch(spec, &args, context.cpus).await.map_err(|error| match error {
            LaunchError::Resources(_) => SeatError::Resources(error.to_string()),
            LaunchError::Program(_) => plan(format!("{} {error}", spec.program.display())),
        })?;
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
            Err(seat_error(context.registry, engine, &fault, evidence))
        }
    }
}

/// Classifies a failed start. Before an engine has worked once, it is a mistake in the plan; afterwards it is a loss.
fn seat_error(
    registry: &EngineRegistry,
    engine: EngineIndex,
    fault: &StartFault,
    evidence: EngineEvidence,
) -> SeatError {
    match fault {
        StartFault::Fault(fault) if registry.is_proven(engine) => SeatError::Fault(*fault, evidence),
        StartFault::Fault(fault) => {
            let reason = format!(
                "startup_failure: {fault}; {}; run the program by hand to see why, and check its path and arguments",
                printed_lines(&evidence.transcript)
            );
            SeatError::Plan { reason, evidence }
        }
        StartFault::Refused(_) if registry.is_proven(engine) => {
            SeatError::Fault(PlayerFault::Protocol(ProtocolBreach::Refused), evidence)
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
