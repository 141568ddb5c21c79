//! What a fleet asks of JetStream: streams, notices, jobs, reports and pulls, as plain requests of its JSON interface.
//!
//! Workers have permission for a handful of subjects only. The requests are therefore written out here: a general
//! client would ask for more.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fleet::nats::connection::{Incoming, NatsError, ServerConnection, Subscription};
use crate::fleet::nats::names::{PREFIX, RunId, WorkerName, subject};

/// Stream of the jobs.
pub(super) const JOBS: &str = "PS_JOBS";
/// Stream of what workers report.
pub(super) const RESULTS: &str = "PS_RES";
/// Stream with the notice of every run.
pub(super) const RUNS: &str = "PS_RUNS";
/// Stream behind the object store.
pub(super) const OBJECTS: &str = "OBJ_playself";
/// Subjects of the object store.
pub(super) const OBJECT_PREFIX: &str = "$O.playself";

/// Time in which the server drops a message whose id it has seen.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);
/// Streams that do not fit the server's storage are made smaller, down to this fraction of their limits.
const SMALLEST_FRACTION: u64 = 64;

/// Largest sizes and ages of the streams.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// Bytes of jobs.
    pub job_bytes: u64,
    /// Bytes of reports.
    pub result_bytes: u64,
    /// Age at which reports that no coordinator fetched are dropped.
    pub result_age: Duration,
    /// Age at which the notice of a run that is not renewed is dropped.
    pub notice_age: Duration,
    /// Bytes of engines and other files.
    pub object_bytes: u64,
}

impl Default for StreamLimits {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            job_bytes: 1 << 30,
            result_bytes: 2 << 30,
            result_age: 7 * DAY,
            notice_age: 30 * DAY,
            object_bytes: 4 << 30,
        }
    }
}

/// An error in an answer of JetStream.
#[derive(Debug, Deserialize)]
struct ApiError {
    code: u16,
    #[serde(default)]
    err_code: u32,
    #[serde(default)]
    description: String,
}

impl From<ApiError> for NatsError {
    fn from(error: ApiError) -> Self {
        match error.err_code {
            10071 => Self::Conflict,
            10023 | 10047 | 10077 => Self::Full(error.description),
            10014 | 10037 | 10043 | 10059 => Self::Missing,
            _ if error.code == 404 || error.description.contains("no message found") => Self::Missing,
            code => Self::Other(format!("{} (JetStream error {code})", error.description)),
        }
    }
}

/// What the server answers to a stored message.
#[derive(Debug, Deserialize)]
struct Stored {
    seq: u64,
}

/// A message as it lies in a stream.
#[derive(Clone, Debug)]
pub struct StoredMessage {
    /// Its place in the stream.
    pub sequence: u64,
    /// Content.
    pub payload: Vec<u8>,
}

impl ServerConnection {
    /// Makes the streams of a fleet, or leaves those that exist as they are.
    pub async fn prepare(&self, limits: &StreamLimits) -> Result<(), NatsError> {
        let mut fraction = 1;
        loop {
            let mut made = Vec::new();
            let outcome = self.make_streams(limits, fraction, &mut made).await;
            // The server sets the whole of `max_bytes` aside: a small disk gets small streams.
            if !matches!(outcome, Err(NatsError::Full(_))) || fraction == SMALLEST_FRACTION {
                return outcome;
            }
            for name in made {
                self.ask::<Value>(format!("STREAM.DELETE.{name}"), &json!({})).await?;
            }
            fraction *= 2;
        }
    }

    /// Makes the streams that are missing with a fraction of their bytes, and notes their names in `made`.
    async fn make_streams(
        &self,
        limits: &StreamLimits,
        fraction: u64,
        made: &mut Vec<&'static str>,
    ) -> Result<(), NatsError> {
        let queue = |kind: &str, bytes: u64, age: Duration| {
            json!({
                "subjects": [format!("{PREFIX}.{kind}.>")], "storage": "file", "num_replicas": 1,
                "retention": "workqueue", "discard": "new", "max_bytes": bytes / fraction,
                "max_age": nanoseconds(age), "duplicate_window": nanoseconds(DUPLICATE_WINDOW),
            })
        };
        let runs = json!({
            "subjects": [subject::notices()], "storage": "file", "num_replicas": 1, "retention": "limits",
            "discard": "old", "max_msgs_per_subject": 1, "allow_direct": true,
            "max_age": nanoseconds(limits.notice_age),
        });
        let objects = json!({
            "subjects": [format!("{OBJECT_PREFIX}.C.>"), format!("{OBJECT_PREFIX}.M.>")], "storage": "file",
            "num_replicas": 1, "retention": "limits", "discard": "new", "max_bytes": limits.object_bytes / fraction,
            "allow_direct": true, "allow_rollup_hdrs": true,
        });
        for (name, mut config) in [
            (JOBS, queue("job", limits.job_bytes, Duration::ZERO)),
            (RESULTS, queue("res", limits.result_bytes, limits.result_age)),
            (RUNS, runs),
            (OBJECTS, objects),
        ] {
            match self.ask::<Value>(format!("STREAM.INFO.{name}"), &json!({})).await {
                Err(NatsError::Missing) => {}
                found => {
                    found?;
                    continue;
                }
            }
            config["name"] = json!(name);
            self.ask::<Value>(format!("STREAM.CREATE.{name}"), &config).await?;
            made.push(name);
        }
        Ok(())
    }

    /// Stores the notice of a run if the stored one has this sequence (0: there is none), and returns the new sequence.
    pub async fn put_notice(&self, run: &RunId, payload: Vec<u8>, expected: u64) -> Result<u64, NatsError> {
        let expected = ("Nats-Expected-Last-Subject-Sequence", expected.to_string());
        self.store(subject::notice(run), &[expected], payload).await
    }

    /// Returns the notice of a run with its sequence.
    pub async fn notice(&self, run: &RunId) -> Result<Option<(u64, Vec<u8>)>, NatsError> {
        let notice = self.last_stored(RUNS, &subject::notice(run)).await?;
        Ok(notice.map(|notice| (notice.sequence, notice.payload)))
    }

    /// Returns all runs that have a notice.
    pub async fn runs(&self) -> Result<Vec<RunId>, NatsError> {
        let subjects = self.subjects(RUNS, &format!("{PREFIX}.run.*")).await?;
        let runs = subjects.iter().filter_map(|subject| subject.rsplit('.').next());
        Ok(runs.filter_map(|run| RunId::try_from(run.to_owned()).ok()).collect())
    }

    /// Stores a job and returns its sequence. A job with the id of an earlier one is dropped by the server.
    pub async fn put_job(
        &self,
        subject: String,
        msg_id: Option<String>,
        payload: Vec<u8>,
    ) -> Result<u64, NatsError> {
        let headers: Vec<_> = msg_id.map(|id| ("Nats-Msg-Id", id)).into_iter().collect();
        self.store(subject, &headers, payload).await
    }

    /// Returns the subjects of all jobs of a run that are in the stream.
    pub async fn listed_jobs(&self, run: &RunId) -> Result<Vec<String>, NatsError> {
        self.subjects(JOBS, &subject::jobs(run)).await
    }

    /// Returns the sequence of the job with this subject.
    pub async fn job_sequence(&self, subject: &str) -> Result<Option<u64>, NatsError> {
        #[derive(Deserialize)]
        struct Found {
            message: Stored,
        }
        let request = json!({ "last_by_subj": subject });
        match self.ask::<Found>(format!("STREAM.MSG.GET.{JOBS}"), &request).await {
            Ok(found) => Ok(Some(found.message.seq)),
            Err(NatsError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes the job with this sequence, if it is there.
    pub async fn delete_job(&self, sequence: u64) -> Result<(), NatsError> {
        let request = json!({ "seq": sequence, "no_erase": true });
        match self.ask::<Value>(format!("STREAM.MSG.DELETE.{JOBS}"), &request).await {
            Ok(_) | Err(NatsError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the consumer that leases the jobs of a run, or keeps the one that exists with its leases.
    pub async fn open_jobs(&self, run: &RunId, lease: Duration) -> Result<(), NatsError> {
        // The leases must outlive a kill of the server.
        let limits = json!({ "max_ack_pending": 1_000_000, "max_waiting": 100_000 });
        self.make_consumer(JOBS, run, subject::jobs(run), lease, limits).await
    }

    /// Returns a puller of the jobs of a run.
    pub async fn pull_jobs(&self, run: &RunId) -> Result<Puller, NatsError> {
        Puller::new(self, JOBS, run).await
    }

    /// Stores a report of a worker and returns its sequence.
    pub async fn put_report(
        &self,
        run: &RunId,
        worker: &WorkerName,
        msg_id: String,
        payload: Vec<u8>,
    ) -> Result<u64, NatsError> {
        self.store(subject::result(run, worker, &msg_id), &[("Nats-Msg-Id", msg_id)], payload).await
    }

    /// Makes the consumer of the reports of a run again, so that everything not acknowledged comes at once and in
    /// order, and returns a puller of them.
    pub async fn open_results(&self, run: &RunId, ack_wait: Duration) -> Result<Puller, NatsError> {
        self.delete_consumer(RESULTS, run).await?;
        // The coordinator knows what it has acknowledged, so the server need not write it down, ten times a second.
        let limits = json!({ "max_ack_pending": 20_000, "max_waiting": 512, "mem_storage": true });
        self.make_consumer(RESULTS, run, subject::results(run), ack_wait, limits).await?;
        Puller::new(self, RESULTS, run).await
    }

    /// Fails with [`NatsError::Missing`] if the consumer of the reports of a run is gone.
    pub async fn has_results(&self, run: &RunId) -> Result<(), NatsError> {
        self.ask::<Value>(format!("CONSUMER.INFO.{RESULTS}.{}", run.as_str()), &json!({})).await.map(drop)
    }

    /// Removes everything of a run but its notice.
    pub async fn remove_run(&self, run: &RunId) -> Result<(), NatsError> {
        for (stream, filter) in [(JOBS, subject::jobs(run)), (RESULTS, subject::results(run))] {
            // Purging under a living consumer would stop it for good on old servers.
            self.delete_consumer(stream, run).await?;
            self.purge(stream, filter).await?;
        }
        Ok(())
    }

    /// Deletes every message of a subject. No consumer of it may live.
    pub(super) async fn purge(&self, stream: &str, filter: String) -> Result<(), NatsError> {
        self.ask::<Value>(format!("STREAM.PURGE.{stream}"), &json!({ "filter": filter })).await.map(drop)
    }

    async fn make_consumer(
        &self,
        stream: &str,
        run: &RunId,
        filter: String,
        ack_wait: Duration,
        mut config: Value,
    ) -> Result<(), NatsError> {
        let common = json!({
            "durable_name": run.as_str(), "filter_subject": filter, "deliver_policy": "all", "ack_policy": "explicit",
            "ack_wait": nanoseconds(ack_wait), "max_deliver": -1, "replay_policy": "instant", "num_replicas": 0,
        });
        if let (Value::Object(config), Value::Object(common)) = (&mut config, common) {
            config.extend(common);
        }
        let request = json!({ "stream_name": stream, "config": config });
        let subject = format!("CONSUMER.DURABLE.CREATE.{stream}.{}", run.as_str());
        self.ask::<Value>(subject, &request).await.map(drop)
    }

    async fn delete_consumer(&self, stream: &str, run: &RunId) -> Result<(), NatsError> {
        let subject = format!("CONSUMER.DELETE.{stream}.{}", run.as_str());
        match self.ask::<Value>(subject, &json!({})).await {
            Ok(_) | Err(NatsError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the newest message of a subject, by direct get.
    pub(super) async fn last_stored(
        &self,
        stream: &str,
        subject: &str,
    ) -> Result<Option<StoredMessage>, NatsError> {
        self.direct_get(format!("$JS.API.DIRECT.GET.{stream}.{subject}"), Vec::new()).await
    }

    /// Returns the first message of a subject at or after a sequence, by direct get.
    pub(super) async fn next_stored(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
    ) -> Result<Option<StoredMessage>, NatsError> {
        let request = json!({ "next_by_subj": subject, "seq": from }).to_string();
        self.direct_get(format!("$JS.API.DIRECT.GET.{stream}"), request.into_bytes()).await
    }

    async fn direct_get(
        &self,
        subject: String,
        request: Vec<u8>,
    ) -> Result<Option<StoredMessage>, NatsError> {
        let answer = self.request(subject, &[], request).await?;
        match answer.status {
            Some(404) => return Ok(None),
            Some(status) if status >= 400 => {
                return Err(NatsError::Other(format!("{} ({status})", answer.description)));
            }
            _ => {}
        }
        let sequence = answer.header("Nats-Sequence").and_then(|text| text.parse().ok());
        let sequence = sequence.ok_or_else(|| NatsError::Other("an answer without a sequence".to_owned()))?;
        Ok(Some(StoredMessage { sequence, payload: answer.payload }))
    }

    /// Stores a message in the stream of its subject, and returns its sequence.
    pub(super) async fn store(
        &self,
        subject: String,
        headers: &[(&str, String)],
        payload: Vec<u8>,
    ) -> Result<u64, NatsError> {
        let answer = self.request(subject, headers, payload).await?;
        read_answer::<Stored>(&answer).map(|stored| stored.seq)
    }

    /// Returns every subject of a stream that matches the filter.
    pub(super) async fn subjects(&self, stream: &str, filter: &str) -> Result<Vec<String>, NatsError> {
        #[derive(Deserialize)]
        struct Page {
            #[serde(default)]
            total: usize,
            state: State,
        }
        #[derive(Deserialize)]
        struct State {
            #[serde(default)]
            subjects: BTreeMap<String, u64>,
        }
        let mut subjects = Vec::new();
        loop {
            let request = json!({ "subjects_filter": filter, "offset": subjects.len() });
            let page: Page = self.ask(format!("STREAM.INFO.{stream}"), &request).await?;
            let found = page.state.subjects.len();
            subjects.extend(page.state.subjects.into_keys());
            if found == 0 || subjects.len() >= page.total {
                return Ok(subjects);
            }
        }
    }

    async fn ask<T: DeserializeOwned>(&self, call: String, request: &Value) -> Result<T, NatsError> {
        let answer = self.request(format!("$JS.API.{call}"), &[], request.to_string().into_bytes()).await?;
        read_answer(&answer)
    }
}

fn read_answer<T: DeserializeOwned>(answer: &Incoming) -> Result<T, NatsError> {
    #[derive(Deserialize)]
    struct Failed {
        error: ApiError,
    }
    if let Ok(failed) = serde_json::from_slice::<Failed>(&answer.payload) {
        return Err(failed.error.into());
    }
    serde_json::from_slice(&answer.payload).map_err(|error| NatsError::Other(format!("an answer: {error}")))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What a pull brings.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are messages, and none is kept")]
pub enum Pulled {
    /// A message, to be acknowledged.
    Message(Delivery),
    /// A pull ended with this number of messages missing, if the server states it.
    Ended(Option<usize>),
    /// The consumer is gone.
    Missing,
}

/// Pulls messages of a consumer. Pulls do not outlive a connection: after a reconnect, they are requested again.
#[derive(Debug)]
pub struct Puller {
    connection: ServerConnection,
    inbox: String,
    next: String,
    arriving: Subscription,
}

impl Puller {
    async fn new(connection: &ServerConnection, stream: &str, run: &RunId) -> Result<Self, NatsError> {
        let inbox = connection.new_inbox();
        Ok(Self {
            connection: connection.clone(),
            arriving: connection.subscribe(inbox.clone()).await?,
            next: format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{}", run.as_str()),
            inbox,
        })
    }

    /// Asks for up to `batch` messages, as long as `expires`.
    pub async fn request(&self, batch: usize, expires: Duration) -> Result<(), NatsError> {
        let request = json!({ "batch": batch, "expires": nanoseconds(expires) }).to_string();
        self.connection.publish_with_reply(self.next.clone(), self.inbox.clone(), request.into_bytes()).await
    }

    /// Asks for up to `batch` of the messages that there are. The server does not keep the question.
    pub async fn request_now(&self, batch: usize) -> Result<(), NatsError> {
        let request = json!({ "batch": batch, "no_wait": true }).to_string();
        self.connection.publish_with_reply(self.next.clone(), self.inbox.clone(), request.into_bytes()).await
    }

    /// Waits for the next message or the end of a pull; `None` when the connection was closed. May be cancelled
    /// without a loss.
    pub async fn next(&mut self) -> Option<Pulled> {
        loop {
            let message = self.arriving.next().await?;
            match message.status {
                // A sign of life.
                Some(100) => {}
                Some(503) => return Some(Pulled::Missing),
                Some(409) if message.description.to_lowercase().contains("consumer deleted") => {
                    return Some(Pulled::Missing);
                }
                Some(_) => {
                    let missing =
                        message.header("Nats-Pending-Messages").and_then(|count| count.parse().ok());
                    return Some(Pulled::Ended(missing));
                }
                None => {
                    if let Some(delivery) = Delivery::new(&self.connection, message) {
                        return Some(Pulled::Message(delivery));
                    }
                }
            }
        }
    }
}

/// A leased message.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Subject of the message.
    pub subject: String,
    /// Content.
    pub payload: Vec<u8>,
    /// Place of the message in its stream.
    pub sequence: u64,
    /// How often it was delivered, this time included.
    pub delivered: u64,
    /// How many messages waited behind it for this consumer.
    pub pending: u64,
    reply: String,
    connection: ServerConnection,
}

impl Delivery {
    /// Reads the lease from the reply subject; `None` if it has none.
    fn new(connection: &ServerConnection, message: Incoming) -> Option<Self> {
        let reply = message.reply?;
        let Lease { delivered, sequence, pending } = lease(&reply)?;
        Some(Self {
            subject: message.subject,
            payload: message.payload,
            sequence,
            delivered,
            pending,
            reply,
            connection: connection.clone(),
        })
    }

    /// Settles the message for good.
    pub async fn ack(&self) -> Result<(), NatsError> {
        self.answer("+ACK".to_owned()).await
    }

    /// Gives the message back, to be delivered again after `delay`.
    pub async fn nak(&self, delay: Option<Duration>) -> Result<(), NatsError> {
        let text = match delay {
            None => "-NAK".to_owned(),
            Some(delay) => format!("-NAK {}", json!({ "delay": nanoseconds(delay) })),
        };
        self.answer(text).await
    }

    /// Begins the time of the lease again.
    pub async fn in_progress(&self) -> Result<(), NatsError> {
        self.answer("+WPI".to_owned()).await
    }

    async fn answer(&self, text: String) -> Result<(), NatsError> {
        self.connection.publish(self.reply.clone(), text.into_bytes()).await
    }
}

/// What the subject of an acknowledgement states.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Lease {
    delivered: u64,
    sequence: u64,
    pending: u64,
}

/// Reads the subject of an acknowledgement: `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.NUMBER.TIME.PENDING`, where newer
/// servers put a domain and an account before the stream.
fn lease(reply: &str) -> Option<Lease> {
    let parts: Vec<&str> = reply.split('.').collect();
    let first = match parts.len() {
        9 => 4,
        11.. => 6,
        _ => return None,
    };
    let number = |place: usize| parts[first + place].parse().ok();
    let lease = Lease { delivered: number(0)?, sequence: number(1)?, pending: number(4)? };
    reply.starts_with("$JS.ACK.").then_some(lease)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_acknowledgement_subject_are_read() {
        for (subject, expected) in [
            ("$JS.ACK.PS_JOBS.00ff.2.17.5.1700000000000000000.9", Some((2, 17, 9))),
            ("$JS.ACK._.hash.PS_JOBS.00ff.3.18.5.1700000000000000000.8.token", Some((3, 18, 8))),
            ("$JS.ACK._.hash.PS_JOBS.00ff.3.18.5.1700000000000000000.7", Some((3, 18, 7))),
            ("$JS.ACK.PS_JOBS.00ff.x.17.5.1700000000000000000.9", None),
            ("_INBOX.1.2.3.4.5.6.7.8", None),
            ("", None),
        ] {
            let read = lease(subject).map(|lease| (lease.delivered, lease.sequence, lease.pending));
            assert_eq!(read, expected, "{subject}");
        }
    }

    #[test]
    fn errors_of_jetstream_keep_their_meaning() {
        let read = |code: u16, err_code: u32, text: &str| {
            NatsError::from(ApiError { code, err_code, description: text.to_owned() })
        };
        assert_eq!(read(400, 10071, "wrong last sequence: 7"), NatsError::Conflict);
        assert_eq!(
            read(503, 10077, "maximum bytes exceeded"),
            NatsError::Full("maximum bytes exceeded".to_owned())
        );
        assert_eq!(read(404, 10059, "stream not found"), NatsError::Missing);
        assert_eq!(read(400, 1, "odd"), NatsError::Other("odd (JetStream error 1)".to_owned()));
    }
}
