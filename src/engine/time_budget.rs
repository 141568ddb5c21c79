//! Time management: a pure function of the clock and of the stability of the search.

use std::time::Duration;

use crate::engine::{Clock, Limits};

/// Moves over which the remaining time is divided if there is no further time control. A game lasts longer, but the
/// deciding moves come first, and the increment pays for the rest.
const DEFAULT_MOVES_TO_GO: u32 = 22;

/// The time limits of a move: after the soft limit no new iteration starts, at the hard limit the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeBudget {
    soft: Duration,
    hard: Duration,
    scaling: Scaling,
}

/// Whether the soft limit depends on the stability of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaling {
    Fixed,
    ByStability,
}

/// How stable a search is at the end of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stability {
    /// Number of consecutive iterations with the same best move.
    pub(super) stable_iterations: u32,
    /// Centipawns that the score fell since the previous iteration; negative if it rose.
    pub(super) score_drop: i32,
    /// Share of all nodes spent on the best move, in thousandths.
    pub(super) effort: u32,
}

impl TimeBudget {
    /// Returns the budget for `limits`, or `None` if there is no time limit.
    pub(super) fn from_limits(limits: &Limits) -> Option<Self> {
        let fixed = limits.movetime.map(|time| Self::fixed(subtract_overhead(time, limits.move_overhead)));
        let shared = limits.clock.map(|clock| Self::share(&clock, limits.move_overhead));
        match (fixed, shared) {
            (Some(fixed), Some(shared)) => Some(Self { hard: fixed.hard.min(shared.hard), ..shared }),
            (fixed, shared) => fixed.or(shared),
        }
    }

    fn fixed(time: Duration) -> Self {
        Self { soft: time, hard: time, scaling: Scaling::Fixed }
    }

    fn share(clock: &Clock, overhead: Duration) -> Self {
        let usable = subtract_overhead(clock.time, overhead);
        let moves = clock.movestogo.unwrap_or(DEFAULT_MOVES_TO_GO).clamp(1, 40);
        let even = usable / moves + clock.inc * 3 / 4;
        // The last move before a time control may use nearly everything; the others leave enough for those that follow.
        let max = if moves == 1 { usable * 4 / 5 } else { usable * 2 / 5 };
        let hard = (even * 5).min(max);
        Self { soft: even.min(hard), hard, scaling: Scaling::ByStability }
    }

    /// Whether the hard limit is reached.
    pub(super) fn is_spent(&self, elapsed: Duration) -> bool {
        elapsed >= self.hard
    }

    /// Whether another iteration may start.
    pub(super) fn allows_iteration(&self, elapsed: Duration, stability: Stability) -> bool {
        match self.scaling {
            Scaling::Fixed => elapsed < self.hard,
            Scaling::ByStability => {
                elapsed < self.soft.mul_f64(f64::from(stability.scale()) / 1000.0).min(self.hard)
            }
        }
    }
}

impl Stability {
    /// Returns the factor of the soft limit, in thousandths.
    fn scale(self) -> u32 {
        let stability = 1300 - 80 * self.stable_iterations.min(8);
        let drop = (1000 + 8 * self.score_drop).clamp(800, 1600) as u32;
        // A best move that took nearly all nodes has no competitor left.
        let effort = 1500 - self.effort.min(1000) * 8 / 10;
        (u64::from(stability) * u64::from(drop) * u64::from(effort) / 1_000_000) as u32
    }
}

/// Subtracts the overhead from `time`. The result is never zero, so that a move is found even on an expired clock.
fn subtract_overhead(time: Duration, overhead: Duration) -> Duration {
    let min = (time / 4).clamp(Duration::from_micros(200), Duration::from_millis(2));
    time.saturating_sub(overhead).max(min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STABLE: Stability = Stability { stable_iterations: 8, score_drop: 0, effort: 950 };
    const UNSTABLE: Stability = Stability { stable_iterations: 0, score_drop: 80, effort: 300 };

    fn clock(time_ms: u64, inc_ms: u64, movestogo: Option<u32>) -> TimeBudget {
        let clock =
            Clock { time: Duration::from_millis(time_ms), inc: Duration::from_millis(inc_ms), movestogo };
        TimeBudget::from_limits(&Limits::clock(clock)).unwrap()
    }

    #[test]
    fn limits_without_time_have_no_budget() {
        assert_eq!(TimeBudget::from_limits(&Limits::nodes(5)), None);
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
    fn a_clock_below_the_overhead_still_allows_a_short_search() {
        for time in [0, 1, 5, 10] {
            let budget = clock(time, 0, None);
            assert!(budget.hard <= Duration::from_millis(2));
            assert!(budget.hard > Duration::ZERO);
        }
    }

    #[test]
    fn a_thousand_moves_at_one_second_plus_ten_milliseconds_never_exceed_the_clock() {
        let (mut left, inc) = (Duration::from_secs(1), Duration::from_millis(10));
        for _ in 0..1000 {
            let limits = Limits::clock(Clock { time: left, inc, movestogo: None });
            let worst = TimeBudget::from_limits(&limits).unwrap().hard + Duration::from_millis(5);
            left = left.checked_sub(worst).expect("the clock does not run out") + inc;
        }
    }

    #[test]
    fn an_unstable_search_gets_more_time_than_a_stable_one() {
        let budget = clock(60_000, 0, None);
        let after = Duration::from_millis(2000);
        assert!(!budget.allows_iteration(after, STABLE));
        assert!(budget.allows_iteration(after, UNSTABLE));
        assert!(!budget.is_spent(after));
    }

    #[test]
    fn a_fixed_time_is_used_up_to_the_overhead() {
        let budget = TimeBudget::from_limits(&Limits::movetime(Duration::from_millis(100))).unwrap();
        assert!(budget.allows_iteration(Duration::from_millis(89), STABLE));
        assert!(!budget.is_spent(Duration::from_millis(89)) && budget.is_spent(Duration::from_millis(90)));
    }
}
