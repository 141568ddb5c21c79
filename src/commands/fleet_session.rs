//! A session of a run: on this machine, or on the fleet of the environment.

use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::run::{FinishedRun, Plan, RunBuilder, RunError};

/// Refuses a plan that cannot be played by other machines.
pub(super) fn check_plan_for_fleet(plan: &Plan) -> Result<(), Failure> {
    if plan.adjudication.tablebases.is_some() {
        return Err(Failure::usage(
            "adjudicate.tablebases: the endgame tables of this machine cannot end games on others; remove the key for \
             a fleet",
        ));
    }
    if plan.encounters.starts_games_alone() {
        return Err(Failure::usage("games.at_once = \"games\": a fleet plays whole pairs; remove the key"));
    }
    Ok(())
}

/// Plays a run where the environment states.
pub(super) fn play_run(run: RunBuilder, environment: &Environment) -> Result<FinishedRun, Failure> {
    match environment.fleet() {
        None => concluded(run.run()),
        #[cfg(feature = "nats")]
        Some(access) => remote::play(run, access),
        #[cfg(not(feature = "nats"))]
        Some(_) => Err(Failure::usage("this program was built without the feature `nats`")),
    }
}

/// Converts the result of a session that did not end in an outcome.
fn concluded(finished: Result<FinishedRun, RunError>) -> Result<FinishedRun, Failure> {
    match finished {
        Err(RunError::Interrupted) => Err(Failure::Interrupted(RunError::Interrupted.to_string())),
        finished => finished.or_fault(),
    }
}

#[cfg(feature = "nats")]
mod remote {
    use std::collections::HashMap;
    use std::time::{Duration, Instant};

    use crate::commands::console::Console;
    use crate::commands::environment::{Encryption, FleetAccess};
    use crate::commands::failure::{Failure, OrFailure};
    use crate::commands::fleet_session::concluded;
    use crate::fleet::nats::messages::{DescribedEngine, Message, PLAY, RunDescription};
    use crate::fleet::nats::{
        Access, Backoff, ConnectError, Memory, NatsFleet, Offer, Reference, Role, RunId, ServerConnection,
        ShippedEngine, StartError, StreamLimits, Timing, WorkerName, publish_engines, reference, shown_url,
    };
    use crate::game::PairId;
    use crate::player::{GuardianProgram, Timeouts};
    use crate::run::{FinishedRun, FleetPlan, Plan, PlannedEngine, RunBuilder, RunError, RunStart};

    impl From<&FleetAccess> for Access {
        fn from(access: &FleetAccess) -> Self {
            let FleetAccess { url, key, ca, encryption } = access.clone();
            Self { url, key, ca, insecure: encryption == Encryption::Optional }
        }
    }

    /// Plays a run on a fleet.
    pub(super) fn play(run: RunBuilder, access: &FleetAccess) -> Result<FinishedRun, Failure> {
        let mut usage = None;
        let finished = run.run_on(async |run: &mut RunBuilder| {
            open(run, access).await.map_err(|failure| {
                let text = format!("{failure:#}");
                usage = matches!(failure, Failure::Usage(_)).then(|| text.clone());
                RunError::Remote(text)
            })
        });
        match usage {
            Some(text) => Err(Failure::usage(text)),
            None => concluded(finished),
        }
    }

    /// Returns the times of the protocol that a plan states.
    pub(super) fn timing(plan: &FleetPlan) -> Timing {
        let beat = Duration::from_millis(plan.beat_ms);
        Timing {
            lease: Duration::from_millis(plan.lease_ms),
            beat,
            reconcile: Duration::from_millis(plan.reconcile_ms),
            notice: beat,
            ..Timing::default()
        }
    }

    async fn open(run: &mut RunBuilder, access: &FleetAccess) -> Result<NatsFleet, Failure> {
        let timing = timing(&run.plan.fleet);
        let backoff = backoff(timing.beat);
        let access = Access::from(access);
        let seconds = timing.connect_timeout.as_secs();
        let note = |why: &str| {
            Console::Text.print_progress(&format!("{why}; trying again for {seconds} s"));
        };
        let connection = ServerConnection::open_noting(
            &access,
            &Role::Coordinator,
            &backoff,
            timing.connect_timeout,
            note,
        )
        .await;
        let connection = connection.map_err(|error| match error {
            ConnectError::Usage(_) => Failure::usage(error),
            ConnectError::Refused(_) | ConnectError::Unreachable(_) => Failure::fault(error),
        })?;
        let (run_id, memory) = memory(&run.start)?;
        let references = references(&run.plan, &run.guardian).await?;
        let until = Instant::now() + timing.connect_timeout;
        loop {
            let started = offer_run(&connection, &access, &run.plan, &run_id, &memory, &references).await;
            match started {
                // A server that is killed or frozen just now comes back.
                Err(StartError::Server(_)) if Instant::now() < until => {
                    tokio::time::sleep(backoff.first).await;
                }
                Err(error @ StartError::Blob(_)) => return Err(Failure::usage(error)),
                Err(error) => return Err(Failure::fault(error)),
                Ok(fleet) => return Ok(fleet),
            }
        }
    }

    /// Stores the engines and offers the run.
    async fn offer_run(
        connection: &ServerConnection,
        access: &Access,
        plan: &Plan,
        run: &RunId,
        memory: &Memory,
        references: &[Reference],
    ) -> Result<NatsFleet, StartError> {
        connection.prepare(&StreamLimits::default()).await?;
        let engines = publish_engines(connection, &shipped(plan)).await?;
        let description = description(plan, run, engines, references);
        // Where moves depend on time, a second worker plays other games.
        let deterministic =
            !description.timed && description.engines.iter().all(|engine| engine.signature.is_some());
        let settings = &plan.fleet;
        let timing = timing(settings);
        let offer = Offer {
            run: run.clone(),
            name: plan.name.clone(),
            url: shown_url(access),
            description: description.encode(),
            engines: shipped(plan),
            rules: plan.adjudication.clone(),
            pairs: plan.last_pair(),
            priority: settings.priority,
            weight: settings.weight,
            ahead: settings.ahead,
            stuck: stuck(plan),
            audit: if deterministic { settings.audit } else { 0.0 },
            timing,
            backoff: backoff(timing.beat),
        };
        NatsFleet::start(connection.clone(), offer, memory.clone()).await
    }

    /// Returns the times of the connection of a coordinator.
    fn backoff(beat: Duration) -> Backoff {
        let usual = Backoff::default();
        Backoff {
            first: usual.first.min(beat),
            longest: usual.longest.min(6 * beat),
            reconnect_jitter: usual.reconnect_jitter.min(beat / 2),
            ..usual
        }
    }

    /// Returns the time without a move after which a game of the plan does not go on: twice as long as engines may take to
    /// start and to move, on the slowest machine that may play.
    fn stuck(plan: &Plan) -> Duration {
        let longest = plan.engines.iter().map(|engine| {
            let Timeouts { start, ready, new_game, move_cap, .. } = engine.spec.timeouts;
            let limits = engine.limits;
            let movetime = limits.movetime_ms.map(Duration::from_millis);
            let allowed = limits.clock.map(|rule| rule.time + rule.increment).max(movetime);
            let slow = 1.0 / plan.fleet.slowest.max(0.01);
            let margin = Duration::from_millis(limits.margin_ms);
            start + ready + new_game + allowed.map_or(move_cap, |allowed| allowed.mul_f64(slow) + margin)
        });
        2 * longest.max().unwrap_or_default()
    }

    /// Returns the name of the run in the fleet, and what its journal knows about workers.
    fn memory(start: &RunStart) -> Result<(RunId, Memory), Failure> {
        let RunStart::Resumed(replayed) = start else {
            return Ok((RunId::random().or_fault()?, Memory::default()));
        };
        let history = replayed.state.fleet();
        let known = history.session().and_then(|session| RunId::try_from(session.run.clone()).ok());
        let run = match known {
            Some(run) => run,
            None => RunId::random().or_fault()?,
        };
        let flying: HashMap<(u64, u32), PairId> =
            replayed.state.flying().map(|id| ((id.index, id.attempt), id)).collect();
        let claims = history
            .claims()
            .filter_map(|(place, claim)| Some((*flying.get(&place)?, claim.clone())))
            .collect();
        let excluded = history.workers().filter_map(|worker| {
            let name = WorkerName::try_from(worker.facts.worker.clone()).ok()?;
            Some((name, worker.excluded.clone()?))
        });
        Ok((run, Memory { claims, excluded: excluded.collect(), counted: replayed.state.counted() }))
    }

    /// Returns the engines of a plan as they are sent to workers.
    fn shipped(plan: &Plan) -> Vec<ShippedEngine> {
        let engine = |engine: &PlannedEngine| ShippedEngine {
            spec: engine.spec.clone(),
            program: engine.spec.program.clone(),
            shipment: engine.shipment.clone(),
        };
        plan.engines.iter().map(engine).collect()
    }

    /// Returns what the engines of a plan do in fixed positions, and how fast they are here.
    async fn references(plan: &Plan, guardian: &GuardianProgram) -> Result<Vec<Reference>, Failure> {
        let mut references = Vec::new();
        for engine in &plan.engines {
            references.push(reference(&engine.spec, Some(guardian)).await.or_usage()?);
        }
        Ok(references)
    }

    /// Describes a run to workers.
    fn description(
        plan: &Plan,
        run: &RunId,
        mut engines: Vec<DescribedEngine>,
        references: &[Reference],
    ) -> RunDescription {
        for (engine, measured) in engines.iter_mut().zip(references) {
            engine.signature.clone_from(&measured.signature);
            engine.probe_depth = measured.depth;
        }
        let timed = !plan.is_untimed();
        let nps = references.last().and_then(|baseline| baseline.nps);
        RunDescription {
            run: run.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            play: PLAY,
            rules: plan.adjudication.clone(),
            timed,
            reference_nps: plan.fleet.reference_nps.or(nps).filter(|_| timed),
            slowest: plan.fleet.slowest,
            wait_ms: plan.encounters.wait_ms,
            lease_ms: plan.fleet.lease_ms,
            beat_ms: plan.fleet.beat_ms,
            engines,
        }
    }
}
