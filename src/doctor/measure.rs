//! An engine played against itself to learn what the machine does to games: the noise of a host, measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::fleet::{Contestant, FleetConfig, FleetEvent, LocalFleet, PairJob};

use crate::game::PairId;
use crate::game::{EngineIndex, GameRecord, MoveSource, TimeControl};
use crate::opening::Opening;
use crate::player::{EngineSpec, GuardianProgram};

use crate::doctor::machine::{ProcessorShares, ProcessorTimes};

/// How much longer than asked for a level may take to finish its first games.
const GRACE: Duration = Duration::from_secs(60);

/// Games are cut here: the openings of games are alike, so that speeds can be compared.
const MOVES: u32 = 6;

/// How long the probe sleeps at a time.
const NAP: Duration = Duration::from_millis(2);

/// Speeds that differ by less than this share are the same.
const SLOWER: f64 = 0.05;

/// A machine that wakes a sleeper later than this cannot keep a clock.
const LATE_US: u64 = 10_000;

/// What is played.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The engine, which plays itself.
    pub engine: EngineSpec,
    /// How long it thinks.
    pub limits: TimeControl,
    /// What kills engines should we be killed.
    pub guardian: Option<GuardianProgram>,
}

/// What so many games at once were like.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConcurrencyLevel {
    /// Games at the same time.
    pub concurrency: usize,
    /// Games played to their end.
    pub games: u64,
    /// Nodes a second, the mean over games; 0 if the engine does not tell.
    pub nps: f64,
    /// Standard deviation of the games' speeds, as a share of the mean.
    pub nps_spread: f64,
    /// Games lost on time.
    pub forfeits: u64,
    /// Games lost by other faults.
    pub faults: u64,
    /// Pairs that the host spoiled.
    pub voids: u64,
    /// How late a sleeping thread was woken: the median, in microseconds.
    pub delay_p50_us: u64,
    /// The same, exceeded once in a hundred.
    pub delay_p99_us: u64,
    /// The same, at worst.
    pub delay_max_us: u64,
    /// What the processors did.
    pub processors: Option<ProcessorShares>,
}

impl Measurement {
    /// Plays so many games at once for so long. Must be called inside a runtime.
    pub async fn level(&self, concurrency: usize, time: Duration) -> Result<ConcurrencyLevel, String> {
        let mut config = FleetConfig::new(vec![self.engine.clone(), self.engine.clone()]);
        config.concurrency = concurrency;
        config.rules.max_moves = Some(MOVES);
        config.guardian = self.guardian.clone();
        let mut fleet = LocalFleet::start(config).map_err(|why| why.to_string())?;
        let (before, probe) = (ProcessorTimes::now(), SleepProbe::start());
        let mut level = ConcurrencyLevel { concurrency, ..ConcurrencyLevel::default() };
        let mut speeds = Vec::new();
        let end = tokio::time::Instant::now() + time;
        let mut index = 0;
        let fatal = loop {
            while fleet.room() > 0 {
                fleet.submit(self.job(index));
                index += 1;
            }
            // A level without a game for each slot says nothing, so it is given longer.
            let until = if level.games < concurrency as u64 { end + GRACE } else { end };
            let Ok(event) = tokio::time::timeout_at(until, fleet.next_event()).await else { break None };
            match event {
                Some(FleetEvent::GameFinished { record, .. }) => level.count(&record, &mut speeds),
                Some(FleetEvent::Voided { .. }) => level.voids += 1,
                Some(FleetEvent::EngineFatal(fatal)) => break Some(fatal.to_string()),
                None => break None,
                Some(_) => {}
            }
        };
        let delays = probe.stop();
        level.processors = before.zip(ProcessorTimes::now()).map(|(before, now)| now.since(before));
        fleet.kill_now();
        fleet.close().await;
        (level.nps, level.nps_spread) = mean_and_spread(&speeds);
        let part = |share: f64| delays.get((delays.len() as f64 * share) as usize).copied();
        level.delay_p50_us = part(0.5).unwrap_or(0);
        level.delay_p99_us = part(0.99).unwrap_or(0);
        level.delay_max_us = delays.last().copied().unwrap_or(0);
        fatal.map_or(Ok(level), Err)
    }

    fn job(&self, index: u64) -> PairJob {
        let contestant = |engine| Contestant { engine, options: Vec::new(), limits: self.limits };
        PairJob {
            id: PairId { index, attempt: 0 },
            opening: Opening::start(),
            contestants: [contestant(EngineIndex(0)), contestant(EngineIndex(1))],
            first_game: None,
        }
    }
}

impl ConcurrencyLevel {
    fn count(&mut self, game: &GameRecord, speeds: &mut Vec<f64>) {
        self.games += 1;
        self.forfeits += u64::from(game.ending.termination.is_time_loss());
        self.faults += u64::from(game.ending.termination.is_engine_fault());
        let own = game.moves.iter().filter(|ply| ply.source == MoveSource::Engine);
        let (nodes, time) = own
            .filter_map(|ply| ply.nodes.map(|nodes| (nodes, ply.time_us)))
            .fold((0, 0), |(nodes, time), (more, longer)| (nodes + more, time + longer));
        if nodes > 0 && time > 0 {
            speeds.push(nodes as f64 * 1e6 / time as f64);
        }
    }

    /// Why so many games at once are too many, compared with `alone`; `None` if they are not.
    pub fn objection(&self, alone: &Self) -> Option<String> {
        let lost = 1.0 - self.nps / alone.nps.max(1e-9);
        if self.forfeits > 0 {
            Some(format!("{} of {} games were lost on time", self.forfeits, self.games))
        } else if self.voids > 0 {
            Some(format!("the host spoiled {} pairs", self.voids))
        } else if alone.nps > 0.0 && self.games > 0 && lost > SLOWER {
            Some(format!("engines think {:.0} % slower than alone", lost * 100.0))
        } else if self.delay_p99_us > LATE_US {
            Some(format!(
                "one wake-up in a hundred is {:.0} ms late or more",
                self.delay_p99_us as f64 / 1000.0
            ))
        } else {
            None
        }
    }
}

fn mean_and_spread(speeds: &[f64]) -> (f64, f64) {
    if speeds.is_empty() {
        return (0.0, 0.0);
    }
    let count = speeds.len() as f64;
    let mean = speeds.iter().sum::<f64>() / count;
    let variance = speeds.iter().map(|speed| (speed - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt() / mean)
}

/// A thread that sleeps and notes how late it was woken, as an engine's clock would be.
struct SleepProbe {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u64>>,
}

impl SleepProbe {
    fn start() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&over);
        let thread = thread::spawn(move || {
            let mut delays = Vec::new();
            while !flag.load(Ordering::Relaxed) {
                let begun = Instant::now();
                thread::sleep(NAP);
                delays.push(begun.elapsed().saturating_sub(NAP).as_micros() as u64);
            }
            delays
        });
        Self { over, thread }
    }

    /// All delays, the smallest first.
    fn stop(self) -> Vec<u64> {
        self.over.store(true, Ordering::Relaxed);
        let mut delays = self.thread.join().unwrap_or_default();
        delays.sort_unstable();
        delays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_told_as_a_share_of_the_mean() {
        assert_eq!(mean_and_spread(&[90.0, 110.0]), (100.0, 0.1));
        assert_eq!(mean_and_spread(&[]), (0.0, 0.0));
    }
}
