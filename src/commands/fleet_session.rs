//! A session of a run: on this machine, or on the fleet of the environment.

use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::run::{FinishedRun, Plan, RunBuilder};

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
        None => run.run().or_fault(),
        #[cfg(feature = "nats")]
        Some(access) => remote::play(run, access),
        #[cfg(not(feature = "nats"))]
        Some(_) => Err(Failure::usage("this program was built without the feature `nats`")),
    }
}

#[cfg(feature = "nats")]
mod remote {
    use std::collections::HashMap;
    use std::time::Duration;

    use crate::commands::environment::{Encryption, FleetAccess};
    use crate::commands::failure::{Failure, OrFailure};
    use crate::fleet::nats::messages::{Message, PLAY, Sheet, SheetEngine};
    use crate::fleet::nats::{
        Access, Backoff, ConnectError, Connection, Memory, NatsFleet, Offer, Role, RunId, ShippedEngine,
        Timing, WorkerName, publish_engines, put_bytes, reference, shown_url,
    };
    use crate::game::PairId;
    use crate::player::GuardianProgram;
    use crate::run::{FinishedRun, FleetPlan, Plan, RunBuilder, RunError, RunStart};

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
            None => finished.or_fault(),
        }
    }

    /// Returns the times of the protocol that a plan states.
    pub(super) fn timing(plan: &FleetPlan) -> Timing {
        let beat = Duration::from_millis(plan.beat_ms);
        Timing {
            lease: Duration::from_millis(plan.lease_ms),
            beat,
            reconcile: Duration::from_millis(plan.reconcile_ms),
            card: beat,
            ..Timing::default()
        }
    }

    async fn open(run: &mut RunBuilder, access: &FleetAccess) -> Result<NatsFleet, Failure> {
        let settings = run.plan.fleet.clone();
        let timing = timing(&settings);
        let beat = timing.beat;
        let backoff = Backoff {
            first: Backoff::default().first.min(beat),
            longest: Backoff::default().longest.min(6 * beat),
            reconnect_jitter: Backoff::default().reconnect_jitter.min(beat / 2),
            ..Backoff::default()
        };
        let access = Access::from(access);
        let connection = Connection::open(&access, &Role::Coordinator, &backoff, timing.patience).await;
        let connection = connection.map_err(|error| match error {
            ConnectError::Usage(_) => Failure::usage(error),
            ConnectError::Refused(_) | ConnectError::Unreachable(_) => Failure::fault(error),
        })?;
        NatsFleet::prepare(&connection).await.map_err(Failure::fault)?;
        let (run_id, memory) = memory(&run.start)?;
        let sheet = sheet(&connection, &run.plan, &run_id, &run.guardian).await?;
        let stored = put_bytes(&connection, sheet.encode()).await.or_fault()?;
        let offer = Offer {
            run: run_id,
            name: run.plan.name.clone(),
            url: shown_url(&access),
            sheet: stored.sha256,
            rules: run.plan.adjudication.clone(),
            pairs: run.plan.last_pair(),
            priority: settings.priority,
            weight: settings.weight,
            ahead: settings.ahead,
            timing,
            backoff,
        };
        NatsFleet::start(connection, offer, memory).await.map_err(Failure::fault)
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
            Some((name, worker.quarantined.clone()?))
        });
        Ok((run, Memory { claims, excluded: excluded.collect(), counted: replayed.state.counted() }))
    }

    /// Stores the engines of a plan and describes the run to workers.
    async fn sheet(
        connection: &Connection,
        plan: &Plan,
        run: &RunId,
        guardian: &GuardianProgram,
    ) -> Result<Sheet, Failure> {
        let shipped: Vec<ShippedEngine> = plan
            .engines
            .iter()
            .map(|engine| ShippedEngine {
                spec: engine.spec.clone(),
                program: engine.spec.program.clone(),
                shipment: engine.shipment.clone(),
            })
            .collect();
        let mut engines: Vec<SheetEngine> = publish_engines(connection, &shipped).await.or_usage()?;
        let timed = !plan.is_untimed();
        let mut nps = None;
        for (engine, planned) in engines.iter_mut().zip(&plan.engines) {
            let measured = reference(&planned.spec, Some(guardian)).await.or_usage()?;
            engine.signature = measured.signature;
            engine.probe_depth = measured.depth;
            nps = measured.nps;
        }
        Ok(Sheet {
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
        })
    }
}
