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
const NATURAL: Duration = Duration::from_millis(2).saturating_add(BlockingReader::TICK);
/// A thread that slept this much too long was not merely waiting for a busy processor: the machine stood still.
const STANDSTILL: Duration = Duration::from_secs(1);
/// A shorter stop than this takes no more from a clock than a busy processor does.
const HELD_UP: Duration = Duration::from_millis(50);
/// How long after a stop the news of it may take to reach every thread.
const NEWS: Duration = Duration::from_millis(200);
/// What the two clocks may differ by without the machine having been asleep.
const ASLEEP: Duration = Duration::from_millis(100);

/// Times when the whole process stood still, as all threads see them.
#[derive(Debug, Default)]
pub(super) struct Standstills {
    count: AtomicU64,
    last_gap_ms: AtomicU64,
}

impl Standstills {
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
    pub(super) async fn listen_for_continuation(&self, probe: &DelayProbe) {
        let Ok(mut continued) = signal(SignalKind::from_raw(nix::libc::SIGCONT)) else { return };
        while continued.recv().await.is_some() {
            // A stop ends with the signal, so the delay it made is under way or has just been noted.
            let gap = probe.held_up_within(TICK);
            if gap >= HELD_UP {
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
        at.saturating_duration_since(self.ticked + TICK + NATURAL)
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
    pub(super) async fn run(&self, standstills: &Standstills) {
        self.run_with(standstills, time_asleep).await;
    }

    /// Ticks for ever, told by `time_asleep` how long the machine has been suspended in its life.
    async fn run_with(&self, standstills: &Standstills, mut time_asleep: impl FnMut() -> Duration) {
        let mut asleep = time_asleep();
        loop {
            let before = Instant::now();
            sleep(TICK).await;
            let late = before.elapsed().saturating_sub(TICK);
            let mut state = self.state.borrow_mut();
            state.ticked = Instant::now();
            if late > NATURAL {
                let now = state.ticked;
                state.late.push_back((now, late));
                let excess = state.late.len().saturating_sub(Self::KEEP);
                state.late.drain(..excess);
            }
            drop(state);
            let slept = time_asleep();
            let suspended = slept.saturating_sub(std::mem::replace(&mut asleep, slept));
            if late >= STANDSTILL || suspended >= ASLEEP {
                standstills.note(late.max(suspended));
            }
        }
    }

    /// Whether this thread has just been held up for as long as a person takes to stop and continue us: news of that
    /// may still be on its way from the thread that listens for it.
    pub(super) fn was_just_held_up(&self) -> bool {
        self.held_up_within(NEWS) >= HELD_UP
    }

    /// The longest delay that ended so recently, or has not ended yet.
    fn held_up_within(&self, time: Duration) -> Duration {
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
        let noted = state.late.back().filter(|(at, _)| heard.saturating_duration_since(*at) <= NATURAL);
        noted.map_or(Duration::ZERO, |&(_, late)| late).max(state.overdue(heard))
    }
}

/// How long the machine has been suspended since it was started.
fn time_asleep() -> Duration {
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
        let overdue = Duration::from_millis(122) - TICK - NATURAL;
        assert_eq!(probe.delay_before(at(122)), overdue, "heard before the tick is noted");
        probe.state.borrow_mut().late.push_back((at(122), Duration::from_millis(102)));
        probe.state.borrow_mut().ticked = at(122);
        assert_eq!(probe.delay_before(at(123)), Duration::from_millis(102), "heard right after the tick");
        assert_eq!(probe.delay_before(at(140)), Duration::ZERO, "a delay that was over when it was said");
    }

    #[tokio::test(start_paused = true)]
    async fn row_59_a_suspended_machine_is_noticed_by_its_two_clocks() {
        let (probe, standstills, slept) =
            (DelayProbe::new(), Standstills::default(), Cell::new(Duration::ZERO));
        let watch = probe.run_with(&standstills, || slept.get());
        let story = async {
            sleep(5 * TICK).await;
            assert_eq!(standstills.count(), 0, "a machine that is awake");
            slept.set(ASLEEP / 2);
            sleep(5 * TICK).await;
            assert_eq!(standstills.count(), 0, "two clocks read one after the other differ a little");
            slept.set(Duration::from_secs(3600));
            sleep(5 * TICK).await;
            assert_eq!(standstills.count(), 1, "one suspend is noted once");
            assert!(standstills.last_gap_ms() >= 3_599_000);
        };
        tokio::select! {
            () = watch => {}
            () = story => {}
        }
    }
}
