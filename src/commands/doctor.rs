//! Measuring how many games this machine can play at once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::commands::console::Console;
use crate::commands::environment::{Environment, processors};
use crate::commands::failure::{Failure, OrFailure};
use crate::config::{EngineEntry, LimitsTable, plan_engine};
use crate::doctor::{Diagnosis, Findings, Measurement, ProcessorClocks, sync_times};
use crate::fleet::most_slots;
use crate::run::preflight::DiskRoom;

/// Parameters of a measurement.
#[derive(Clone, Debug)]
pub struct DoctorRequest {
    /// The engine, which plays itself.
    pub engine: String,
    /// Duration of the whole measurement.
    pub seconds: u64,
    /// Time per move, in milliseconds.
    pub movetime_ms: u64,
    /// Largest number of games at once; `None` for one game for each processor.
    pub concurrency: Option<usize>,
    /// Folder whose disk is measured.
    pub results: PathBuf,
}

/// Plays the engine against itself at growing concurrency and compares the measurements.
pub fn diagnose(
    request: &DoctorRequest,
    console: Console,
    environment: &Environment,
) -> Result<Diagnosis, Failure> {
    let levels = concurrency_levels(request.concurrency.unwrap_or_else(processors));
    let measurement = measurement(request, environment)?;
    let each = Duration::from_secs_f64(request.seconds as f64 / levels.len() as f64);
    console.print(&format!(
        "{} against itself, {} ms per move, {} s; anything else that runs now spoils the measurement",
        request.engine, request.movetime_ms, request.seconds
    ));
    let throttled_before = ProcessorClocks::now().throttled;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
    let mut measured = Vec::new();
    for level in levels {
        measured.push(runtime.block_on(measurement.level(level, each)).map_err(Failure::fault)?);
    }
    let clocks = ProcessorClocks::now();
    let throttled = clocks.throttled.zip(throttled_before);
    Ok(Diagnosis::of(Findings {
        engine: request.engine.clone(),
        seconds: request.seconds,
        movetime_ms: request.movetime_ms,
        processors: processors(),
        levels: measured,
        clocks,
        throttled: throttled.map_or(0, |(now, before)| now.saturating_sub(before)),
        max_slots: most_slots(),
        disk_free_mb: DiskRoom::free_bytes(&request.results).ok().map(|bytes| bytes >> 20),
        sync_ms: sync_milliseconds(&request.results),
    }))
}

fn measurement(request: &DoctorRequest, environment: &Environment) -> Result<Measurement, Failure> {
    let limits = LimitsTable { movetime_ms: Some(request.movetime_ms), ..LimitsTable::default() };
    let engine =
        plan_engine(&EngineEntry::named(&request.engine), limits, &environment.search_paths()).or_usage()?;
    Ok(Measurement {
        engine: engine.spec,
        limits: limits.time_control(),
        guardian: Some(environment.guardian()),
    })
}

/// Returns one, half of `most` and `most`.
fn concurrency_levels(most: usize) -> Vec<usize> {
    let mut levels = vec![1, most.div_ceil(2), most];
    levels.sort_unstable();
    levels.dedup();
    levels
}

fn sync_milliseconds(folder: &Path) -> Option<(f64, f64)> {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    sync_times(folder).ok().map(|(median, most)| (milliseconds(median), milliseconds(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_game_is_always_measured_first() {
        for (most, levels) in [(1, vec![1]), (2, vec![1, 2]), (5, vec![1, 3, 5]), (8, vec![1, 4, 8])] {
            assert_eq!(concurrency_levels(most), levels);
        }
    }
}
