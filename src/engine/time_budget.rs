//! How much time a move is worth: a pure function of the clock and of how settled the search is.

use std::time::Duration;

use crate::engine::{Clock, Limits};

/// The moves a clock without a top-up is shared over. A game lasts longer, but the moves that decide it come
/// first, and the increment pays for the rest.
const HORIZON: u32 = 22;

/// The two times of a move: past the soft one no new iteration starts, past the hard one the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeBudget {
    soft: Duration,
    hard: Duration,
    stretch: Stretch,
}

/// Whether a settled search may answer early and a troubled one think longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stretch {
    Fixed,
    ByStability,
}

/// How settled a search is at the end of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stability {
    /// Iterations in a row that agreed on the best move.
    pub(super) agreeing: u32,
    /// Centipawns lost since the iteration before; negative when it rose.
    pub(super) drop: i32,
    /// Thousandths of all nodes that were spent on the best move.
    pub(super) effort: u32,
}

impl TimeBudget {
    /// The budget that these limits allow, or `None` if none of them is about time.
    pub(super) fn plan(limits: &Limits) -> Option<Self> {
        let fixed = limits.movetime.map(|time| Self::fixed(less_overhead(time, limits.move_overhead)));
        let shared = limits.clock.map(|clock| Self::share(&clock, limits.move_overhead));
        match (fixed, shared) {
            (Some(fixed), Some(shared)) => Some(Self { hard: fixed.hard.min(shared.hard), ..shared }),
            (fixed, shared) => fixed.or(shared),
        }
    }

    fn fixed(time: Duration) -> Self {
        Self { soft: time, hard: time, stretch: Stretch::Fixed }
    }

    fn share(clock: &Clock, overhead: Duration) -> Self {
        let usable = less_overhead(clock.time, overhead);
        let moves = clock.movestogo.unwrap_or(HORIZON).clamp(1, 40);
        let even = usable / moves + clock.inc * 3 / 4;
        // The last move before a top-up may use nearly everything; any other leaves enough for its successors.
        let most = if moves == 1 { usable * 4 / 5 } else { usable * 2 / 5 };
        let hard = (even * 5).min(most);
        Self { soft: even.min(hard), hard, stretch: Stretch::ByStability }
    }

    /// Whether the search must end at once.
    pub(super) fn is_spent(&self, elapsed: Duration) -> bool {
        elapsed >= self.hard
    }

    /// Whether another iteration is worth starting.
    pub(super) fn allows_iteration(&self, elapsed: Duration, stability: Stability) -> bool {
        match self.stretch {
            Stretch::Fixed => elapsed < self.hard,
            Stretch::ByStability => {
                elapsed < self.soft.mul_f64(f64::from(stability.scale()) / 1000.0).min(self.hard)
            }
        }
    }
}

impl Stability {
    /// Thousandths of the even share that this search deserves.
    fn scale(self) -> u32 {
        let agreement = 1300 - 80 * self.agreeing.min(8);
        let drop = (1000 + 8 * self.drop).clamp(800, 1600) as u32;
        // A best move that took nearly all nodes has no rival left.
        let effort = 1500 - self.effort.min(1000) * 8 / 10;
        (u64::from(agreement) * u64::from(drop) * u64::from(effort) / 1_000_000) as u32
    }
}

/// What is left of `time` after the overhead: never nothing, so that a late clock still gets a move.
fn less_overhead(time: Duration, overhead: Duration) -> Duration {
    let least = (time / 4).clamp(Duration::from_micros(200), Duration::from_millis(2));
    time.saturating_sub(overhead).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLED: Stability = Stability { agreeing: 8, drop: 0, effort: 950 };
    const TROUBLED: Stability = Stability { agreeing: 0, drop: 80, effort: 300 };

    fn clock(time_ms: u64, inc_ms: u64, movestogo: Option<u32>) -> TimeBudget {
        let clock =
            Clock { time: Duration::from_millis(time_ms), inc: Duration::from_millis(inc_ms), movestogo };
        TimeBudget::plan(&Limits::clock(clock)).unwrap()
    }

    #[test]
    fn no_time_limit_means_no_budget() {
        assert_eq!(TimeBudget::plan(&Limits::nodes(5)), None);
    }

    #[test]
    fn the_hard_limit_leaves_the_overhead_and_a_reserve_on_every_clock() {
        for time in [15, 20, 30, 50, 100, 500, 1000, 2000, 60_000, 7_200_000] {
            for inc in [0, 10, 20, 1000, 30_000] {
                for movestogo in [None, Some(1), Some(2), Some(40), Some(200)] {
                    let budget = clock(time, inc, movestogo);
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard > Duration::ZERO);
                    let left = Duration::from_millis(time) - Duration::from_millis(10);
                    assert!(
                        budget.hard <= left * 4 / 5 + Duration::from_millis(1),
                        "{time} {inc} {movestogo:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_clock_below_the_overhead_still_buys_a_blink_of_thought() {
        for time in [0, 1, 5, 10] {
            let budget = clock(time, 0, None);
            assert!(budget.hard <= Duration::from_millis(2));
            assert!(budget.hard > Duration::ZERO);
        }
    }

    #[test]
    fn a_thousand_moves_of_one_second_plus_ten_milliseconds_never_run_out() {
        let (mut left, inc) = (Duration::from_secs(1), Duration::from_millis(10));
        for _ in 0..1000 {
            let limits = Limits::clock(Clock { time: left, inc, movestogo: None });
            let worst = TimeBudget::plan(&limits).unwrap().hard + Duration::from_millis(5);
            left = left.checked_sub(worst).expect("the clock holds") + inc;
        }
    }

    #[test]
    fn a_troubled_search_gets_more_time_than_a_settled_one() {
        let budget = clock(60_000, 0, None);
        let after = Duration::from_millis(2000);
        assert!(!budget.allows_iteration(after, SETTLED));
        assert!(budget.allows_iteration(after, TROUBLED));
        assert!(!budget.is_spent(after));
    }

    #[test]
    fn a_fixed_time_is_used_up_to_the_overhead() {
        let budget = TimeBudget::plan(&Limits::movetime(Duration::from_millis(100))).unwrap();
        assert!(budget.allows_iteration(Duration::from_millis(89), SETTLED));
        assert!(!budget.is_spent(Duration::from_millis(89)) && budget.is_spent(Duration::from_millis(90)));
    }
}
