//! Conclusions from a measurement of the machine.

use serde::Serialize;

use crate::doctor::machine::ProcessorClocks;
use crate::doctor::measure::ConcurrencyLevel;

/// Speeds of single games that vary by more than this share are a sign of other load.
const STEADY: f64 = 0.05;

/// A share of stolen processor time above this is worth a remark.
const STOLEN: f64 = 0.01;

/// Free disk space below this is worth a remark, in MB.
const LOW_DISK_MB: u64 = 1024;

/// Facts measured by `playself doctor`. Its keys are a contract.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Name of the engine that played.
    pub engine: String,
    /// Duration of the measurement.
    pub seconds: u64,
    /// Time per move, in milliseconds.
    pub movetime_ms: u64,
    /// Number of processors.
    pub processors: usize,
    /// Measurements, the one with a single game first.
    pub levels: Vec<ConcurrencyLevel>,
    /// Processor clocks after the measurement.
    pub clocks: ProcessorClocks,
    /// How often heat slowed a processor down during the measurement.
    #[serde(rename = "throttled_meanwhile")]
    pub throttled: u64,
    /// Number of games at once that the limit on open files allows.
    #[serde(rename = "descriptors_allow")]
    pub max_slots: Option<usize>,
    /// Free space on the disk, in MB.
    pub disk_free_mb: Option<u64>,
    /// Median and maximum time of a disk sync, in milliseconds.
    pub sync_ms: Option<(f64, f64)>,
}

/// Findings with the conclusions drawn from them. Its keys are a contract.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// The facts.
    #[serde(flatten)]
    pub findings: Findings,
    /// Problems and what to do about them.
    pub remarks: Vec<String>,
    /// The largest concurrency without a problem, at least 1.
    pub recommended_concurrency: usize,
}

impl Diagnosis {
    /// Draws the conclusions.
    pub fn of(findings: Findings) -> Self {
        let remarks = findings.remarks();
        let recommended_concurrency = recommended_concurrency(&findings.levels);
        Self { findings, remarks, recommended_concurrency }
    }

    /// Returns whether the machine can play one game at a time.
    pub fn is_fit(&self) -> bool {
        self.findings.objections().is_empty()
    }
}

impl Findings {
    /// Returns the problems of a single game at a time.
    fn objections(&self) -> Vec<String> {
        let alone = self.levels.first();
        let mut objections: Vec<String> =
            alone.and_then(|level| level.objection(level)).into_iter().collect();
        if alone.is_some_and(|level| level.games == 0) {
            objections.push("no game was finished: measure longer with --seconds".to_owned());
        }
        objections
    }

    /// Returns all problems, those of a single game at a time first.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.objections();
        if let Some(alone) = self.levels.first() {
            let more = self.levels.iter().skip(1);
            remarks.extend(more.filter_map(|level| {
                level.objection(alone).map(|why| format!("{} games at once: {why}", level.concurrency))
            }));
            if alone.nps_spread > STEADY {
                remarks.push(format!(
                    "engine speed varies by {:.0} % with one game alone: something else uses this machine",
                    alone.nps_spread * 100.0
                ));
            }
        }
        if self.levels.iter().any(|level| level.processors.is_some_and(|shares| shares.stolen > STOLEN)) {
            remarks.push("the hypervisor gives processor time to other machines (steal)".to_owned());
        }
        if self.throttled > 0 {
            remarks.push(format!("heat slowed the processors down {} times", self.throttled));
        }
        if self.clocks.governors.iter().any(|governor| governor != "performance") {
            remarks.push(format!(
                "processor clocks follow the governor {}; `performance` is steadier",
                self.clocks.governors.join(", ")
            ));
        }
        if self.disk_free_mb.is_some_and(|free| free < LOW_DISK_MB) {
            remarks.push("less than 1 GB is free on the disk".to_owned());
        }
        remarks
    }
}

/// Returns the largest concurrency without an objection, at least 1. The first level is the reference for the others.
pub fn recommended_concurrency(levels: &[ConcurrencyLevel]) -> usize {
    let Some(alone) = levels.first() else { return 1 };
    let fit = levels.iter().take_while(|level| level.objection(alone).is_none());
    fit.map(|level| level.concurrency).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(concurrency: usize, nps: f64) -> ConcurrencyLevel {
        ConcurrencyLevel { concurrency, games: 50, nps, ..ConcurrencyLevel::default() }
    }

    #[test]
    fn the_largest_concurrency_that_costs_nothing_is_recommended() {
        let slow = |nps| vec![level(1, 1e6), level(2, 0.99e6), level(4, nps)];
        assert_eq!(recommended_concurrency(&slow(0.98e6)), 4);
        assert_eq!(recommended_concurrency(&slow(0.7e6)), 2);
        let mut late = slow(0.98e6);
        late[1].forfeits = 1;
        assert_eq!(recommended_concurrency(&late), 1, "nothing above a level that fails is recommended");
        late[0].delay_p99_us = 50_000;
        assert_eq!(recommended_concurrency(&late), 1);
        assert!(late[0].objection(&late[0]).is_some_and(|why| why.contains("50 ms late")));
        assert_eq!(
            recommended_concurrency(&[level(1, 0.0), level(8, 0.0)]),
            8,
            "an engine that does not report its speed is not an objection"
        );
    }

    #[test]
    fn a_machine_is_unfit_only_if_a_single_game_has_problems() {
        let mut findings = Findings { levels: vec![level(1, 1e6), level(2, 0.5e6)], ..Findings::default() };
        let diagnosis = Diagnosis::of(findings.clone());
        assert!(diagnosis.is_fit());
        assert_eq!(
            diagnosis.remarks,
            ["2 games at once: engines search 50 % slower than with one game at a time"]
        );
        findings.levels[0].games = 0;
        assert!(!Diagnosis::of(findings).is_fit());
    }
}
