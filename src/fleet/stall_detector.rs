//! Detection of delays, stops and suspensions of the host. Independent of game results.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

use crate::failpoint::{self, Point};
use crate::game::GameHost;
use crate::player::{BlockingReader, Serving};

/// Interval at which a thread checks whether it runs on time.
const TICK: Duration = Duration::from_millis(20);
/// Normal lateness of a timer, including a blocking read of the game's own thread.
const TIMER_TOLERANCE: Duration = Duration::from_millis(2).saturating_add(BlockingReader::TICK);
/// A delay of this length is not caused by a busy processor: the machine or the process was suspended.
const SUSPENDED: Duration = Duration::from_secs(1);
/// A shorter stop takes no more from a clock than a busy processor does.
const SHORTEST_STOP: Duration = Duration::from_millis(50);
/// Time that the detection of a stop may take to reach every thread. On a busy machine a thread that may run again
/// waits for its turn.
const NOTICE_DELAY: Duration = Duration::from_millis(200);
/// Difference between the two clocks that may occur without a suspension.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(100);

/// Suspensions of the whole process, shared by all threads.
#[derive(Debug, Default)]
pub(super) struct Suspensions {
    count: AtomicU64,
    last_gap_ms: AtomicU64,
}

impl Suspensions {
    /// Returns the number of suspensions.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Returns the minimum duration of the last suspension.
    pub(super) fn last_gap_ms(&self) -> u64 {
        self.last_gap_ms.load(Ordering::Acquire)
    }

    /// Waits until there are more suspensions than `before`, for no longer than it can take to record one.
    pub(super) async fn wait_for_change(&self, before: u64) {
        let changed = async {
            while self.count() == before {
                sleep(TICK).await;
            }
        };
        // Nothing recorded in time: there was none.
        let _ = timeout(NOTICE_DELAY, changed).await;
    }

    fn record(&self, gap: Duration) {
        self.last_gap_ms.store(gap.as_millis() as u64, Ordering::Release);
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// Records every SIGCONT that ends a stop, during which engines kept running. The signal may also be sent to a
    /// process that was never stopped; that does not affect a game.
    pub(super) async fn watch_sigcont(&self, probe: &DelayProbe) {
        let Ok(mut continued) = signal(SignalKind::from_raw(nix::libc::SIGCONT)) else { return };
        while continued.recv().await.is_some() {
            // A stop ends with the signal, so the delay that it caused is still in progress or has just been
            // recorded.
            let gap = probe.longest_delay_within(NOTICE_DELAY);
            if gap >= SHORTEST_STOP {
                self.record(gap);
            }
        }
    }
}

/// Delays of one thread.
#[derive(Debug)]
pub(super) struct DelayProbe {
    state: RefCell<ProbeState>,
    /// Without a reader, engines are waited for through the runtime.
    reader: Option<BlockingReader>,
}

#[derive(Debug)]
struct ProbeState {
    ticked: Instant,
    late: VecDeque<(Instant, Duration)>,
}

impl ProbeState {
    /// Returns how late the next tick is at that time.
    fn overdue(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.ticked + TICK + TIMER_TOLERANCE)
    }
}

impl DelayProbe {
    const KEEP: usize = 256;

    pub(super) fn new() -> Self {
        Self { reader: BlockingReader::start().ok(), ..Self::without_reader() }
    }

    fn without_reader() -> Self {
        let state = RefCell::new(ProbeState { ticked: Instant::now(), late: VecDeque::new() });
        Self { state, reader: None }
    }

    /// Sets what the thread serves from now on.
    pub(super) fn serve(&self, serving: Serving) {
        if let Some(reader) = &self.reader {
            reader.serve(serving);
        }
    }

    /// Measures delays until it is dropped.
    pub(super) async fn run(&self, suspensions: &Suspensions) {
        self.run_with(suspensions, suspended_time).await;
    }

    /// Measures delays until it is dropped. `suspended_time` returns for how long the machine has been suspended
    /// since boot.
    async fn run_with(&self, suspensions: &Suspensions, mut suspended_time: impl FnMut() -> Duration) {
        let mut asleep = suspended_time();
        loop {
            let before = Instant::now();
            sleep(TICK).await;
            let late = before.elapsed().saturating_sub(TICK);
            let mut state = self.state.borrow_mut();
            state.ticked = Instant::now();
            if late > TIMER_TOLERANCE {
                let now = state.ticked;
                state.late.push_back((now, late));
                let excess = state.late.len().saturating_sub(Self::KEEP);
                state.late.drain(..excess);
            }
            drop(state);
            let slept = suspended_time();
            let suspended = slept.saturating_sub(std::mem::replace(&mut asleep, slept));
            if late >= SUSPENDED || suspended >= CLOCK_TOLERANCE {
                suspensions.record(late.max(suspended));
            }
        }
    }

    /// Returns whether this thread was recently delayed for as long as a manual stop and continue takes: the thread
    /// that watches for SIGCONT may not have recorded it yet.
    pub(super) fn was_recently_delayed(&self) -> bool {
        self.was_recently_delayed_by(SHORTEST_STOP)
    }

    fn was_recently_delayed_by(&self, least: Duration) -> bool {
        self.longest_delay_within(NOTICE_DELAY) >= least
    }

    /// Returns the longest delay that ended within `time`, or has not ended yet.
    fn longest_delay_within(&self, time: Duration) -> Duration {
        let recent = Instant::now().checked_sub(time).unwrap_or_else(Instant::now);
        self.longest_delay_since(recent)
    }
}

impl GameHost for DelayProbe {
    fn reader(&self) -> Option<&BlockingReader> {
        self.reader.as_ref()
    }

    fn longest_delay_since(&self, since: Instant) -> Duration {
        let state = self.state.borrow();
        let recorded = state.late.iter().filter(|(at, _)| *at >= since).map(|&(_, late)| late).max();
        recorded.unwrap_or_default().max(state.overdue(Instant::now()))
    }

    fn delay_before(&self, read_at: Instant) -> Duration {
        let state = self.state.borrow();
        // A delay of the probe is a delay of the games on its thread, whichever of them runs first.
        let recorded =
            state.late.back().filter(|(at, _)| read_at.saturating_duration_since(*at) <= TIMER_TOLERANCE);
        recorded.map_or(Duration::ZERO, |&(_, late)| late).max(state.overdue(read_at))
    }
}

/// Waits for `work` and returns its result, together with whether the machine or this process stood still meanwhile.
pub async fn noticing_standstill<T>(work: impl Future<Output = T>) -> (T, bool) {
    let (probe, suspensions) = (DelayProbe::without_reader(), Suspensions::default());
    let done = tokio::select! {
        done = work => done,
        () = probe.run_with(&suspensions, clock_difference) => unreachable!("it measures until it is dropped"),
    };
    let stood_still = suspensions.count() > 0 || probe.was_recently_delayed_by(SUSPENDED);
    (done, stood_still)
}

/// Returns for how long the machine has been suspended since boot, with what a test adds to it.
fn suspended_time() -> Duration {
    let simulated =
        if failpoint::triggers(Point::HostSleeps) { Duration::from_secs(5) } else { Duration::ZERO };
    clock_difference() + simulated
}

/// Returns for how long the machine has been suspended since boot.
fn clock_difference() -> Duration {
    let read = |clock| clock_gettime(clock).map(Duration::from).unwrap_or_default();
    let awake = read(ClockId::CLOCK_MONOTONIC);
    read(ClockId::CLOCK_BOOTTIME).saturating_sub(awake)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn output_read_after_a_delay_may_be_as_old_as_the_delay_and_no_older() {
        let probe = DelayProbe::new();
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        assert_eq!(probe.delay_before(at(15)), Duration::ZERO, "the next tick is not due yet");
        let overdue = Duration::from_millis(122) - TICK - TIMER_TOLERANCE;
        assert_eq!(probe.delay_before(at(122)), overdue, "read before the tick is recorded");
        probe.state.borrow_mut().late.push_back((at(122), Duration::from_millis(102)));
        probe.state.borrow_mut().ticked = at(122);
        assert_eq!(probe.delay_before(at(123)), Duration::from_millis(102), "read right after the tick");
        assert_eq!(
            probe.delay_before(at(140)),
            Duration::ZERO,
            "a delay that was over when the output was written"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn row_58_a_stop_that_is_recorded_late_is_waited_for() {
        let suspensions = Suspensions::default();
        let start = Instant::now();
        let record = async {
            sleep(NOTICE_DELAY - TICK).await;
            suspensions.record(Duration::from_millis(700));
        };
        tokio::join!(suspensions.wait_for_change(0), record);
        assert_eq!((suspensions.count(), start.elapsed()), (1, NOTICE_DELAY - TICK));
        suspensions.wait_for_change(1).await;
        assert_eq!(start.elapsed(), 2 * NOTICE_DELAY - TICK, "without a stop the wait has an end");
    }

    #[tokio::test(start_paused = true)]
    async fn row_59_a_suspended_machine_is_noticed_by_its_two_clocks() {
        let (probe, suspensions, slept) =
            (DelayProbe::new(), Suspensions::default(), Cell::new(Duration::ZERO));
        let watch = probe.run_with(&suspensions, || slept.get());
        let story = async {
            sleep(5 * TICK).await;
            assert_eq!(suspensions.count(), 0, "a machine that is awake");
            slept.set(CLOCK_TOLERANCE / 2);
            sleep(5 * TICK).await;
            assert_eq!(suspensions.count(), 0, "two clocks read one after the other differ a little");
            slept.set(Duration::from_secs(3600));
            sleep(5 * TICK).await;
            assert_eq!(suspensions.count(), 1, "one suspension is recorded once");
            assert!(suspensions.last_gap_ms() >= 3_599_000);
        };
        tokio::select! {
            () = watch => {}
            () = story => {}
        }
    }
}
