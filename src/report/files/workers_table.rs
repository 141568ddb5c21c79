//! The machines that played a run: `workers.csv` and `workers` of the summary.

use serde::{Deserialize, Serialize};

use crate::run::{FleetHistory, WorkerHistory};
use crate::stats::Pentanomial;

/// The header of `workers.csv`.
const HEADER: &str =
    "worker,target,cpu,slots,nps,scale_ppm,pairs,pentanomial,forfeits,faults,voids,residual,quarantined\n";

/// One machine of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct WorkerRow {
    pub worker: String,
    #[serde(default)]
    pub target: String,
    #[serde(default)]
    pub cpu: String,
    #[serde(default)]
    pub slots: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
    pub pairs: u64,
    pub pentanomial: Pentanomial,
    pub forfeits: u64,
    pub faults: u64,
    pub voids: u64,
    /// How much its results differ from those of all machines: chi-squared, with four degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
}

/// Returns a row for every machine that played.
pub fn worker_rows(fleet: &FleetHistory) -> Vec<WorkerRow> {
    let mut all = [0; 5];
    for worker in fleet.workers() {
        for (sum, count) in all.iter_mut().zip(worker.pentanomial.0) {
            *sum += count;
        }
    }
    let row = |worker: &WorkerHistory| WorkerRow {
        worker: worker.facts.worker.clone(),
        target: worker.facts.target.clone(),
        cpu: worker.facts.cpu.clone(),
        slots: worker.facts.slots,
        nps: worker.facts.nps,
        scale_ppm: worker.facts.scale_ppm,
        pairs: worker.pairs,
        pentanomial: worker.pentanomial,
        forfeits: worker.forfeits,
        faults: worker.faults,
        voids: worker.voids,
        residual: residual(&worker.pentanomial, all),
        quarantined: worker.excluded.clone(),
    };
    fleet.workers().map(row).collect()
}

/// Returns chi-squared of the counts of one machine against the proportions of all; `None` without pairs.
fn residual(own: &Pentanomial, all: [u64; 5]) -> Option<f64> {
    let (pairs, total) = (own.pairs() as f64, all.iter().sum::<u64>() as f64);
    let part = |(&observed, of_all): (&u64, u64)| {
        let expected = pairs * of_all as f64 / total;
        if expected > 0.0 { (observed as f64 - expected).powi(2) / expected } else { 0.0 }
    };
    let sum: f64 = own.0.iter().zip(all).map(part).sum();
    (pairs > 0.0).then_some((sum * 1000.0).round() / 1000.0)
}

/// Returns the text of `workers.csv`.
pub(super) fn workers_csv(rows: &[WorkerRow]) -> String {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(HEADER.as_bytes().to_vec());
    for row in rows {
        let optional = |value: Option<String>| value.unwrap_or_default();
        let fields = [
            row.worker.clone(),
            row.target.clone(),
            row.cpu.clone(),
            row.slots.to_string(),
            optional(row.nps.map(|nps| nps.to_string())),
            optional(row.scale_ppm.map(|ppm| ppm.to_string())),
            row.pairs.to_string(),
            row.pentanomial.0.map(|count| count.to_string()).join(" "),
            row.forfeits.to_string(),
            row.faults.to_string(),
            row.voids.to_string(),
            optional(row.residual.map(|residual| residual.to_string())),
            optional(row.quarantined.clone()),
        ];
        writer.write_record(&fields).expect("writing to memory does not fail");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("all fields are text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_other_results_than_the_rest_has_a_large_residual() {
        let all = [40, 80, 160, 80, 40];
        assert_eq!(residual(&Pentanomial([10, 20, 40, 20, 10]), all), Some(0.0));
        assert!(residual(&Pentanomial([0, 5, 25, 40, 30]), all).unwrap() > 60.0);
        assert_eq!(residual(&Pentanomial([0; 5]), all), None);
    }
}
