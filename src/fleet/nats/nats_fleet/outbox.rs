//! What a coordinator sends: gathered for a moment, so that the server wakes up once for all of it.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc::{Sender, UnboundedReceiver};

use super::Input;
use crate::fleet::nats::messages::{CoordinatorAnswer, Message};
use crate::fleet::nats::{Backoff, Delivery, ServerConnection, WorkerName, subject};
use crate::game::PairId;

/// Time in which messages are gathered. No slot waits for them: workers have jobs in store, and an answer only ends what a worker
/// keeps of a pair.
const GATHER: Duration = Duration::from_millis(200);

/// What is sent without waiting for an answer.
pub(super) enum Output {
    /// Acknowledges a report.
    Acknowledge(Box<Delivery>),
    /// Answers a worker.
    Answer(WorkerName, CoordinatorAnswer),
    /// Stores a job.
    Store(StoredJob),
    /// Deletes the job with this subject.
    Delete(String),
    /// Anything else.
    Send(String, Vec<u8>),
}

/// A job on its way to the server.
pub(super) struct StoredJob {
    pub(super) id: PairId,
    pub(super) subject: String,
    /// By which the server recognises a repetition.
    pub(super) message: Option<String>,
    pub(super) payload: Vec<u8>,
}

/// What is sent together.
#[derive(Default)]
struct Bundle {
    acknowledged: Vec<Delivery>,
    answers: BTreeMap<WorkerName, CoordinatorAnswer>,
    /// By subject.
    jobs: BTreeMap<String, StoredJob>,
    deleted: Vec<String>,
    others: Vec<(String, Vec<u8>)>,
}

impl Bundle {
    fn add(&mut self, output: Output) {
        match output {
            Output::Acknowledge(delivery) => self.acknowledged.push(*delivery),
            Output::Answer(worker, answer) => match self.answers.get_mut(&worker) {
                Some(earlier) => earlier.append(answer),
                None => drop(self.answers.insert(worker, answer)),
            },
            Output::Store(job) => drop(self.jobs.insert(job.subject.clone(), job)),
            // One that was not sent yet need not be.
            Output::Delete(subject) => match self.jobs.remove(&subject) {
                Some(_) => {}
                None => self.deleted.push(subject),
            },
            Output::Send(subject, payload) => self.others.push((subject, payload)),
        }
    }
}

/// Sends what the coordinator has for the server.
#[derive(Clone)]
pub(super) struct Postman {
    pub(super) connection: ServerConnection,
    pub(super) backoff: Backoff,
    /// Where it reports whether jobs are stored.
    pub(super) inbox: Sender<Input>,
}

impl Postman {
    /// Sends everything that arrives, in bundles, until there is no sender any more.
    pub(super) async fn run(self, mut outgoing: UnboundedReceiver<Output>) {
        while let Some(first) = outgoing.recv().await {
            // Nothing is worth waiting for once the sender is gone.
            if !outgoing.is_closed() {
                tokio::time::sleep(GATHER).await;
            }
            let mut bundle = Bundle::default();
            bundle.add(first);
            while let Ok(output) = outgoing.try_recv() {
                bundle.add(output);
            }
            self.send(bundle).await;
        }
    }

    /// Sends a bundle. What is lost is asked for again.
    async fn send(&self, bundle: Bundle) {
        let Bundle { acknowledged, answers, jobs, deleted, others } = bundle;
        for delivery in acknowledged {
            let _ = delivery.ack().await;
        }
        let answers = answers.into_iter().map(|(worker, answer)| (subject::answer(&worker), answer.encode()));
        for (subject, payload) in answers.chain(others) {
            let _ = self.connection.publish(subject, payload).await;
        }
        jobs.into_values().for_each(|job| self.store(job));
        deleted.into_iter().for_each(|subject| self.delete(subject));
    }

    fn delete(&self, subject: String) {
        let connection = self.connection.clone();
        tokio::spawn(async move {
            // What stays is deleted after the next comparison.
            if let Ok(Some(sequence)) = connection.job_sequence(&subject).await {
                let _ = connection.delete_job(sequence).await;
            }
        });
    }

    /// Stores a job, as often as it takes.
    pub(super) fn store(&self, job: StoredJob) {
        let Self { connection, backoff, inbox } = self.clone();
        let StoredJob { id, subject, message, payload } = job;
        tokio::spawn(async move {
            let mut pause = backoff.first;
            loop {
                match connection.put_job(subject.clone(), message.clone(), payload.clone()).await {
                    Ok(_) => return drop(inbox.send(Input::Stored(id)).await),
                    Err(error) => {
                        let text = format!("jobs are not stored: {error}");
                        if inbox.send(Input::NotStored(text)).await.is_err() {
                            return;
                        }
                    }
                }
                connection.pause(pause).await;
                pause = (2 * pause).min(backoff.longest);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::nats::RunId;
    use crate::fleet::nats::messages::{Token, TokenTuple};

    fn job(index: u64) -> Output {
        let id = PairId::both(index, 0);
        Output::Store(StoredJob { id, subject: index.to_string(), message: None, payload: Vec::new() })
    }

    #[test]
    fn a_job_that_is_deleted_before_it_was_sent_is_not_sent() {
        let mut bundle = Bundle::default();
        [job(1), job(2), Output::Delete("1".to_owned()), Output::Delete("3".to_owned())]
            .into_iter()
            .for_each(|output| bundle.add(output));
        assert_eq!(bundle.jobs.keys().collect::<Vec<_>>(), ["2"]);
        assert_eq!(bundle.deleted, ["3"]);
    }

    #[test]
    fn answers_to_one_worker_are_one_message() {
        let run = RunId::random().unwrap();
        let [oak, elm] = ["oak", "elm"].map(|name| WorkerName::try_from(name.to_owned()).unwrap());
        let token = |pair| TokenTuple(Token { pair, attempt: 0, delivery: 1 });
        let counted =
            |pair| CoordinatorAnswer { counted: vec![token(pair)], ..CoordinatorAnswer::new(run.clone()) };
        let stale = CoordinatorAnswer {
            stale: vec![token(7)],
            taken: Some(5),
            ..CoordinatorAnswer::new(run.clone())
        };
        let mut bundle = Bundle::default();
        for (worker, answer) in [(&oak, counted(1)), (&elm, counted(2)), (&oak, stale), (&oak, counted(3))] {
            bundle.add(Output::Answer(worker.clone(), answer));
        }
        let expected = CoordinatorAnswer {
            counted: vec![token(1), token(3)],
            stale: vec![token(7)],
            taken: Some(5),
            ..CoordinatorAnswer::new(run.clone())
        };
        assert_eq!(bundle.answers, BTreeMap::from([(oak, expected), (elm, counted(2))]));
    }
}
