//! Playing time of a run that is in play, which grows between two records of its journal.

use std::time::Instant;

use crate::run::control::RunPhase;

/// Seconds of play at this moment. The journal alone has the time of its last record.
#[derive(Clone, Copy, Debug)]
pub struct LiveClock {
    recorded: f64,
    since: Instant,
}

impl Default for LiveClock {
    fn default() -> Self {
        Self { recorded: 0.0, since: Instant::now() }
    }
}

impl LiveClock {
    /// Returns the time of play at `now`, if `recorded` is that of the journal. It stands still while nothing is played.
    pub fn at(&mut self, now: Instant, recorded: f64, phase: RunPhase, games_in_play: usize) -> f64 {
        let stands_still = phase == RunPhase::Paused && games_in_play == 0;
        if stands_still || recorded != self.recorded {
            *self = Self { recorded, since: now };
        }
        self.recorded + now.duration_since(self.since).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_clock_runs_between_two_records_and_stands_still_in_a_pause() {
        let began = Instant::now();
        let after = |seconds| began + Duration::from_secs(seconds);
        let mut clock = LiveClock { recorded: 0.0, since: began };
        assert_eq!(clock.at(after(4), 0.0, RunPhase::Playing, 1), 4.0);
        assert_eq!(clock.at(after(10), 9.5, RunPhase::Playing, 1), 9.5);
        assert_eq!(clock.at(after(12), 9.5, RunPhase::Stopping, 1), 11.5);
        assert_eq!(clock.at(after(60), 12.0, RunPhase::Paused, 0), 12.0);
        assert_eq!(clock.at(after(90), 12.0, RunPhase::Paused, 0), 12.0);
        assert_eq!(clock.at(after(91), 12.0, RunPhase::Playing, 1), 13.0);
    }
}
