//! Clock of one engine over a game; pure arithmetic on times measured elsewhere.

use std::time::Duration;

use crate::game::{FirstIncrement, TimeControl};

/// An engine's clock. It is charged with the time of each move and reports an overrun.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// Time by which a move exceeded clock and margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun(pub Duration);

impl Clock {
    /// Creates the clock at the start of a game.
    pub fn new(control: TimeControl) -> Self {
        let left = control.clock.map_or(Duration::ZERO, |rule| match control.first_increment {
            FirstIncrement::Before => rule.time + rule.increment,
            FirstIncrement::After => rule.time + rule.increment_before_the_first_move(),
        });
        Self { control, left, moves_to_go: control.clock.and_then(|rule| rule.moves).map(u32::from) }
    }

    /// Returns the time control.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Returns the time left, if there is a clock.
    pub fn left(&self) -> Option<Duration> {
        self.control.clock.map(|_| self.left)
    }

    /// Returns the moves left in this period, if there are periods.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Returns the longest time that the next move may take, margin included; `None` if time is not limited.
    pub fn allowance(&self) -> Option<Duration> {
        let movetime = self.control.movetime_ms.map(Duration::from_millis);
        let budget = match (self.left(), movetime) {
            (Some(left), Some(movetime)) => left.min(movetime),
            (Some(budget), None) | (None, Some(budget)) => budget,
            (None, None) => return None,
        };
        Some(budget + Duration::from_millis(self.control.margin_ms))
    }

    /// Charges a move. The overrun is determined before the next period or the increment is credited, so a late move
    /// never benefits from time that is added after it.
    pub fn charge(&mut self, took: Duration) -> Result<(), Overrun> {
        if let Some(allowance) = self.allowance()
            && took > allowance
        {
            self.left = self.left.saturating_sub(took);
            return Err(Overrun(took - allowance));
        }
        if let Some(rule) = self.control.clock {
            // A move within the margin leaves an empty clock, not a negative one.
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
    /// Returns the initial time of a clock that consists of increments only; without it, the first move could not be
    /// made.
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
    fn the_flag_falls_one_millisecond_past_time_and_margin() {
        let mut inside = clock("1+0.1", 50);
        assert_eq!(inside.charge(1049 * MS), Ok(()));
        assert_eq!(inside.left(), Some(100 * MS), "within the margin the clock is empty, then credited");
        assert_eq!(clock("1+0.1", 50).charge(1050 * MS), Ok(()));
        assert_eq!(clock("1+0.1", 50).charge(1051 * MS), Err(Overrun(MS)));
    }

    #[test]
    fn the_first_move_has_the_increment_only_if_the_control_grants_it() {
        let control = TimeControl::clock("1+0.1".parse().unwrap());
        assert_eq!(Clock::new(control).left(), Some(1000 * MS));
        let control = TimeControl { first_increment: FirstIncrement::Before, ..control };
        assert_eq!(Clock::new(control).left(), Some(1100 * MS));
    }

    #[test]
    fn a_period_is_credited_only_after_its_last_move_was_in_time() {
        let mut periods = clock("2/1", 0);
        assert_eq!((periods.left(), periods.moves_to_go()), (Some(1000 * MS), Some(2)));
        periods.charge(600 * MS).unwrap();
        assert_eq!(
            periods.clone().charge(401 * MS),
            Err(Overrun(MS)),
            "the time of the next period does not count yet"
        );
        periods.charge(300 * MS).unwrap();
        assert_eq!((periods.left(), periods.moves_to_go()), (Some(1100 * MS), Some(2)));
    }

    #[test]
    fn a_move_time_applies_beside_a_clock_and_without_either_there_is_no_allowance() {
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
