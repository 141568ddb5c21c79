//! A chair at a slot's board: at most one engine sits in it, warm from game to game.

use std::time::Duration;

use tokio_util::task::TaskTracker;

use crate::chess::Color;
use crate::failpoint::{self, Point};
use crate::fleet::Contestant;
use crate::fleet::engine_registry::EngineRegistry;
use crate::fleet::fault_bundle::LastWords;
use crate::game::{EngineIndex, GameSetup, TimeControl};
use crate::player::{
    EngineSpec, Fitness, LaunchError, Launcher, Player, PlayerFault, ProcessTransport, Protocol, Restart,
    StartFault, ThinkLimits,
};

/// One side's engine in a slot.
#[derive(Debug, Default)]
pub(super) struct EngineSeat {
    resident: Option<Resident>,
}

#[derive(Debug)]
struct Resident {
    engine: EngineIndex,
    player: Player<ProcessTransport>,
}

/// Why a seat has no engine that is ready to play.
#[derive(Debug)]
pub(super) enum SeatTrouble {
    /// The plan is wrong: the run cannot go on.
    Plan { reason: String, words: LastWords },
    /// The system refused: nobody's fault who plays.
    Resources(String),
    /// The engine failed, having worked before: it loses.
    Fault(PlayerFault, LastWords),
}

/// What seats need from their fleet.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeatContext<'a> {
    pub(super) roster: &'a EngineRegistry,
    pub(super) launcher: &'a Launcher,
    pub(super) cpus: &'a [usize],
    pub(super) leaving: &'a TaskTracker,
}

impl EngineSeat {
    /// The engine that sits here.
    pub(super) fn player(&mut self) -> Option<&mut Player<ProcessTransport>> {
        self.resident.as_mut().map(|resident| &mut resident.player)
    }

    /// Seats the contestant's engine and begins a game with it.
    pub(super) async fn make_ready(
        &mut self,
        staff: SeatContext<'_>,
        contestant: &Contestant,
        setup: &GameSetup,
        side: Color,
    ) -> Result<(), SeatTrouble> {
        let engine = contestant.engine;
        let Some(spec) = staff.roster.spec(engine) else {
            let reason = format!("the plan has no engine number {engine}");
            return Err(SeatTrouble::Plan { reason, words: LastWords::default() });
        };
        if self.resident.as_ref().is_some_and(|resident| resident.engine != engine) {
            self.dismiss(staff);
        }
        let position = setup.position_command();
        if let Some(resident) = &mut self.resident {
            match resident.player.new_game(setup.castling(), &position, &contestant.options).await {
                Ok(()) => return Ok(()),
                // It went away between two games, which belongs to neither; a fresh process takes its place.
                Err(StartFault::Fault(PlayerFault::Crash { .. })) => drop(self.clear().await),
                Err(fault) => return Err(self.expel(staff.roster, &fault).await),
            }
        }
        let player = start(staff, engine, spec, contestant, setup, side).await?;
        let resident = self.resident.insert(Resident { engine, player });
        match resident.player.new_game(setup.castling(), &position, &contestant.options).await {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.expel(staff.roster, &fault).await),
        }
    }

    /// Ends an engine that could not begin a game, and says what that means.
    async fn expel(&mut self, roster: &EngineRegistry, fault: &StartFault) -> SeatTrouble {
        let Some(resident) = &self.resident else {
            return SeatTrouble::Resources("an engine left its seat unseen".to_owned());
        };
        let (engine, words) = (resident.engine, last_words(&resident.player));
        self.clear().await;
        trouble(roster, engine, fault, words)
    }

    /// After a game: keeps an engine that can go on, ends one that cannot. Says what a killed one had left behind.
    pub(super) async fn after_game(&mut self, staff: SeatContext<'_>) -> u64 {
        let Some(resident) = &mut self.resident else { return 0 };
        let Some(spec) = staff.roster.spec(resident.engine) else { return 0 };
        let (uci, restart) = (spec.protocol == Protocol::Uci, spec.restart == Restart::On);
        match resident.player.end_game().await {
            Fitness::Fit if !restart => 0,
            Fitness::Unfit if uci => self.clear().await,
            Fitness::Fit | Fitness::Unfit => {
                self.dismiss(staff);
                0
            }
        }
    }

    /// Ends the engine at once, and waits for it; says how many processes it had left behind.
    pub(super) async fn clear(&mut self) -> u64 {
        match self.resident.take() {
            Some(resident) => resident.player.shut_down(Fitness::Unfit).await.leaked,
            None => 0,
        }
    }

    /// Asks the engine to leave, without waiting for it.
    pub(super) fn dismiss(&mut self, staff: SeatContext<'_>) {
        if let Some(resident) = self.resident.take() {
            staff.leaving.spawn_local(async move {
                resident.player.shut_down(Fitness::Fit).await;
            });
        }
    }
}

async fn start(
    staff: SeatContext<'_>,
    engine: EngineIndex,
    spec: &EngineSpec,
    contestant: &Contestant,
    setup: &GameSetup,
    side: Color,
) -> Result<Player<ProcessTransport>, SeatTrouble> {
    let _leave = staff.launcher.start_permit().await;
    let limits = think_limits(&contestant.limits, side);
    let plan = |reason| SeatTrouble::Plan { reason, words: LastWords::default() };
    let args =
        Player::<ProcessTransport>::game_arguments(spec, side, &limits, &setup.first_fen()).map_err(plan)?;
    if failpoint::strikes(Point::SpawnFails) {
        return Err(SeatTrouble::Resources("the system refused to start it: no more processes".to_owned()));
    }
    let transport = staff.launcher.launch(spec, &args, staff.cpus).await.map_err(|error| match error {
        LaunchError::Resources(_) => SeatTrouble::Resources(error.to_string()),
        LaunchError::Program(_) => plan(format!("{} {error}", spec.program.display())),
    })?;
    match Player::handshake(transport, spec).await {
        Ok(player) => {
            if spec.protocol == Protocol::Uci {
                staff.roster.prove(engine);
            }
            // Some use several threads unless told otherwise; on one processor these would wait for each other.
            if !staff.cpus.is_empty() && player.threads().is_some_and(|threads| threads > staff.cpus.len()) {
                player.transport().run_anywhere();
            }
            Ok(player)
        }
        Err((player, fault)) => {
            let words = last_words(&player);
            player.shut_down(Fitness::Unfit).await;
            Err(trouble(staff.roster, engine, &fault, words))
        }
    }
}

/// The limits of a game's first move, which is all that an ACE program is ever told.
pub(super) fn think_limits(control: &TimeControl, side: Color) -> ThinkLimits {
    let mut limits = ThinkLimits {
        depth: control.depth,
        nodes: control.nodes,
        movetime: control.movetime_ms.map(Duration::from_millis),
        moves_to_go: control.clock.and_then(|rule| rule.moves).map(u32::from),
        ..ThinkLimits::default()
    };
    limits.time[side] = control.clock.map(|rule| rule.time);
    limits.increment[side] = control.clock.map(|rule| rule.increment);
    limits
}

/// Before an engine has worked once, its failure is a mistake in the plan; afterwards it is a loss.
fn trouble(
    roster: &EngineRegistry,
    engine: EngineIndex,
    fault: &StartFault,
    words: LastWords,
) -> SeatTrouble {
    match fault {
        StartFault::Fault(fault) if roster.is_proven(engine) => SeatTrouble::Fault(*fault, words),
        StartFault::Fault(fault) => {
            let reason = format!(
                "startup_failure: {fault}; start it by hand to see why, and check its path and arguments"
            );
            SeatTrouble::Plan { reason, words }
        }
        StartFault::Option(_) | StartFault::NoChess960 => {
            SeatTrouble::Plan { reason: fault.to_string(), words }
        }
    }
}

/// What the engine said last.
pub(super) fn last_words(player: &Player<ProcessTransport>) -> LastWords {
    LastWords {
        transcript: player.transcript(),
        stderr_tail: player.stderr_tail(),
        told: Box::new(player.sent_state()),
    }
}
