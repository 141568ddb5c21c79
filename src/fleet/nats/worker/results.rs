//! The results of a worker until they are answered, and its signs of life.

use std::collections::{BTreeSet, VecDeque};
use std::io;

use super::{Done, Waiting, Worker, WorkerError};
use crate::failpoint::{self, Point};
use crate::fleet::nats::messages::{CoordinatorAnswer, Heartbeat, Message, PLAY, TokenTuple, message_id};
use crate::fleet::nats::service::Service;
use crate::fleet::nats::spool::{SPOOL_LIMIT, SpoolDraft, SpoolKey};
use crate::fleet::nats::{Delivery, NatsError, RunId, subject};

/// Results that one sign of life lists; those that are not answered yet come first.
const MOST_LISTED: usize = 1_000;

/// Settled pairs that a worker remembers.
const MOST_SETTLED: usize = 1_000;

/// Attempts at pairs whose results were answered for good.
///
/// The job of such a pair may be on its way once more when the answer arrives, for its lease ended while the server could not be
/// reached. It must not be played again: the result would be of no use.
#[derive(Debug, Default)]
pub(super) struct SettledPairs(VecDeque<(RunId, u64, u32)>);

impl SettledPairs {
    fn note(&mut self, key: SpoolKey) {
        self.0.truncate(MOST_SETTLED - 1);
        self.0.push_front((key.run, key.token.pair, key.token.attempt));
    }

    fn contains(&self, run: &RunId, pair: u64, attempt: u32) -> bool {
        self.0.iter().any(|settled| (&settled.0, settled.1, settled.2) == (run, pair, attempt))
    }
}

impl Worker {
    /// Returns whether the coordinator has settled this attempt at a pair.
    pub(in crate::fleet::nats) fn has_settled(&self, run: &RunId, pair: u64, attempt: u32) -> bool {
        self.settled.contains(run, pair, attempt)
    }

    /// Returns the result that waits for an answer for an attempt at a pair, and gives it the lease of its job.
    pub(in crate::fleet::nats) fn has_result(
        &mut self,
        run: &RunId,
        pair: u64,
        attempt: u32,
        lease: &Delivery,
    ) -> bool {
        let of_pair =
            |key: &SpoolKey| key.run == *run && (key.token.pair, key.token.attempt) == (pair, attempt);
        let waiting = self.waiting.iter_mut().rfind(|(key, _)| of_pair(key));
        waiting.map(|(_, waiting)| waiting.delivery = Some(lease.clone())).is_some()
    }

    /// Returns why it takes no jobs.
    pub(super) fn trouble(&self) -> Option<String> {
        let full = self.spool.bytes() >= SPOOL_LIMIT;
        full.then(|| "its spool is full".to_owned()).or_else(|| self.disk_trouble.clone())
    }

    /// Looks whether a disk that was full has room again.
    pub(super) fn look_at_disk(&mut self) {
        if self.disk_trouble.is_some() && self.spool.is_writable() {
            self.disk_trouble = None;
        }
    }

    /// Keeps a result until it is answered, and sends it as soon as it is durable. The slot that played it waits for neither.
    pub(super) fn keep(&mut self, key: &SpoolKey, payload: Vec<u8>, delivery: Option<Delivery>) {
        let draft = match self.spool.write(key, &payload) {
            Ok(draft) => Some(draft),
            Err(error) => {
                self.not_kept(key, &error);
                None
            }
        };
        self.waiting.insert(key.clone(), Waiting { payload, delivery, resends: 0 });
        self.send(key, draft);
    }

    /// Notes that a result could not be kept: it is sent from memory; no more jobs until the disk has room.
    fn not_kept(&mut self, key: &SpoolKey, error: &io::Error) {
        self.spool.forget(key);
        let text = format!("results cannot be kept on disk: {error}");
        self.note("warning", text.clone());
        self.disk_trouble = Some(text);
    }

    /// Sends a result, as often as it takes until the server has stored it; one that is not durable yet is made so before.
    pub(super) fn send(&mut self, key: &SpoolKey, draft: Option<SpoolDraft>) {
        let Some(waiting) = self.waiting.get(key) else { return };
        let (connection, payload, backoff) =
            (self.connection.clone(), waiting.payload.clone(), self.config.backoff);
        let (key, worker, done) = (key.clone(), self.config.name.clone(), self.done.clone());
        let message = message_id::result(&key.run, key.token, waiting.resends);
        self.unsent += 1;
        tokio::spawn(async move {
            if let Some(draft) = draft {
                let finished = tokio::task::spawn_blocking(move || draft.finish()).await;
                let kept = finished.map_err(io::Error::other).flatten();
                let _ = done.send(Done::Kept { key: key.clone(), kept });
            }
            failpoint::pass(Point::AfterSpool);
            let mut pause = backoff.first;
            while let Err(error) =
                connection.put_report(&key.run, &worker, message.clone(), payload.clone()).await
            {
                if matches!(error, NatsError::Closed) {
                    break;
                }
                connection.pause(pause).await;
                pause = (2 * pause).min(backoff.longest);
            }
            failpoint::pass(Point::AfterResult);
            let _ = done.send(Done::Sent);
        });
    }

    /// Applies what a task has done for a result.
    pub(super) fn on_done(&mut self, done: Done) {
        match done {
            Done::Kept { key, kept: Err(error) } => self.not_kept(&key, &error),
            // Its run may have ended meanwhile.
            Done::Kept { key, kept: Ok(()) } if !self.waiting.contains_key(&key) => self.spool.remove(&key),
            Done::Sent => self.unsent = self.unsent.saturating_sub(1),
            // Only a service has claims.
            Done::Kept { .. } | Done::Claimed { .. } => {}
        }
    }

    /// Applies an answer of a coordinator.
    pub(super) async fn on_answer(
        &mut self,
        bytes: &[u8],
        mut service: Option<&mut Service>,
    ) -> Result<(), WorkerError> {
        let Ok(answer) = CoordinatorAnswer::decode(bytes) else { return Ok(()) };
        if answer.taken == Some(self.nonce) {
            let name = &self.config.name;
            return Err(WorkerError::Refused(format!(
                "another worker of this fleet has the name {name}; choose another --name"
            )));
        }
        let key = |token| SpoolKey { run: answer.run.clone(), token };
        for &TokenTuple(token) in answer.counted.iter().chain(&answer.over) {
            if let Some(waiting) = self.waiting.remove(&key(token)) {
                self.spool.forget(&key(token));
                self.settled.note(key(token));
                if let Some(delivery) = waiting.delivery {
                    let _ = delivery.ack().await;
                }
            } else if let Some(service) = service.as_deref_mut().filter(|service| service.run == answer.run) {
                service.over(token).await;
            }
        }
        for &TokenTuple(token) in &answer.stale {
            // Acknowledging the job now would settle the delivery of another worker.
            if self.waiting.remove(&key(token)).is_some() {
                self.spool.forget(&key(token));
            } else if let Some(service) = service.as_deref_mut().filter(|service| service.run == answer.run) {
                service.stale(token);
            }
        }
        for &TokenTuple(token) in &answer.resend {
            if let Some(waiting) = self.waiting.get_mut(&key(token)) {
                waiting.resends += 1;
                self.send(&key(token), None);
            }
        }
        Ok(())
    }

    /// Extends the leases of the jobs whose results wait for an answer.
    pub(super) async fn extend_leases(&self) {
        for delivery in self.waiting.values().filter_map(|waiting| waiting.delivery.as_ref()) {
            let _ = delivery.in_progress().await;
        }
    }

    /// Gives a sign of life to the coordinator of the run in service, and to those that owe an answer.
    pub(super) async fn beat(&self, service: Option<&Service>) {
        let served = service.map(|service| &service.run);
        let mut runs: BTreeSet<Option<&RunId>> = self.waiting.keys().map(|key| Some(&key.run)).collect();
        runs.insert(served);
        for run in runs {
            let here = service.filter(|_| run == served);
            let waiting = self.waiting.keys().filter(|key| Some(&key.run) == run);
            let beat = Heartbeat {
                worker: self.config.name.clone(),
                nonce: self.nonce,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                play: PLAY,
                cpu: self.cpu.clone(),
                target: self.config.engines.target.clone(),
                slots: if here.is_some() || run.is_none() { self.config.slots } else { 0 },
                free: here.map_or(if run.is_none() { self.config.slots } else { 0 }, Service::free),
                run: run.cloned(),
                nps: here.and_then(|service| service.nps),
                scale_ppm: here.and_then(|service| service.scale_ppm),
                playing: here.map(Service::playing).unwrap_or_default(),
                waiting: waiting.take(MOST_LISTED).map(|key| TokenTuple(key.token)).collect(),
                spool_bytes: self.spool.bytes(),
                trouble: self.trouble(),
                boards: here.map(Service::boards).unwrap_or_default(),
            };
            let _ = self.connection.publish(subject::beat(&self.config.name), beat.encode()).await;
        }
    }
}
