//! When engine faults stop a run: a night of crashes helps nobody.

use serde::{Deserialize, Serialize};

/// Whether faults stop a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Breaker {
    /// They do, see [`FaultWatch`].
    #[default]
    On,
    /// Every fault is a lost game and nothing more.
    Off,
}

/// How a game went, as far as faults are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduct {
    /// No engine failed.
    Clean,
    /// An engine failed during the game.
    Faulty,
    /// An engine could not even be started.
    NoStart,
}

/// Games are watched only from here on: one bad game of five says little.
const MIN_GAMES: u64 = 20;

/// More than one game in so many with a fault is too many.
const ONE_IN: u64 = 10;

/// So many failed starts in a row mean that the engine is gone for good.
const NO_STARTS: u32 = 3;

/// The faults of a run so far, in schedule order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultWatch {
    games: u64,
    faults: u64,
    no_starts: u32,
}

impl FaultWatch {
    /// Counts a game; says why the run should stop, if it should.
    pub fn observe(&mut self, conduct: Conduct) -> Option<String> {
        self.games += 1;
        self.faults += u64::from(conduct != Conduct::Clean);
        self.no_starts = if conduct == Conduct::NoStart { self.no_starts + 1 } else { 0 };
        if self.no_starts >= NO_STARTS {
            return Some(format!("an engine failed to start {NO_STARTS} times in a row"));
        }
        let too_many = self.games >= MIN_GAMES && self.faults * ONE_IN > self.games;
        too_many.then(|| format!("engines failed in {} of {} games", self.faults, self.games))
    }

    /// Games with a fault.
    pub fn faults(&self) -> u64 {
        self.faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_alarm(conducts: impl IntoIterator<Item = Conduct>) -> Option<usize> {
        let mut watch = FaultWatch::default();
        conducts.into_iter().position(|conduct| watch.observe(conduct).is_some())
    }

    #[test]
    fn the_breaker_waits_for_twenty_games_and_more_than_a_tenth_of_faults() {
        use Conduct::{Clean, Faulty};
        assert_eq!(first_alarm([Faulty; 30]), Some(19));
        assert_eq!(first_alarm((0..200).map(|at| if at % 10 == 0 { Faulty } else { Clean })), Some(20));
        assert_eq!(first_alarm((0..200).map(|at| if at % 10 == 9 { Faulty } else { Clean })), None);
    }

    #[test]
    fn three_failed_starts_in_a_row_are_enough() {
        use Conduct::{Clean, NoStart};
        assert_eq!(first_alarm([NoStart, NoStart, Clean, NoStart, NoStart, NoStart]), Some(5));
    }
}
