//! Measuring how a machine disturbs games, by letting an engine play itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::fleet::{Contestant, Fleet, FleetConfig, FleetEvent, LocalFleet, PairJob};

use crate::game::PairId;
use crate::game::{EngineIndex, GameRecord, MoveSource, TimeControl};
use crate::opening::Opening;
use crate::player::{EngineSpec, GuardianProgram};

use crate::doctor::machine::{ProcessorShares, ProcessorTimes};

/// Additional time that a level may take to finish its first games.
const GRACE: Duration = Duration::from_secs(60);

/// Full moves after which games end; openings are similar, so that speeds can be compared.
const MOVES: u32 = 6;

/// Time that the probe sleeps at once.
const PROBE_SLEEP: Duration = Duration::from_millis(2);

/// Smaller relative differences of speed are ignored.
const SPEED_TOLERANCE: f64 = 0.05;

/// A machine that wakes a thread later than this cannot keep a clock.
const MAX_WAKE_DELAY_US: u64 = 10_000;

/// Configuration of a measurement.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The engine that plays itself.
    pub engine: EngineSpec,
    /// Its limits.
    pub limits: TimeControl,
    /// Guardian that kills the engines if this process is killed.
    pub guardian: Option<GuardianProgram>,
}

/// Measurements at one level of concurrency.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConcurrencyLevel {
    /// Number of games played at the same time.
    pub concurrency: usize,
    /// Number of finished games.
    pub games: u64,
    /// Nodes per second, the mean stopped games; 0 if the engine does not report nodes.
    pub nps: f64,
    /// Standard deviation of the speeds of games, relative to the mean.
    pub nps_spread: f64,
    /// Games lost on time.
    pub forfeits: u64,
    /// Games lost by other faults.
    pub faults: u64,
    /// Pairs that were void because of the host.
    pub voids: u64,
    /// Delay in waking a sleeping thread: the median, in microseconds.
    pub delay_p50_us: u64,
    /// The 99th percentile of that delay.
    pub delay_p99_us: u64,
    /// The maximum of that delay.
    pub delay_max_us: u64,
    /// Processor shares during the measurement.
    pub processors: Option<ProcessorShares>,
}

impl Measurement {
    /// Plays `concurrency` games at a time for `time`. Must be called inside a runtime.
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
            // A level without a game for each slot is not meaningful, so it gets more time.
            let until = if level.games < concurrency as u64 { end + GRACE } else { end };
            let Ok(event) = tokio::time::timeout_at(until, fleet.next_event()).await else { break None };
            match event {
                Some(FleetEvent::GameFinished { record, .. }) => level.count(&record, &mut speeds),
                Some(FleetEvent::Voided { .. }) => level.voids += 1,
                Some(FleetEvent::EngineFatal(fatal)) => break Some(fatal.to_string()),
                Some(FleetEvent::Failed(why)) => break Some(why),
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
            id: PairId::both(index, 0),
            opening: Opening::start(),
            contestants: [contestant(EngineIndex(0)), contestant(EngineIndex(1))],
            seats: PairJob::REVERSED,
            book_seed: 0,
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

    /// Returns why this concurrency is too high, compared with the level `alone`; `None` if it is not.
    pub fn objection(&self, alone: &Self) -> Option<String> {
        let lost = 1.0 - self.nps / alone.nps.max(1e-9);
        if self.forfeits > 0 {
            Some(format!("{} of {} games were lost on time", self.forfeits, self.games))
        } else if self.voids > 0 {
            Some(format!("the host caused {} void pairs", self.voids))
        } else if alone.nps > 0.0 && self.games > 0 && lost > SPEED_TOLERANCE {
            Some(format!("engines search {:.0} % slower than with one game at a time", lost * 100.0))
        } else if self.delay_p99_us > MAX_WAKE_DELAY_US {
            Some(format!("1 % of wake-ups are at least {:.0} ms late", self.delay_p99_us as f64 / 1000.0))
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

/// A thread that sleeps repeatedly and measures how late it is woken, as an engine would be.
struct SleepProbe {
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u64>>,
}

impl SleepProbe {
    fn start() -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        let thread = thread::spawn(move || {
            let mut delays = Vec::new();
            while !flag.load(Ordering::Relaxed) {
                let started = Instant::now();
                thread::sleep(PROBE_SLEEP);
                delays.push(started.elapsed().saturating_sub(PROBE_SLEEP).as_micros() as u64);
            }
            delays
        });
        Self { stopped, thread }
    }

    /// Stops the thread and returns all delays in ascending order.
    fn stop(self) -> Vec<u64> {
        self.stopped.store(true, Ordering::Relaxed);
        let mut delays = self.thread.join().unwrap_or_default();
        delays.sort_unstable();
        delays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_relative_to_the_mean() {
        assert_eq!(mean_and_spread(&[90.0, 110.0]), (100.0, 0.1));
        assert_eq!(mean_and_spread(&[]), (0.0, 0.0));
    }
}
