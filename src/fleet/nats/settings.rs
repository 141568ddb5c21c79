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

/// Returns the number of signs of life after which a worker extends its leases: three times before they end.
pub fn beats_per_extension(lease: Duration, beat: Duration) -> u32 {
    let beats = lease.as_secs_f64() / 3.0 / beat.as_secs_f64().max(0.001);
    (beats.round() as u32).max(1)
}

/// How a worker that has a free slot asks for jobs.
///
/// The server looks at every question that waits there whenever a job or a question arrives. That is cheap for a hundred
/// workers and not for ten thousand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Asking {
    /// The question waits at the server until there is a job.
    Waiting,
    /// The question is answered soon. If there is no job, the worker asks again after about this time, and is answered at once.
    Polling(Duration),
}

impl Asking {
    /// Slots of a fleet up to which questions wait.
    const MOST_WAITING: u64 = 1_600;

    /// Questions that a fleet without jobs asks in a second, for slots that ask one by one.
    const POLLS_PER_SECOND: f64 = 16_000.0;

    /// Time that the first of several questions waits where many ask: a question that must be answered at once costs the
    /// server more as long as there are jobs.
    pub const FIRST_WAITS: Duration = Duration::from_millis(100);

    /// Longest pause.
    const LONGEST: Duration = Duration::from_secs(5);

    /// Returns how workers ask in a fleet with this number of slots; `random`, below 1, spreads them.
    pub fn in_fleet_of(slots: u64, random: f64) -> Self {
        if slots <= Self::MOST_WAITING {
            return Self::Waiting;
        }
        let pause = Duration::from_secs_f64(slots as f64 / Self::POLLS_PER_SECOND).min(Self::LONGEST);
        Self::Polling(pause.mul_f64(0.5 + random))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_are_extended_three_times_before_they_end() {
        let beats = |lease_ms, beat_ms| {
            beats_per_extension(Duration::from_millis(lease_ms), Duration::from_millis(beat_ms))
        };
        assert_eq!((beats(60_000, 10_000), beats(1_200, 300), beats(10, 10_000)), (2, 1, 1));
    }

    #[test]
    fn questions_wait_in_a_small_fleet_and_are_repeated_in_a_large_one() {
        let pause = |slots, random| match Asking::in_fleet_of(slots, random) {
            Asking::Waiting => None,
            Asking::Polling(pause) => Some(pause.as_millis()),
        };
        assert_eq!((pause(0, 0.5), pause(1_600, 0.5)), (None, None));
        assert_eq!((pause(16_000, 0.0), pause(16_000, 0.5)), (Some(500), Some(1_000)));
        assert_eq!((pause(80_000, 0.5), pause(10_000_000, 0.5)), (Some(5_000), Some(5_000)));
    }
}
