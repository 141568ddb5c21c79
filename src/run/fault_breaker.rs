//! Thresholds at which engine faults stop a run, or quarantine an engine of a tournament.

use crate::game::EngineIndex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

/// Whether faults stop a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Breaker {
    /// They do, at the thresholds of [`FaultWatch`].
    #[default]
    On,
    /// A fault costs its game and nothing more.
    Off,
    /// The first crash or stall stops it.
    First,
}

/// The faults of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineConduct {
    /// No engine failed.
    Clean,
    /// An engine failed during the game.
    Faulty,
    /// An engine could not be started.
    NoStart,
}

/// The threshold applies from this many games on: one bad game of five is not significant.
const MIN_GAMES: u64 = 20;

/// More than one game with a fault in this many is too many.
const ONE_IN: u64 = 10;

/// After this many failed starts in a row the engine is considered broken.
const NO_STARTS: u32 = 3;

/// The faults of a run so far, in schedule order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultWatch {
    games: u64,
    faults: u64,
    no_starts: u32,
}

impl FaultWatch {
    /// Counts a game and returns why the run should stop, if it should.
    pub fn observe(&mut self, conduct: EngineConduct) -> Option<String> {
        self.games += 1;
        self.faults += u64::from(conduct != EngineConduct::Clean);
        self.no_starts = if conduct == EngineConduct::NoStart { self.no_starts + 1 } else { 0 };
        if self.no_starts >= NO_STARTS {
            return Some(format!("an engine failed to start {NO_STARTS} times in a row"));
        }
        self.is_too_much().then(|| format!("engines failed in {} of {} games", self.faults, self.games))
    }

    fn is_too_much(&self) -> bool {
        self.games >= MIN_GAMES && self.faults * ONE_IN > self.games
    }

    /// Games with a fault.
    pub fn faults(&self) -> u64 {
        self.faults
    }
}

/// The engines of a tournament that failed too often. With two engines no opponent would be left, and the run stops
/// instead.
///
/// It is a function of the counted pairs alone, so a resumed run has the same quarantine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Quarantine {
    watches: Vec<FaultWatch>,
    reasons: BTreeMap<EngineIndex, String>,
}

impl Quarantine {
    /// An empty quarantine. It stays empty for two engines, and if the breaker is off.
    pub(super) fn new(engines: usize, breaker: Breaker) -> Self {
        let watched = if engines > 2 && breaker == Breaker::On { engines } else { 0 };
        Self { watches: vec![FaultWatch::default(); watched], reasons: BTreeMap::new() }
    }

    /// Counts a game of an engine and returns why it is quarantined, if it is.
    pub(super) fn observe(&mut self, engine: EngineIndex, conduct: EngineConduct) -> Option<&str> {
        let watch = self.watches.get_mut(engine.get())?;
        watch.observe(conduct)?;
        let why = if watch.is_too_much() {
            format!("it failed in {} of {} games", watch.faults, watch.games)
        } else {
            format!("it failed to start {NO_STARTS} times in a row")
        };
        match self.reasons.entry(engine) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => Some(place.insert(why)),
        }
    }

    /// Whether it holds one of these two engines.
    pub(super) fn holds(&self, engines: [EngineIndex; 2]) -> bool {
        engines.iter().any(|engine| self.reasons.contains_key(engine))
    }

    /// The quarantined engines, each with the reason.
    pub(super) fn members(&self) -> impl ExactSizeIterator<Item = (EngineIndex, &str)> {
        self.reasons.iter().map(|(&engine, why)| (engine, why.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_alarm(conducts: impl IntoIterator<Item = EngineConduct>) -> Option<usize> {
        let mut watch = FaultWatch::default();
        conducts.into_iter().position(|conduct| watch.observe(conduct).is_some())
    }

    #[test]
    fn the_breaker_waits_for_twenty_games_and_more_than_a_tenth_of_faults() {
        use EngineConduct::{Clean, Faulty};
        assert_eq!(first_alarm([Faulty; 30]), Some(19));
        assert_eq!(first_alarm((0..200).map(|at| if at % 10 == 0 { Faulty } else { Clean })), Some(20));
        assert_eq!(first_alarm((0..200).map(|at| if at % 10 == 9 { Faulty } else { Clean })), None);
    }

    #[test]
    fn an_engine_of_three_is_quarantined_by_its_own_faults_alone() {
        use EngineConduct::{Clean, Faulty};
        let [good, bad] = [EngineIndex(0), EngineIndex(2)];
        let mut quarantine = Quarantine::new(3, Breaker::On);
        for game in 1..=30 {
            assert_eq!(quarantine.observe(good, Clean), None);
            assert_eq!(quarantine.observe(bad, Faulty).is_some(), game == 20, "game {game}");
        }
        assert!(quarantine.holds([good, bad]) && !quarantine.holds([good, EngineIndex(1)]));
        assert_eq!(quarantine.members().map(|(engine, _)| engine).collect::<Vec<_>>(), [bad]);
        for (engines, breaker) in [(2, Breaker::On), (3, Breaker::Off)] {
            let mut none = Quarantine::new(engines, breaker);
            assert!((0..30).all(|_| none.observe(EngineIndex(1), Faulty).is_none()));
        }
    }

    #[test]
    fn three_failed_starts_in_a_row_are_enough() {
        use EngineConduct::{Clean, NoStart};
        assert_eq!(first_alarm([NoStart, NoStart, Clean, NoStart, NoStart, NoStart]), Some(5));
    }
}
