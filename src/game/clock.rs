//! One engine's clock over a game: pure arithmetic on what was measured elsewhere.

use std::time::Duration;

use crate::game::TimeControl;

/// An engine's clock. It is told how long each move took, and says whether that was too long.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// By how much a move exceeded clock and margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun(pub Duration);

impl Clock {
    /// The clock at the start of a game.
    pub fn new(control: TimeControl) -> Self {
        let left =
            control.clock.map_or(Duration::ZERO, |rule| rule.time + rule.increment_before_the_first_move());
        Self { control, left, moves_to_go: control.clock.and_then(|rule| rule.moves).map(u32::from) }
    }

    /// The limits it keeps.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Time left, where there is a clock.
    pub fn left(&self) -> Option<Duration> {
        self.control.clock.map(|_| self.left)
    }

    /// Moves left in this period, where there are periods.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// The longest the next move may take, margin included; `None` where time does not matter.
    pub fn allowance(&self) -> Option<Duration> {
        let movetime = self.control.movetime_ms.map(Duration::from_millis);
        let budget = match (self.left(), movetime) {
            (Some(left), Some(movetime)) => left.min(movetime),
            (Some(budget), None) | (None, Some(budget)) => budget,
            (None, None) => return None,
        };
        Some(budget + Duration::from_millis(self.control.margin_ms))
    }

    /// Charges a move. The overrun is judged before the next period or the increment is credited, so that a move too
    /// late is never paid for with time that comes after it.
    pub fn charge(&mut self, took: Duration) -> Result<(), Overrun> {
        if let Some(allowance) = self.allowance()
            && took > allowance
        {
            self.left = self.left.saturating_sub(took);
            return Err(Overrun(took - allowance));
        }
        if let Some(rule) = self.control.clock {
            // A move inside the margin leaves an empty clock, not a negative one.
            self.left = self.left.saturating_sub(took) + rule.increment;
            if let Some(to_go) = &mut self.moves_to_go {
                *to_go -= 1;
                if *to_go == 0 {
                    *to_go = rule.moves.map_or(0, u32::from);
                    self.left += rule.time;
                }
            }
        }
        Ok(())
    }
}

impl crate::game::ClockRule {
    /// A clock of increments only must start with one, or the first move could not be made.
    fn increment_before_the_first_move(&self) -> Duration {
        if self.time.is_zero() { self.increment } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ClockRule;

    const MS: Duration = Duration::from_millis(1);

    fn clock(text: &str, margin_ms: u64) -> Clock {
        let rule: ClockRule = text.parse().unwrap();
        Clock::new(TimeControl { margin_ms, ..TimeControl::clock(rule) })
    }

    #[test]
    fn the_flag_falls_one_tick_past_time_and_margin() {
        let mut inside = clock("1+0.1", 50);
        assert_eq!(inside.charge(1049 * MS), Ok(()));
        assert_eq!(inside.left(), Some(100 * MS), "inside the margin the clock is empty, then credited");
        assert_eq!(clock("1+0.1", 50).charge(1050 * MS), Ok(()));
        assert_eq!(clock("1+0.1", 50).charge(1051 * MS), Err(Overrun(MS)));
    }

    #[test]
    fn a_period_is_credited_only_after_its_last_move_was_in_time() {
        let mut periods = clock("2/1", 0);
        assert_eq!((periods.left(), periods.moves_to_go()), (Some(1000 * MS), Some(2)));
        periods.charge(600 * MS).unwrap();
        assert_eq!(periods.clone().charge(401 * MS), Err(Overrun(MS)), "next period's second does not help");
        periods.charge(300 * MS).unwrap();
        assert_eq!((periods.left(), periods.moves_to_go()), (Some(1100 * MS), Some(2)));
    }

    #[test]
    fn a_move_time_holds_beside_a_clock_and_neither_means_no_allowance() {
        let both =
            TimeControl { movetime_ms: Some(100), margin_ms: 5, ..TimeControl::clock("1".parse().unwrap()) };
        let mut both = Clock::new(both);
        assert_eq!(both.allowance(), Some(105 * MS));
        for _ in 0..9 {
            both.charge(100 * MS).unwrap();
        }
        both.charge(50 * MS).unwrap();
        assert_eq!(both.allowance(), Some(55 * MS), "the clock is shorter now");
        assert_eq!(Clock::new(TimeControl::nodes(5)).allowance(), None);
        assert_eq!(Clock::new(TimeControl::nodes(5)).charge(Duration::from_secs(900)), Ok(()));
    }
}
