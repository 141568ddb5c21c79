//! What a worker sends: gathered for a moment, so that the server wakes up once for all of it.
//!
//! A slot that ends a pair begins another at once. The claim of the new pair travels with the result of the old one, and the
//! acknowledgement of an earlier job with either or with the next question for jobs.

use std::mem::take;
use std::time::{Duration, Instant};

use super::Worker;
use crate::fleet::nats::messages::{AlsoBegun, Message, Token, TokenTuple, WorkerReport, message_id};
use crate::fleet::nats::spool::SpoolKey;
use crate::fleet::nats::{Delivery, RunId};

/// Time that a claim or a durable result waits for the other.
const GATHER: Duration = Duration::from_millis(50);

/// Time that a claim waits at the most for a result that is on its way to the disk.
const SLOW_DISK: Duration = Duration::from_millis(500);

/// Time that the acknowledgement of a job waits at the most for something that is sent anyway.
const ACKNOWLEDGE: Duration = Duration::from_millis(500);

/// A pair that this worker has begun.
#[derive(Clone, Debug)]
pub(in crate::fleet::nats) struct BegunPair {
    pub(in crate::fleet::nats) run: RunId,
    pub(in crate::fleet::nats) token: Token,
    /// Factor of its time control, in millionths.
    pub(in crate::fleet::nats) scale_ppm: Option<u32>,
}

/// Things that wait, and since when.
#[derive(Debug)]
struct Gathered<T> {
    items: Vec<T>,
    since: Instant,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Self { items: Vec::new(), since: Instant::now() }
    }
}

impl<T> Gathered<T> {
    fn push(&mut self, item: T) {
        if self.items.is_empty() {
            self.since = Instant::now();
        }
        self.items.push(item);
    }

    /// Returns when they have waited for `time`, if there are any.
    fn due(&self, time: Duration) -> Option<Instant> {
        (!self.items.is_empty()).then(|| self.since + time)
    }
}

/// What a worker has for the server.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    begun: Gathered<BegunPair>,
    durable: Gathered<SpoolKey>,
    /// Jobs whose pairs are on record.
    settled: Gathered<Delivery>,
    /// Results on their way to the disk.
    pub(super) drafts: usize,
}

impl Outbox {
    /// Adds a result that may be sent.
    pub(super) fn add_result(&mut self, key: SpoolKey) {
        self.durable.push(key);
    }

    /// Adds a job that is settled.
    pub(super) fn add_settled(&mut self, delivery: Delivery) {
        self.settled.push(delivery);
    }

    /// Returns when the claims are to be sent.
    fn claims_due(&self) -> Option<Instant> {
        self.begun.due(if self.drafts > 0 { SLOW_DISK } else { GATHER })
    }

    /// Returns when the results are to be sent.
    fn results_due(&self) -> Option<Instant> {
        self.durable.due(if self.begun.items.is_empty() { GATHER } else { Duration::ZERO })
    }

    /// Returns when something is to be sent.
    pub(super) fn due(&self) -> Option<Instant> {
        let all = [self.claims_due(), self.results_due(), self.settled.due(ACKNOWLEDGE)];
        all.into_iter().flatten().min()
    }

    /// Takes the claims of a run, or of the run of the first one, as many as fit in one report.
    fn take_begun(&mut self, run: Option<&RunId>) -> Option<(RunId, AlsoBegun)> {
        let run = run.or(self.begun.items.first().map(|pair| &pair.run))?.clone();
        let (mut taken, mut left) = (AlsoBegun::default(), Vec::new());
        for pair in take(&mut self.begun.items) {
            if pair.run == run && taken.tokens.len() < AlsoBegun::MOST {
                taken.tokens.push(TokenTuple(pair.token));
                taken.scale_ppm = pair.scale_ppm;
            } else {
                left.push(pair);
            }
        }
        self.begun.items = left;
        (!taken.tokens.is_empty()).then_some((run, taken))
    }
}

impl Worker {
    /// Notes that it plays a pair, to be reported soon.
    pub(in crate::fleet::nats) fn begin(&mut self, pair: BegunPair) {
        self.outbox.begun.push(pair);
    }

    /// Sends what is due.
    pub(super) async fn send_due(&mut self) {
        let now = Instant::now();
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
        let mut sends = is_due(self.outbox.settled.due(ACKNOWLEDGE));
        if is_due(self.outbox.results_due()) {
            for key in take(&mut self.outbox.durable.items) {
                let also = self.outbox.take_begun(Some(&key.run)).map(|(_, also)| also);
                self.send(&key, also);
            }
            sends = true;
        }
        if is_due(self.outbox.claims_due()) {
            while let Some((run, also)) = self.outbox.take_begun(None) {
                self.send_claims(run, also);
            }
            sends = true;
        }
        if sends {
            self.acknowledge_settled().await;
        }
    }

    /// Acknowledges the jobs whose pairs are on record; returns whether there were any.
    pub(super) async fn acknowledge_settled(&mut self) -> bool {
        let mut any = false;
        for delivery in take(&mut self.outbox.settled.items) {
            // A job that stays is delivered again, and acknowledged then.
            any |= delivery.ack().await.is_ok();
        }
        any
    }

    /// Reports pairs that it has begun. What is lost is in the next sign of life.
    pub(super) fn send_claims(&self, run: RunId, mut also: AlsoBegun) {
        let TokenTuple(token) = also.tokens.remove(0);
        let (connection, worker) = (self.connection.clone(), self.config.name.clone());
        let message = message_id::claim(&run, token);
        let claim = WorkerReport::Claim { worker: worker.clone(), token, scale_ppm: also.scale_ppm }.encode();
        let report =
            if also.tokens.is_empty() { claim } else { also.add_to(claim).unwrap_or_else(|claim| claim) };
        tokio::spawn(async move { connection.put_report(&run, &worker, message, report).await });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(run: &RunId, pair: u64) -> BegunPair {
        BegunPair { run: run.clone(), token: Token { pair, attempt: 0, delivery: 1 }, scale_ppm: None }
    }

    #[test]
    fn claims_wait_for_a_result_on_its_way_to_the_disk_and_go_with_it() {
        let (run, mut outbox) = (RunId::random().unwrap(), Outbox::default());
        assert_eq!(outbox.due(), None);
        outbox.begun.push(begun(&run, 7));
        let since = outbox.begun.since;
        assert_eq!(outbox.due(), Some(since + GATHER));
        outbox.drafts = 1;
        assert_eq!(outbox.due(), Some(since + SLOW_DISK));
        outbox.drafts = 0;
        outbox.add_result(SpoolKey { run: run.clone(), token: begun(&run, 6).token });
        assert_eq!(outbox.results_due(), Some(outbox.durable.since), "there is a claim to go with it");
        assert_eq!(outbox.take_begun(Some(&run)).unwrap().1.tokens, [TokenTuple(begun(&run, 7).token)]);
        assert_eq!(outbox.results_due(), Some(outbox.durable.since + GATHER));
    }

    #[test]
    fn claims_of_different_runs_are_different_reports() {
        let runs = [RunId::random().unwrap(), RunId::random().unwrap()];
        let mut outbox = Outbox::default();
        for (number, pair) in [(0, 1), (1, 2), (0, 3)] {
            outbox.begun.push(begun(&runs[number], pair));
        }
        let mut taken = |run: Option<&RunId>| {
            let (run, also) = outbox.take_begun(run)?;
            Some((run, also.tokens.iter().map(|TokenTuple(token)| token.pair).collect::<Vec<_>>()))
        };
        assert_eq!(taken(Some(&runs[1])), Some((runs[1].clone(), vec![2])));
        assert_eq!(taken(Some(&runs[1])), None);
        assert_eq!(taken(None), Some((runs[0].clone(), vec![1, 3])));
        assert_eq!(taken(None), None);
    }
}
