//! What runs beside a coordinator: receiving reports and storing the notice of the run.

use std::time::Duration;

use tokio::sync::mpsc::{Sender, UnboundedReceiver};
use tokio::sync::watch;

use super::Input;
use super::offer::{Offer, StartError, fenced};
use crate::fleet::nats::messages::{Message, RunNotice};
use crate::fleet::nats::{
    Incoming, Link, NatsError, Pulled, Puller, RunId, ServerConnection, StreamLimits, Subscription,
    publish_engines, put_bytes,
};

/// Reports that one pull asks for.
const PULL: usize = 500;

/// Passes the messages of a subscription on.
pub(super) async fn listen(
    mut messages: Subscription,
    inbox: Sender<Input>,
    read: fn(Incoming) -> Option<Input>,
) {
    while let Some(message) = messages.next().await {
        if let Some(input) = read(message)
            && inbox.send(input).await.is_err()
        {
            return;
        }
    }
}

pub(super) async fn watch_link(mut link: watch::Receiver<Link>, inbox: Sender<Input>) {
    link.mark_unchanged();
    while link.changed().await.is_ok() {
        let state = link.borrow_and_update().clone();
        if inbox.send(Input::Link(state)).await.is_err() {
            return;
        }
    }
}

/// Receives reports, and makes consumers and streams again if the server has lost them.
pub(super) struct Reception {
    pub(super) connection: ServerConnection,
    pub(super) offer: Offer,
    pub(super) epoch: u64,
    pub(super) inbox: Sender<Input>,
}

impl Reception {
    pub(super) async fn run(self, mut reports: Puller) {
        let expires = self.offer.timing.pull;
        let mut link = self.connection.link();
        let mut asked = 0_usize;
        loop {
            if asked < PULL / 2 && reports.request(PULL, expires).await.is_ok() {
                asked += PULL;
            }
            let pulled = tokio::select! {
                pulled = reports.next() => pulled,
                changed = link.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    // Pulls do not outlive a connection, and a server may have lost everything.
                    let up = *link.borrow_and_update() == Link::Up;
                    match up {
                        true => self.look().await,
                        false => continue,
                    }
                }
                () = tokio::time::sleep(expires + Duration::from_secs(1)) => self.look().await,
            };
            match pulled {
                Some(Pulled::Message(delivery)) => {
                    asked = asked.saturating_sub(1);
                    if self.inbox.send(Input::WorkerReport(Box::new(delivery))).await.is_err() {
                        return;
                    }
                }
                Some(Pulled::Ended(missing)) => asked = asked.saturating_sub(missing.unwrap_or(asked)),
                Some(Pulled::Missing) => {
                    let Some(again) = self.open().await else { return };
                    reports = again;
                    asked = 0;
                    if self.inbox.send(Input::Remade).await.is_err() {
                        return;
                    }
                }
                None => return,
            }
        }
    }

    /// Looks whether the consumer of the reports exists: a pull of one that is gone has no answer. Otherwise all pulls count
    /// as ended.
    async fn look(&self) -> Option<Pulled> {
        loop {
            match self.connection.has_results(&self.offer.run).await {
                Ok(()) => return Some(Pulled::Ended(None)),
                Err(NatsError::Missing) => return Some(Pulled::Missing),
                Err(_) => self.connection.pause(self.offer.backoff.first).await,
            }
        }
    }

    /// Makes streams and consumers as often as it takes. Returns `None` if the run has another coordinator, or none.
    async fn open(&self) -> Option<Puller> {
        let mut pause = self.offer.backoff.first;
        loop {
            match self.try_open().await {
                Ok(Some(reports)) => return Some(reports),
                Ok(None) => {
                    let _ = self.inbox.send(Input::Failed(fenced())).await;
                    return None;
                }
                Err(error) => {
                    self.inbox.send(Input::Warning(error.to_string())).await.ok()?;
                }
            }
            self.connection.pause(pause).await;
            pause = (2 * pause).min(self.offer.backoff.longest);
        }
    }

    async fn try_open(&self) -> Result<Option<Puller>, StartError> {
        let (connection, run) = (&self.connection, &self.offer.run);
        connection.prepare(&StreamLimits::default()).await?;
        // Workers that come later need the files, too.
        publish_engines(connection, &self.offer.engines).await?;
        put_bytes(connection, self.offer.description.clone()).await?;
        if let Some((_, bytes)) = connection.notice(run).await?
            && RunNotice::decode(&bytes).is_ok_and(|notice| notice.epoch != self.epoch)
        {
            return Ok(None);
        }
        connection.open_jobs(run, self.offer.timing.lease).await?;
        Ok(Some(connection.open_results(run, self.offer.timing.lease / 2).await?))
    }
}

/// Stores the notice of a run, unless another coordinator has.
pub(super) struct CardTask {
    pub(super) connection: ServerConnection,
    pub(super) run: RunId,
    pub(super) epoch: u64,
    pub(super) sequence: u64,
    pub(super) inbox: Sender<Input>,
}

impl CardTask {
    pub(super) async fn run(mut self, mut notices: UnboundedReceiver<RunNotice>) {
        while let Some(mut notice) = notices.recv().await {
            while let Ok(newer) = notices.try_recv() {
                notice = newer;
            }
            notice.epoch = self.epoch;
            match self.store(&notice.encode()).await {
                Ok(Some(sequence)) => self.sequence = sequence,
                Ok(None) => return drop(self.inbox.send(Input::Failed(fenced())).await),
                // The next notice comes soon.
                Err(_) => {}
            }
        }
    }

    async fn store(&self, bytes: &[u8]) -> Result<Option<u64>, NatsError> {
        match self.connection.put_notice(&self.run, bytes.to_vec(), self.sequence).await {
            Err(NatsError::Conflict) => {}
            other => return other.map(Some),
        }
        // Either the server has lost the notice, or an answer was lost, or there is another coordinator.
        let expected = match self.connection.notice(&self.run).await? {
            None => 0,
            Some((sequence, bytes)) => match RunNotice::decode(&bytes) {
                Ok(notice) if notice.epoch != self.epoch => return Ok(None),
                _ => sequence,
            },
        };
        match self.connection.put_notice(&self.run, bytes.to_vec(), expected).await {
            Err(NatsError::Conflict) => Ok(None),
            other => other.map(Some),
        }
    }
}
