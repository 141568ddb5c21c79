//! Times of a fleet, as settings, so that tests of faults take seconds.

use std::time::Duration;

/// Times of the protocol between coordinator and workers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Timing {
    /// Time after which a job that no worker extends is delivered again.
    pub lease: Duration,
    /// Time between two signs of life of a worker.
    pub beat: Duration,
    /// Time between two comparisons of the stored jobs with the pairs in flight.
    pub reconcile: Duration,
    /// Time between two renewals of the notice of a run.
    pub notice: Duration,
    /// Time that a pull waits at the server.
    pub pull: Duration,
    /// Time without a job after which a worker looks at the other runs.
    pub idle: Duration,
    /// Time after which a worker may serve another run of the same priority.
    pub turn: Duration,
    /// Time that a coordinator waits for a server at the start.
    pub connect_timeout: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(60),
            beat: Duration::from_secs(10),
            reconcile: Duration::from_secs(30),
            notice: Duration::from_secs(10),
            pull: Duration::from_secs(30),
            idle: Duration::from_secs(10),
            turn: Duration::from_secs(300),
            connect_timeout: Duration::from_secs(60),
        }
    }
}

/// Times of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Backoff {
    /// Pause after the first failure; every further one is twice as long.
    pub first: Duration,
    /// Longest pause.
    pub longest: Duration,
    /// A connection that was lost is made again after a random time below this.
    pub reconnect_jitter: Duration,
    /// Time in which the server must answer a request.
    pub request_timeout: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(300),
            reconnect_jitter: Duration::from_secs(5),
            request_timeout: Duration::from_secs(5),
        }
    }
}
