//! What runs beside a coordinator: receiving reports and storing the notice of the run.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Sender, UnboundedReceiver};
use tokio::sync::watch;

use super::Input;
use super::offer::{Offer, StartError, fenced};
use crate::fleet::nats::messages::{Message, RunNotice};
use crate::fleet::nats::{
    Incoming, Link, NatsError, Pulled, Puller, RunId, ServerConnection, StreamLimits, Subscription,
    publish_engines, put_bytes,
};

/// Reports that one question for what is there asks for.
const FETCH: usize = 500;

/// Reports that a question that waits at the server asks for.
const STANDING: usize = 50;

/// Time between two questions for what is there.
const PAUSE: Duration = Duration::from_millis(150);

/// Reports within that time that are many.
const MANY: usize = 5;

/// How reports are asked for.
///
/// A question that waits at the server has them passed on one by one, and most of what that costs is waking up. Where many arrive,
/// they are therefore fetched several times a second: no slot waits for it, for an answer only ends what a worker keeps of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    /// A question waits at the server; when the last one was asked.
    Waiting(Instant),
    /// What is there is fetched; when, and how many came the last time.
    Fetching { at: Instant, came: usize },
}

impl Asking {
    /// Returns how to go on when the last question is answered.
    fn after(self, now: Instant) -> Self {
        match self {
            Self::Waiting(asked) if now < asked + (STANDING / MANY) as u32 * PAUSE => {
                Self::Fetching { at: now + PAUSE, came: 0 }
            }
            // There may be more than one answer contains.
            Self::Fetching { came: FETCH.., .. } => Self::Fetching { at: now, came: 0 },
            Self::Fetching { at, came: MANY.. } => Self::Fetching { at: (at + PAUSE).max(now), came: 0 },
            Self::Waiting(_) | Self::Fetching { .. } => Self::Waiting(now),
        }
    }
}

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
        // Reports that the latest question still brings.
        let mut asked = 0_usize;
        let mut asking = Asking::Waiting(Instant::now());
        loop {
            let now = Instant::now();
            let pause = match &mut asking {
                _ if asked > 0 => None,
                Asking::Fetching { at, .. } if now < *at => Some(*at),
                Asking::Fetching { came, .. } => {
                    if reports.request_now(FETCH).await.is_ok() {
                        (asked, *came) = (FETCH, 0);
                    }
                    None
                }
                Asking::Waiting(since) => {
                    if reports.request(STANDING, expires).await.is_ok() {
                        (asked, *since) = (STANDING, now);
                    }
                    None
                }
            };
            let pulled = tokio::select! {
                pulled = reports.next() => pulled,
                () = tokio::time::sleep_until(pause.unwrap_or(now).into()), if pause.is_some() => continue,
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
                    if let Asking::Fetching { came, .. } = &mut asking {
                        *came += 1;
                    }
                    if self.inbox.send(Input::WorkerReport(Box::new(delivery))).await.is_err() {
                        return;
                    }
                }
                Some(Pulled::Ended(missing)) => asked = asked.saturating_sub(missing.unwrap_or(asked)),
                Some(Pulled::Missing) => {
                    let Some(again) = self.open().await else { return };
                    reports = again;
                    (asked, asking) = (0, Asking::Waiting(Instant::now()));
                    if self.inbox.send(Input::Remade).await.is_err() {
                        return;
                    }
                }
                None => return,
            }
            if asked == 0 {
                asking = asking.after(Instant::now());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_fetched_while_many_arrive() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let waiting = Asking::Waiting(begin);
        assert_eq!(waiting.after(at(2_000)), Asking::Waiting(at(2_000)), "50 reports in two seconds are few");
        let fetching = waiting.after(at(1_000));
        assert_eq!(fetching, Asking::Fetching { at: at(1_150), came: 0 });
        let came = |came| Asking::Fetching { at: at(1_150), came };
        assert_eq!(came(MANY).after(at(1_160)), Asking::Fetching { at: at(1_300), came: 0 });
        assert_eq!(came(FETCH).after(at(1_160)), Asking::Fetching { at: at(1_160), came: 0 });
        assert_eq!(came(MANY - 1).after(at(1_160)), Asking::Waiting(at(1_160)));
    }
}
