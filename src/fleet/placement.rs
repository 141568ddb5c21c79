//! Binding of slots and their engines to processors.
//!
//! The thread that hosts a game and the two engines run in turn, so one processor serves all three: a move then costs
//! two switches on the same processor instead of two wake-ups of another one, which cost several times as much. Games
//! never share a processor: if there are not enough for all of them, or another run has leased them, no game is
//! bound.

use std::fs;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::player::EngineSpec;

/// Whether games are bound to processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// Each game is bound to its own processors, as long as there are enough for all games.
    #[default]
    Auto,
    /// The kernel schedules everything.
    Off,
}

/// Processors assigned to slots. They are leased across all runs on this machine, so that two runs do not bind their
/// games to the same processor.
#[derive(Debug)]
pub(super) struct SlotProcessors {
    /// All usable processors, in order of preference.
    processors: Vec<usize>,
    pool: String,
    per_slot: usize,
    slots: Vec<LeasedProcessors>,
}

#[derive(Debug)]
struct LeasedProcessors {
    processors: Vec<usize>,
    _leases: Vec<Lease>,
}

impl SlotProcessors {
    /// Creates an assignment without any slot, for games between these engines.
    pub(super) fn new(placement: Placement, pool: String, engines: &[EngineSpec]) -> Self {
        let processors = match placement {
            Placement::Auto => usable(),
            Placement::Off => Vec::new(),
        };
        Self { processors, pool, per_slot: processors_per_game(engines), slots: Vec::new() }
    }

    /// Leases processors for each of `slots` slots, or for none of them.
    pub(super) fn fit(&mut self, slots: usize) {
        // A control group may allow less time than its processors have.
        let allowed = std::thread::available_parallelism().map_or(1, usize::from);
        let enough = slots.saturating_mul(self.per_slot) <= self.processors.len().min(allowed);
        while enough && self.slots.len() < slots {
            match self.lease() {
                Some(place) => self.slots.push(place),
                None => break,
            }
        }
        if self.slots.len() < slots {
            self.slots.clear();
        }
    }

    fn lease(&self) -> Option<LeasedProcessors> {
        let (mut processors, mut leases) = (Vec::new(), Vec::new());
        for &processor in &self.processors {
            if processors.len() == self.per_slot {
                break;
            }
            if let Ok(lease) = Lease::take(&self.pool, processor) {
                processors.push(processor);
                leases.push(lease);
            }
        }
        (processors.len() == self.per_slot).then_some(LeasedProcessors { processors, _leases: leases })
    }

    /// Returns the processors of a slot; empty means any.
    pub(super) fn of(&self, slot: usize) -> &[usize] {
        self.slots.get(slot).map_or(&[], |place| &place.processors)
    }
}

/// Lease of a processor, released when it is dropped or its process ends.
#[derive(Debug)]
struct Lease {
    _name: UnixListener,
}

impl Lease {
    fn take(pool: &str, processor: usize) -> io::Result<Self> {
        let name = SocketAddr::from_abstract_name(format!("{pool}-processor-{processor}"))?;
        UnixListener::bind_addr(&name).map(|name| Self { _name: name })
    }
}

/// Returns the largest number of processors that any two of these engines keep busy in a game. A single engine plays
/// itself.
fn processors_per_game(engines: &[EngineSpec]) -> usize {
    let needed = |pair: [&EngineSpec; 2]| EngineSpec::processors_for(pair, pair.map(EngineSpec::threads));
    let rivals = |at: usize| if engines.len() == 1 { engines } else { &engines[at + 1..] };
    let pairs =
        engines.iter().enumerate().flat_map(|(at, one)| rivals(at).iter().map(move |other| [one, other]));
    pairs.map(needed).max().unwrap_or(1)
}

/// Limits this process, and all that it starts, to these processors. Without permission nothing changes.
pub fn bind_process(processors: &[usize]) {
    let mut mask = CpuSet::new();
    for &number in processors {
        // A processor that the kernel cannot number does not exist.
        let _ = mask.set(number);
    }
    let _ = sched_setaffinity(Pid::from_raw(0), &mask);
}

/// Returns the processors on which this process may run, one of each core before the second of any core.
fn usable() -> Vec<usize> {
    let Ok(mask) = sched_getaffinity(Pid::from_raw(0)) else { return Vec::new() };
    let numbers = (0..CpuSet::count()).filter(|&number| mask.is_set(number).unwrap_or(false));
    let core = |number| {
        let folder = format!("/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list");
        fs::read_to_string(Path::new(&folder)).unwrap_or_default()
    };
    preferred_order(numbers.map(|number| (number, core(number))).collect())
}

/// Sorts processors, each given with the name of its core. The first processor comes last among its equals, because
/// interrupts and other work are scheduled there.
fn preferred_order(mut processors: Vec<(usize, String)>) -> Vec<usize> {
    processors.sort_unstable();
    let first = processors.first().map(|(number, _)| *number);
    let rank_in_core = |place: usize| {
        let (_, core) = &processors[place];
        processors[..place].iter().filter(|(_, other)| other == core && !core.trim().is_empty()).count()
    };
    let mut order: Vec<_> = (0..processors.len()).collect();
    order.sort_by_key(|&place| (rank_in_core(place), Some(processors[place].0) == first, place));
    order.into_iter().map(|place| processors[place].0).collect()
}

/// Affinity of a thread: narrowed while it serves one bound game, then restored.
#[derive(Debug)]
pub(super) struct Thread {
    whole: Option<CpuSet>,
}

impl Thread {
    /// Returns the calling thread with its current affinity.
    pub(super) fn current() -> Self {
        Self { whole: sched_getaffinity(Pid::from_raw(0)).ok() }
    }

    /// Binds the calling thread to these processors; empty restores its original affinity.
    pub(super) fn bind(&self, processors: &[usize]) {
        let mut set = CpuSet::new();
        let all_known = processors.iter().all(|&processor| set.set(processor).is_ok());
        let wanted = if all_known && !processors.is_empty() { Some(set) } else { self.whole };
        // If the kernel refuses, the affinity stays as it was: slower, but correct.
        let _ = wanted.map(|set| sched_setaffinity(Pid::from_raw(0), &set));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{EngineOption, Pondering};

    fn order(cores: &[&str]) -> Vec<usize> {
        preferred_order(cores.iter().map(|core| (*core).to_owned()).enumerate().collect())
    }

    #[test]
    fn whole_cores_come_before_second_threads_and_the_first_processor_comes_last_of_its_kind() {
        for (name, cores, expected) in [
            ("two cores", &["0", "1"][..], &[1, 0][..]),
            ("siblings side by side", &["0-1", "0-1", "2-3", "2-3"], &[2, 0, 1, 3]),
            ("siblings apart", &["0,2", "1,3", "0,2", "1,3"], &[1, 0, 2, 3]),
            ("unknown topology", &["", "", ""], &[1, 2, 0]),
            ("one", &["0"], &[0]),
        ] {
            assert_eq!(order(cores), expected, "{name}");
        }
    }

    #[test]
    fn a_slot_has_room_for_the_most_demanding_pair_of_engines() {
        let with_threads = |threads: &str| EngineSpec {
            options: vec![EngineOption::new("threads", threads)],
            ..EngineSpec::uci("a", "a")
        };
        let mut engines = ["1", "4", "2"].map(with_threads);
        assert_eq!(processors_per_game(&engines), 4, "engines that think in turn");
        engines[0].ponder = Pondering::On;
        assert_eq!(processors_per_game(&engines), 5, "one pondering thread beside four");
        engines[2].ponder = Pondering::On;
        assert_eq!(processors_per_game(&engines), 6, "two pondering threads beside four");
        assert_eq!(processors_per_game(&engines[2..]), 4, "an engine against itself");
        assert_eq!(processors_per_game(&[]), 1);
    }

    #[test]
    fn either_every_slot_has_processors_or_none_has() {
        let engines = [EngineSpec::uci("a", "a")];
        let open = || {
            let pool = format!("test-{}", std::process::id());
            SlotProcessors { processors: vec![7, 5], ..SlotProcessors::new(Placement::Auto, pool, &engines) }
        };
        let mut places = open();
        places.fit(1);
        assert_eq!(places.of(0), [7]);
        if std::thread::available_parallelism().is_ok_and(|allowed| allowed.get() >= 2) {
            let mut rival = open();
            rival.fit(2);
            assert!(rival.of(0).is_empty(), "the other run has one of the two");
            rival.fit(1);
            assert_eq!(rival.of(0), [5]);
            drop(rival);
            places.fit(2);
            assert_eq!((places.of(0), places.of(1)), (&[7][..], &[5][..]));
        }
        places.fit(3);
        assert!(places.of(0).is_empty(), "three games do not fit on two processors");
        assert!(SlotProcessors::new(Placement::Off, String::new(), &engines).processors.is_empty());
    }
}
