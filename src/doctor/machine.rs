//! Properties of the machine: processors, their clocks, stolen time, sync latency of the disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

/// Number of syncs that are measured.
const SYNCS: usize = 20;

/// Processor time since boot, in ticks of the kernel, summed over all processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTimes {
    idle: u64,
    stolen: u64,
    all: u64,
}

/// Shares of processor time, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ProcessorShares {
    /// Share in which processors were busy.
    pub busy: f64,
    /// Share that the hypervisor gave to other guests.
    pub stolen: f64,
}

impl ProcessorTimes {
    /// Reads the current values; `None` if they are not available.
    pub fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().find(|line| line.starts_with("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
        // Fields: user nice system idle iowait irq softirq steal; those after them are already included in the first
        // two.
        let at = |place: usize| ticks.get(place).copied().unwrap_or(0);
        Some(Self { idle: at(3) + at(4), stolen: at(7), all: ticks.iter().take(8).sum() })
    }

    /// Returns the shares since `earlier`.
    pub fn since(self, earlier: Self) -> ProcessorShares {
        let all = self.all.saturating_sub(earlier.all).max(1) as f64;
        let idle = self.idle.saturating_sub(earlier.idle) as f64 / all;
        let stolen = self.stolen.saturating_sub(earlier.stolen) as f64 / all;
        ProcessorShares { busy: (1.0 - idle - stolen).max(0.0), stolen }
    }
}

/// Clock frequencies of the processors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessorClocks {
    /// Frequency governors, without duplicates; empty if unknown.
    pub governors: Vec<String>,
    /// The lowest and the highest current frequency, in MHz.
    pub mhz: Option<(u64, u64)>,
    /// How often processors were throttled by heat since boot.
    pub throttled: Option<u64>,
}

impl ProcessorClocks {
    /// Reads the current values.
    pub fn now() -> Self {
        Self::read(Path::new("/sys/devices/system/cpu"))
    }

    fn read(folder: &Path) -> Self {
        let mut clocks = Self::default();
        let Ok(entries) = fs::read_dir(folder) else { return clocks };
        for entry in entries.flatten() {
            let word = |file: &str| {
                fs::read_to_string(entry.path().join(file)).ok().map(|text| text.trim().to_owned())
            };
            let number = |file: &str| word(file).and_then(|text| text.parse::<u64>().ok());
            clocks.governors.extend(word("cpufreq/scaling_governor"));
            if let Some(mhz) = number("cpufreq/scaling_cur_freq").map(|kilohertz| kilohertz / 1000) {
                let (least, most) = clocks.mhz.unwrap_or((mhz, mhz));
                clocks.mhz = Some((least.min(mhz), most.max(mhz)));
            }
            if let Some(count) = number("thermal_throttle/core_throttle_count") {
                *clocks.throttled.get_or_insert(0) += count;
            }
        }
        clocks.governors.sort_unstable();
        clocks.governors.dedup();
        clocks
    }
}

/// Measures how long the disk of `folder` takes to sync a few kilobytes; returns the median and the maximum.
pub fn sync_times(folder: &Path) -> io::Result<(Duration, Duration)> {
    let path = folder.join(format!(".playself-doctor-{}", std::process::id()));
    let measured = measure_syncs(&path);
    fs::remove_file(&path)?;
    measured
}

fn measure_syncs(path: &Path) -> io::Result<(Duration, Duration)> {
    let mut file = File::create(path)?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        file.write_all(&[b'x'; 4096])?;
        let started = Instant::now();
        file.sync_data()?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok((times[SYNCS / 2], times[SYNCS - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_computed_from_the_difference_of_two_readings() {
        let parse = |text| ProcessorTimes::parse(text).unwrap();
        let before = parse("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3\n");
        let after = parse("cpu  160 0 120 790 110 0 0 20 5 0\n");
        assert_eq!(after.since(before), ProcessorShares { busy: 0.4, stolen: 0.1 });
        assert_eq!(before.since(before), ProcessorShares { busy: 1.0, stolen: 0.0 });
        assert_eq!(ProcessorTimes::parse("nothing"), None);
    }

    #[test]
    fn clocks_are_read_from_every_processor_that_has_them() {
        let folder = tempfile::tempdir().unwrap();
        for (cpu, khz) in [("cpu0", "2400000\n"), ("cpu1", "3100000\n")] {
            let cpufreq = folder.path().join(cpu).join("cpufreq");
            fs::create_dir_all(&cpufreq).unwrap();
            fs::write(cpufreq.join("scaling_cur_freq"), khz).unwrap();
            fs::write(cpufreq.join("scaling_governor"), "powersave\n").unwrap();
        }
        fs::create_dir(folder.path().join("cpuidle")).unwrap();
        let clocks = ProcessorClocks::read(folder.path());
        assert_eq!(clocks.governors, ["powersave"]);
        assert_eq!((clocks.mhz, clocks.throttled), (Some((2400, 3100)), None));
    }
}
