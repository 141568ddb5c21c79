//! What a fleet is doing: its runs, by their notices, and its workers, by their signs of life.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tokio::time::{Instant, timeout_at};

use crate::commands::failure::{Failure, OrFailure};
use crate::fleet::nats::messages::{Heartbeat, MembersAnswer, Message, NoticeState, RunNotice};
use crate::fleet::nats::{
    Access, Backoff, ConnectError, NatsError, Role, RunId, ServerConnection, StreamLimits, Subscription,
    WorkerName, subject,
};
use crate::fleet::{MAX_CONCURRENCY, Member};

/// Time that a server has to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The state of a fleet. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct FleetStatus {
    pub server_version: String,
    pub warning: Option<String>,
    pub runs: Vec<RunOnFleet>,
    pub workers: Vec<WorkerOnFleet>,
}

impl FleetStatus {
    /// Returns what the coordinator of the run that a worker serves knows about it.
    pub fn conduct_of(&self, worker: &WorkerOnFleet) -> Option<&Member> {
        let run = self.runs.iter().find(|run| Some(&run.run) == worker.run.as_ref())?;
        run.workers.iter().find(|member| member.name == worker.name.as_str())
    }
}

/// A run of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct RunOnFleet {
    pub run: RunId,
    pub name: String,
    pub state: NoticeState,
    pub priority: i32,
    pub weight: u32,
    pub slots: u64,
    pub flying: u64,
    pub waiting: u64,
    pub counted: u64,
    pub pairs: Option<u64>,
    pub waits_for: Option<(u64, Option<WorkerName>)>,
    #[serde(rename = "banned")]
    pub excluded: Vec<WorkerName>,
    pub workers: Vec<Member>,
}

/// A worker of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct WorkerOnFleet {
    pub name: WorkerName,
    pub version: String,
    pub target: String,
    pub cpu: String,
    pub slots: usize,
    pub free: usize,
    pub run: Option<RunId>,
    pub nps: Option<u64>,
    pub scale_ppm: Option<u32>,
    pub playing: usize,
    pub waiting: usize,
    pub spool_bytes: u64,
    pub trouble: Option<String>,
}

/// Asks the server for its runs, and listens to the workers for `listen`.
pub fn fleet_status(access: &Access, listen: Duration) -> Result<FleetStatus, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
    runtime.block_on(async {
        let opened =
            ServerConnection::open(access, &Role::Coordinator, &Backoff::default(), CONNECT_TIMEOUT).await;
        let connection = opened.map_err(connect_failure)?;
        gather(&connection, listen).await.or_fault()
    })
}

async fn gather(connection: &ServerConnection, listen: Duration) -> Result<FleetStatus, NatsError> {
    let beats = connection.subscribe(subject::beats()).await?;
    // A server that no coordinator has used yet has no streams.
    connection.prepare(&StreamLimits::default()).await?;
    let mut runs = Vec::new();
    for run in connection.runs().await? {
        let notice = connection.notice(&run).await?;
        runs.extend(notice.and_then(|(_, payload)| RunNotice::decode(&payload).ok()).map(RunOnFleet::from));
    }
    runs.sort_by_key(|run| (run.state == NoticeState::Over, std::cmp::Reverse(run.priority)));
    let answers = ask_coordinators(connection, &runs).await?;
    let end = Instant::now() + listen;
    let (workers, mut members) = tokio::join!(workers(beats, end), members(answers, end));
    for run in &mut runs {
        run.workers = members.remove(&run.run).unwrap_or_default();
    }
    let (server_version, warning) = (connection.version(), connection.old_server_warning());
    Ok(FleetStatus { server_version, warning, runs, workers })
}

/// Asks the coordinators of all runs about their workers. A run without a coordinator does not answer.
async fn ask_coordinators(
    connection: &ServerConnection,
    runs: &[RunOnFleet],
) -> Result<Subscription, NatsError> {
    let inbox = connection.new_inbox();
    let answers = connection.subscribe(inbox.clone()).await?;
    for run in runs.iter().filter(|run| run.state != NoticeState::Over) {
        connection.publish_with_reply(subject::question(&run.run), inbox.clone(), Vec::new()).await?;
    }
    Ok(answers)
}

/// The workers of every run, as its coordinator knows them.
async fn members(mut answers: Subscription, end: Instant) -> BTreeMap<RunId, Vec<Member>> {
    let mut found: BTreeMap<RunId, Vec<Member>> = BTreeMap::new();
    while let Ok(Some(message)) = timeout_at(end, answers.next()).await {
        if let Ok(answer) = MembersAnswer::decode(&message.payload) {
            found.entry(answer.run).or_default().extend(answer.members);
        }
    }
    found
}

/// The latest sign of life of every worker.
async fn workers(mut beats: Subscription, end: Instant) -> Vec<WorkerOnFleet> {
    let mut found = BTreeMap::new();
    while let Ok(Some(message)) = timeout_at(end, beats.next()).await {
        // The server checks the subject, not the content.
        let sender = message.subject.rsplit('.').next().unwrap_or_default();
        if let Some(beat) =
            Heartbeat::decode(&message.payload).ok().filter(|beat| beat.worker.as_str() == sender)
        {
            found.insert(beat.worker.clone(), WorkerOnFleet::from(beat));
        }
    }
    found.into_values().collect()
}

/// Turns a refused or failed connection into a failure with the exit status of the contract.
pub(super) fn connect_failure(error: ConnectError) -> Failure {
    match error {
        ConnectError::Usage(_) => Failure::Usage(error.into()),
        ConnectError::Refused(_) | ConnectError::Unreachable(_) => Failure::Fault(error.into()),
    }
}

impl From<RunNotice> for RunOnFleet {
    fn from(notice: RunNotice) -> Self {
        let RunNotice {
            run,
            name,
            state,
            priority,
            weight,
            slots,
            flying,
            waiting,
            counted,
            pairs,
            waits_for,
            excluded,
            ..
        } = notice;
        Self {
            run,
            name,
            state,
            priority,
            weight,
            slots,
            flying,
            waiting,
            counted,
            pairs,
            waits_for,
            excluded,
            workers: Vec::new(),
        }
    }
}

impl From<Heartbeat> for WorkerOnFleet {
    fn from(beat: Heartbeat) -> Self {
        Self {
            name: beat.worker,
            version: beat.version,
            target: beat.target,
            cpu: beat.cpu,
            slots: beat.slots.min(MAX_CONCURRENCY),
            free: beat.free,
            run: beat.run,
            nps: beat.nps,
            scale_ppm: beat.scale_ppm,
            playing: beat.playing.len(),
            waiting: beat.waiting.len(),
            spool_bytes: beat.spool_bytes,
            trouble: beat.trouble,
        }
    }
}
