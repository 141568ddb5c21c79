//! What the host did to us: delays, stops, suspends. Never looks at a result.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep};

use crate::failpoint::{self, Point};
use crate::game::GameHost;
use crate::player::{BlockingReader, Serving};

/// How often a thread looks whether it still runs on time.
const TICK: Duration = Duration::from_millis(20);
/// What a timer may be late by nature, a game's wait for its engine on the spot included.
const TIMER_TOLERANCE: Duration = Duration::from_millis(2).saturating_add(BlockingReader::TICK);
/// A thread that slept this much too long was not merely waiting for a busy processor: the machine stood still.
const SUSPENDED: Duration = Duration::from_secs(1);
/// A shorter stop than this takes no more from a clock than a busy processor does.
const SHORTEST_STOP: Duration = Duration::from_millis(50);
/// How long after a stop the news of it may take to reach every thread.
const NOTICE_DELAY: Duration = Duration::from_millis(200);
/// What the two clocks may differ by without the machine having been asleep.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(100);

/// Times when the whole process stood still, as all threads see them.
#[derive(Debug, Default)]
pub(super) struct Suspensions {
    count: AtomicU64,
    last_gap_ms: AtomicU64,
}

impl Suspensions {
    /// How many there have been.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// How long the last one was, at least.
    pub(super) fn last_gap_ms(&self) -> u64 {
        self.last_gap_ms.load(Ordering::Acquire)
    }

    fn note(&self, gap: Duration) {
        self.last_gap_ms.store(gap.as_millis() as u64, Ordering::Release);
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes every SIGCONT that ends a stop: somebody had held us up, and engines played on against nobody. Some send
    /// the signal to those who were never stopped, and that does nothing to a game.
    pub(super) async fn watch_sigcont(&self, probe: &DelayProbe) {
        let Ok(mut continued) = signal(SignalKind::from_raw(nix::libc::SIGCONT)) else { return };
        while continued.recv().await.is_some() {
            // A stop ends with the signal, so the delay it made is under way or has just been noted.
            let gap = probe.longest_delay_within(TICK);
            if gap >= SHORTEST_STOP {
                self.note(gap);
            }
        }
    }
}

/// One thread's record of its own lateness.
#[derive(Debug)]
pub(super) struct DelayProbe {
    state: RefCell<ProbeState>,
    /// Without one, engines are waited for like all else.
    reader: Option<BlockingReader>,
}

#[derive(Debug)]
struct ProbeState {
    ticked: Instant,
    late: VecDeque<(Instant, Duration)>,
}

impl ProbeState {
    /// How late the next tick is at that time.
    fn overdue(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.ticked + TICK + TIMER_TOLERANCE)
    }
}

impl DelayProbe {
    const KEEP: usize = 256;

    pub(super) fn new() -> Self {
        let state = RefCell::new(ProbeState { ticked: Instant::now(), late: VecDeque::new() });
        Self { state, reader: BlockingReader::start().ok() }
    }

    /// Says what the thread has to do from now on.
    pub(super) fn serve(&self, serving: Serving) {
        if let Some(reader) = &self.reader {
            reader.serve(serving);
        }
    }

    /// Ticks for ever.
    pub(super) async fn run(&self, suspensions: &Suspensions) {
        self.run_with(suspensions, suspended_time).await;
    }

    /// Ticks for ever, sent by `suspended_time` how long the machine has been suspended in its life.
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
                suspensions.note(late.max(suspended));
            }
        }
    }

    /// Whether this thread has just been held up for as long as a person takes to stop and continue us: news of that
    /// may still be on its way from the thread that listens for it.
    pub(super) fn was_recently_delayed(&self) -> bool {
        self.longest_delay_within(NOTICE_DELAY) >= SHORTEST_STOP
    }

    /// The longest delay that ended so recently, or has not ended yet.
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
        let noted = state.late.iter().filter(|(at, _)| *at >= since).map(|&(_, late)| late).max();
        noted.unwrap_or_default().max(state.overdue(Instant::now()))
    }

    fn delay_before(&self, heard: Instant) -> Duration {
        let state = self.state.borrow();
        // Whoever wakes the probe late wakes the games late, in either order.
        let noted =
            state.late.back().filter(|(at, _)| heard.saturating_duration_since(*at) <= TIMER_TOLERANCE);
        noted.map_or(Duration::ZERO, |&(_, late)| late).max(state.overdue(heard))
    }
}

/// How long the machine has been suspended since it was started.
fn suspended_time() -> Duration {
    let read = |clock| clock_gettime(clock).map(Duration::from).unwrap_or_default();
    let awake = read(ClockId::CLOCK_MONOTONIC);
    let pretended =
        if failpoint::strikes(Point::HostSleeps) { Duration::from_secs(5) } else { Duration::ZERO };
    read(ClockId::CLOCK_BOOTTIME).saturating_sub(awake) + pretended
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_heard_after_a_delay_may_be_as_old_as_the_delay_and_no_older() {
        let probe = DelayProbe::new();
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        assert_eq!(probe.delay_before(at(15)), Duration::ZERO, "the next tick is not due yet");
        let overdue = Duration::from_millis(122) - TICK - TIMER_TOLERANCE;
        assert_eq!(probe.delay_before(at(122)), overdue, "heard before the tick is noted");
        probe.state.borrow_mut().late.push_back((at(122), Duration::from_millis(102)));
        probe.state.borrow_mut().ticked = at(122);
        assert_eq!(probe.delay_before(at(123)), Duration::from_millis(102), "heard right after the tick");
        assert_eq!(probe.delay_before(at(140)), Duration::ZERO, "a delay that was over when it was said");
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
            assert_eq!(suspensions.count(), 1, "one suspend is noted once");
            assert!(suspensions.last_gap_ms() >= 3_599_000);
        };
        tokio::select! {
            () = watch => {}
            () = story => {}
        }
    }
}
